/** The variables that choose and configure a signer, shared by the service and by the signer process. */
import { z } from 'zod'
import type { FieldsOf, VariableTable } from './table.ts'

const SIGNERS = ['mnemonic', 'keystore', 'remote', 'kms'] as const

export const SIGNER_VARIABLES = {
  signer: ['SIGNER', z.enum(SIGNERS).default('keystore')],
  mnemonic: ['MNEMONIC', z.string().optional()],
  keystoreFile: ['KEYSTORE_FILE', z.string().optional()],
  keystorePasswordFile: ['KEYSTORE_PASSWORD_FILE', z.string().optional()],
  /** The signer process: over https, or on this machine. */
  signerUrl: ['SIGNER_URL', z.url({ protocol: /^https?$/ }).optional()],
  signerTokenFile: ['SIGNER_TOKEN_FILE', z.string().optional()],
  signerTimeoutMs: [
    'SIGNER_TIMEOUT_SECONDS',
    z.coerce
      .number()
      .positive()
      .max(120)
      .default(10)
      .transform((seconds) => seconds * 1000),
  ],
  /** Allows plain http to a signer on another machine, for a network that encrypts its traffic. */
  signerPlainHttp: ['SIGNER_PLAIN_HTTP', z.stringbool().default(false)],
  /** An ed25519 key (PEM) that signs quotes here; it moves no money. */
  quoteKeyFile: ['QUOTE_KEY_FILE', z.string().optional()],
  kmsRegion: [
    'KMS_REGION',
    z
      .string()
      .regex(/^[a-z0-9-]+$/)
      .optional(),
  ],
  /** The KMS key of each derivation path. */
  kmsKeysFile: ['KMS_KEYS_FILE', z.string().optional()],
  /** Replaces the region's own address: a VPC endpoint, or a test double. */
  kmsEndpoint: ['KMS_ENDPOINT', z.url({ protocol: /^https?$/ }).optional()],
  kmsCredentials: ['KMS_CREDENTIALS', z.enum(['env', 'instance']).default('env')],
  /** Where an EC2 machine gets its role's credentials. */
  kmsMetadataUrl: ['KMS_METADATA_URL', z.url().default('http://169.254.169.254')],
  awsAccessKeyId: ['AWS_ACCESS_KEY_ID', z.string().optional()],
  awsSecretAccessKey: ['AWS_SECRET_ACCESS_KEY', z.string().optional()],
  awsSessionToken: ['AWS_SESSION_TOKEN', z.string().optional()],
} satisfies VariableTable

export type SignerSettings = FieldsOf<typeof SIGNER_VARIABLES>

const NEEDS: Record<SignerSettings['signer'], readonly (keyof SignerSettings)[]> = {
  mnemonic: ['mnemonic'],
  keystore: ['keystoreFile', 'keystorePasswordFile'],
  remote: ['signerUrl', 'signerTokenFile'],
  kms: ['kmsRegion', 'kmsKeysFile'],
}

/** Variables that are missing or do not fit together, as lines for the operator. */
export function signerProblems(settings: SignerSettings): string[] {
  const { signer, signerUrl, signerPlainHttp, kmsCredentials } = settings
  const wanted = [...NEEDS[signer]]
  if (signer === 'kms' && kmsCredentials === 'env') wanted.push('awsAccessKeyId', 'awsSecretAccessKey')
  const problems = wanted
    .filter((field) => !settings[field])
    .map((field) => `${SIGNER_VARIABLES[field][0]}: is needed with SIGNER=${signer}`)
  if (signer === 'remote' && signerUrl && !signerPlainHttp && !isPrivate(new URL(signerUrl))) {
    problems.push(
      'SIGNER_URL: must be https, or on this machine (SIGNER_PLAIN_HTTP=true where the network itself encrypts)',
    )
  }
  return problems
}

function isPrivate({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}
