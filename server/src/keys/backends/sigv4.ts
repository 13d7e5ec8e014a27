/** AWS request signatures (Signature Version 4), limited to POST and GET requests without a query string. */
import { createHash, createHmac } from 'node:crypto'
import { Bug } from '@causeway/core'

export interface AwsCredentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken: string | null
}

interface AwsRequest {
  method: 'GET' | 'POST'
  url: URL
  headers: Record<string, string>
  body: string
  region: string
  service: string
  now: Date
}

/**
 * The request headers: those given, the time, the session token if there is one, and the signature over all of them.
 */
export function signedHeaders(request: AwsRequest, credentials: AwsCredentials): Record<string, string> {
  const { method, url, body, region, service, now } = request
  if (url.search !== '') throw new Bug('a query is not signed here', { host: url.host })
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, '')
  const day = time.slice(0, 8)
  const sent: Record<string, string> = { ...request.headers, 'x-amz-date': time }
  if (credentials.sessionToken) sent['x-amz-security-token'] = credentials.sessionToken
  const lines = Object.entries({ ...sent, host: url.host })
    .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/ +/g, ' ')] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const names = lines.map(([name]) => name).join(';')
  const headerBlock = lines.map(([name, value]) => `${name}:${value}\n`).join('')
  const canonical = [method, url.pathname, '', headerBlock, names, sha256(body)].join('\n')
  const scope = `${day}/${region}/${service}/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')
  const key = [day, region, service, 'aws4_request'].reduce<Buffer>(
    hmac,
    Buffer.from(`AWS4${credentials.secretAccessKey}`),
  )
  const signature = hmac(key, toSign).toString('hex')
  const credential = `${credentials.accessKeyId}/${scope}`
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`
  return { ...sent, authorization }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
