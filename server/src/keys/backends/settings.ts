/** Which variables choose and configure a signer: shared by the service and by the signer process. */
import { z } from 'zod'

const SIGNERS = ['mnemonic', 'keystore', 'remote', 'kms'] as const

export const SIGNER_SHAPE = {
  SIGNER: z.enum(SIGNERS).default('keystore'),
  MNEMONIC: z.string().optional(),
  KEYSTORE_FILE: z.string().optional(),
  KEYSTORE_PASSWORD_FILE: z.string().optional(),
  /** The signer process: by https, or on this machine. */
  SIGNER_URL: z.url({ protocol: /^https?$/ }).optional(),
  SIGNER_TOKEN_FILE: z.string().optional(),
  SIGNER_TIMEOUT_SECONDS: z.coerce
    .number()
    .positive()
    .max(120)
    .default(10)
    .transform((value) => value * 1000),
  /** Plain http to a signer on another machine: for a network that encrypts by itself. */
  SIGNER_PLAIN_HTTP: z.stringbool().default(false),
  /** An ed25519 key (PEM) that signs quotes here; it moves no money. */
  QUOTE_KEY_FILE: z.string().optional(),
  KMS_REGION: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .optional(),
  /** Which key of KMS stands for which path. */
  KMS_KEYS_FILE: z.string().optional(),
  /** Instead of the region's own address: a VPC endpoint, or a double in tests. */
  KMS_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  KMS_CREDENTIALS: z.enum(['env', 'instance']).default('env'),
  /** Where a machine of EC2 asks for its role's credentials. */
  KMS_METADATA_URL: z.url().default('http://169.254.169.254'),
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: z.string().optional(),
  AWS_SESSION_TOKEN: z.string().optional(),
} as const

const Settings = z.object(SIGNER_SHAPE)
export type SignerSettings = z.infer<typeof Settings>

const NEEDS: Record<SignerSettings['SIGNER'], readonly (keyof SignerSettings)[]> = {
  mnemonic: ['MNEMONIC'],
  keystore: ['KEYSTORE_FILE', 'KEYSTORE_PASSWORD_FILE'],
  remote: ['SIGNER_URL', 'SIGNER_TOKEN_FILE'],
  kms: ['KMS_REGION', 'KMS_KEYS_FILE'],
}

/** What is missing or does not fit together, by variable. */
export function signerProblems(settings: SignerSettings): { name: keyof SignerSettings; problem: string }[] {
  const { SIGNER, KMS_CREDENTIALS, SIGNER_URL } = settings
  const wanted = [...NEEDS[SIGNER]]
  if (SIGNER === 'kms' && KMS_CREDENTIALS === 'env') wanted.push('AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY')
  const problems = wanted
    .filter((name) => !settings[name])
    .map((name) => ({ name, problem: `is needed with SIGNER=${SIGNER}` }))
  if (SIGNER === 'remote' && SIGNER_URL && !settings.SIGNER_PLAIN_HTTP && !isPrivate(new URL(SIGNER_URL))) {
    const problem = 'must be https, or on this machine (SIGNER_PLAIN_HTTP=true where the network itself encrypts)'
    problems.push({ name: 'SIGNER_URL', problem })
  }
  return problems
}

function isPrivate({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}
