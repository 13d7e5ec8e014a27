/**
 * Where the credentials for AWS KMS come from: the configuration, or the IAM role of the machine (instance metadata,
 * IMDSv2).
 */
import { RetryLater } from '@causeway/core'
import { z } from 'zod'
import type { SignerSettings } from '../../config/signer-variables.ts'
import type { AwsCredentials } from './sigv4.ts'

export type CredentialSource = () => Promise<AwsCredentials>

export function credentialsFor(settings: SignerSettings, now: () => Date): CredentialSource {
  if (settings.kmsCredentials === 'instance') return instanceCredentials(settings.kmsMetadataUrl, now)
  const credentials = {
    accessKeyId: settings.awsAccessKeyId ?? '',
    secretAccessKey: settings.awsSecretAccessKey ?? '',
    sessionToken: settings.awsSessionToken ?? null,
  }
  return async () => credentials
}

/** The metadata service is on the same machine, so a short timeout is enough. */
const METADATA_TIMEOUT_MS = 2_000
const METADATA_TOKEN_SECONDS = '60'
/** Credentials are renewed this long before they expire, so that none expires during a request. */
const EARLY_MS = 5 * 60_000
const ROLES_PATH = '/latest/meta-data/iam/security-credentials/'

const RoleAnswer = z.object({
  AccessKeyId: z.string(),
  SecretAccessKey: z.string(),
  Token: z.string(),
  Expiration: z.iso.datetime(),
})

function instanceCredentials(url: string, now: () => Date): CredentialSource {
  let held: { credentials: AwsCredentials; until: number } | null = null
  return async () => {
    if (held && held.until - EARLY_MS > now().getTime()) return held.credentials
    const answer = RoleAnswer.safeParse(await askRole(url.replace(/\/+$/, '')))
    if (!answer.success) throw new RetryLater("the machine's role has no credentials to give")
    const { AccessKeyId, SecretAccessKey, Token, Expiration } = answer.data
    const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token }
    held = { credentials, until: Date.parse(Expiration) }
    return credentials
  }
}

async function askRole(url: string): Promise<unknown> {
  const ask = async (path: string, init: RequestInit): Promise<string> => {
    const response = await fetch(`${url}${path}`, { ...init, signal: AbortSignal.timeout(METADATA_TIMEOUT_MS) })
    if (!response.ok) throw new Error(`it answers ${response.status}`)
    return response.text()
  }
  try {
    const ttl = { 'x-aws-ec2-metadata-token-ttl-seconds': METADATA_TOKEN_SECONDS }
    const token = await ask('/latest/api/token', { method: 'PUT', headers: ttl })
    const headers = { 'x-aws-ec2-metadata-token': token }
    const role = (await ask(ROLES_PATH, { headers })).trim().split('\n')[0] ?? ''
    return JSON.parse(await ask(`${ROLES_PATH}${encodeURIComponent(role)}`, { headers }))
  } catch (error) {
    throw new RetryLater(`the machine's metadata cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}
