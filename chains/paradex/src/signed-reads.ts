/**
 * Signed reads: nodes of this chain mask everything that is not the caller's own, so every request carries a signature
 * of the treasury's key over its text and the time (typed data of SNIP-12, revision 0). It cannot be used as a
 * transfer: transactions are hashed in another way.
 */
import type { KeyRef, Signer } from '@causeway/core'
import { hex, pedersenChain, pedersenList, poseidon, selector, shortString, type Wording } from '@causeway/starknet/kit'

const VERSION = '1.0.0'
/** The order of the fields is part of the hash. */
const DOMAIN_TYPE = selector('StarkNetDomain(name:felt,chainId:felt,version:felt)')
const REQUEST_TYPE = selector('Request(account:felt,payload:felt,timestamp:felt,version:felt)')
const WORD = 31

/** The digest of an account's signed requests. The common part is hashed once. */
export function requestHasher(chainId: bigint, account: bigint): (body: string, timestamp: number) => bigint {
  const domain = pedersenList([DOMAIN_TYPE, shortString('Paradex'), chainId, 1n])
  const message = pedersenChain(0n, [shortString('StarkNet Message'), domain, account])
  const request = pedersenChain(0n, [REQUEST_TYPE, account])
  return (body, timestamp) => {
    const fields = [payloadHash(body), BigInt(timestamp), shortString(VERSION)]
    return pedersenChain(message, [pedersenChain(request, [...fields, 5n]), 4n])
  }
}

/** The hash of a text: the number of whole 31-byte words, the words, and the rest with its length if there is one. */
export function payloadHash(body: string): bigint {
  const bytes = Buffer.from(body, 'utf8')
  const words = Math.floor(bytes.length / WORD)
  const number = (part: Buffer) => BigInt(`0x${part.toString('hex')}`)
  const whole = Array.from({ length: words }, (_, i) => number(bytes.subarray(i * WORD, (i + 1) * WORD)))
  const rest = bytes.subarray(words * WORD)
  return poseidon([BigInt(words), ...whole, ...(rest.length > 0 ? [number(rest), BigInt(rest.length)] : [])])
}

/** A request that is repeated within this time reuses its signature. */
const GOOD_MS = 10_000
const MOST_KEPT = 64

export interface Reader {
  chainId: bigint
  account: string
  key: KeyRef
  signer: Signer
  now(): number
}

export function signedReads({ chainId, account, key, signer, now }: Reader): Wording {
  const hashOf = requestHasher(chainId, BigInt(account))
  const kept = new Map<string, { at: number; headers: Promise<Record<string, string>> }>()

  async function headersFor(body: string, at: number): Promise<Record<string, string>> {
    const timestamp = Math.floor(at / 1_000)
    const digest = hashOf(body, timestamp)
    const bytes = Uint8Array.from(Buffer.from(digest.toString(16).padStart(64, '0'), 'hex'))
    const signature = await signer.sign(key, bytes, { read: body })
    const half = (from: number) => BigInt(`0x${Buffer.from(signature.subarray(from, from + 32)).toString('hex')}`)
    return {
      'PARADEX-STARKNET-ACCOUNT': hex(BigInt(account)),
      'PARADEX-STARKNET-SIGNATURE': JSON.stringify([`${half(0)}`, `${half(32)}`]),
      'PARADEX-STARKNET-SIGNATURE-TIMESTAMP': `${timestamp}`,
      'PARADEX-STARKNET-SIGNATURE-VERSION': VERSION,
    }
  }

  return (body) => {
    const at = now()
    const known = kept.get(body)
    if (known && at - known.at < GOOD_MS && at >= known.at) return known.headers
    const headers = headersFor(body, at)
    kept.delete(body)
    kept.set(body, { at, headers })
    headers.catch(() => kept.delete(body))
    for (const oldest of kept.keys()) {
      if (kept.size <= MOST_KEPT) break
      kept.delete(oldest)
    }
    return headers
  }
}
