/**
 * Masked answers of the chain's public node, as far as documented, and our assumptions for the rest: balances, nonces
 * and transactions of others are zeros. The caller is authenticated by request headers, checked by other code than the
 * adapter's.
 */
import type { Asked } from '@causeway/devnet/kit'
import { hex, type LocalChain, named, type Veil } from '@causeway/starknet-local'
import { hash, shortString } from 'starknet'

/** The header by which the owner of a local chain sees everything. */
export const HAND = 'x-local-hand'

const BALANCES = ['balanceOf', 'balance_of', 'getTokenAssetBalance'].map(named)
const MOST_SECONDS = 60

type Json = Record<string, unknown>

export function veilOf(chain: LocalChain, asked: Asked): Veil | null {
  if (asked.headers[HAND] !== undefined) return null
  const reader = readerOf(chain, asked)
  return (method, params, result) => masked(chain, reader, method, params, result)
}

/** Cache of recent requests: the same one is often repeated. */
const known = new Map<string, bigint | null>()
const MOST_KNOWN = 500

/**
 * The authenticated caller; null without authentication, or if the signature is not the caller's, for this text and
 * this time.
 */
function readerOf(chain: LocalChain, { text, headers }: Asked): bigint | null {
  const header = (name: string) => String(headers[`paradex-starknet-${name}`] ?? '')
  const [account, timestamp, signature] = [header('account'), header('signature-timestamp'), header('signature')]
  if (account === '' || Math.abs(Date.now() / 1_000 - Number(timestamp)) > MOST_SECONDS) return null
  const name = [chain.plan.chainId, account, timestamp, signature, header('signature-version'), text].join(' ')
  const before = known.get(name)
  if (before !== undefined) return before
  const digest = digestOf(chain.plan.chainId, account, [payloadOf(text), timestamp, header('signature-version')])
  const numbers: string[] = JSON.parse(signature || '[]')
  const isTheirs = chain.isSignedBy(BigInt(account), digest, numbers.map(BigInt))
  if (known.size > MOST_KNOWN) known.clear()
  known.set(name, isTheirs ? BigInt(account) : null)
  return isTheirs ? BigInt(account) : null
}

const DOMAIN_TYPE = 'StarkNetDomain(name:felt,chainId:felt,version:felt)'
const REQUEST_TYPE = 'Request(account:felt,payload:felt,timestamp:felt,version:felt)'
/** The common start of every text of an account, hashed once. */
const beginnings = new Map<string, [request: string, message: string]>()

function digestOf(chainId: string, account: string, [payload, timestamp, version]: string[]): bigint {
  const text = (letters: string) => shortString.encodeShortString(letters)
  const chained = (start: string, values: string[]) => values.reduce((a, b) => hash.computePedersenHash(a, b), start)
  const begun = (): [string, string] => {
    const fields = [text('Paradex'), chainId, '0x1']
    const domain = chained('0x0', [hash.getSelectorFromName(DOMAIN_TYPE), ...fields, '0x4'])
    const request = chained('0x0', [hash.getSelectorFromName(REQUEST_TYPE), account])
    return [request, chained('0x0', [text('StarkNet Message'), domain, account])]
  }
  const [request, message] = beginnings.get(chainId + account) ?? begun()
  beginnings.set(chainId + account, [request, message])
  const asked = chained(request, [payload ?? '0x0', hex(BigInt(timestamp ?? 0)), text(version ?? ''), '0x5'])
  return BigInt(chained(message, [asked, '0x4']))
}

function payloadOf(text: string): string {
  const digits = Buffer.from(text).toString('hex')
  const words = digits.match(/.{1,62}/g) ?? []
  const rest = words.at(-1)?.length === 62 ? undefined : words.pop()
  const tail = rest === undefined ? [] : [BigInt(`0x${rest}`), BigInt(rest.length / 2)]
  return hash.computePoseidonHashOnElements([
    BigInt(words.length),
    ...words.map((word) => BigInt(`0x${word}`)),
    ...tail,
  ])
}

function masked(chain: LocalChain, reader: bigint | null, method: string, params: Json, result: unknown): unknown {
  switch (method) {
    case 'starknet_call': {
      const { entry_point_selector, calldata } = params.request as { entry_point_selector: string; calldata: string[] }
      const isBalance = BALANCES.includes(BigInt(entry_point_selector))
      return isBalance && BigInt(calldata[0] ?? 0) !== reader ? (result as string[]).map(() => '0x0') : result
    }
    case 'starknet_getNonce':
      return BigInt(String(params.contract_address)) === reader ? result : '0x0'
    case 'starknet_getTransactionReceipt':
    case 'starknet_getTransactionByHash':
      return isOf(chain, reader, result as Json) ? result : veiled(result as Json)
    case 'starknet_getBlockWithTxs': {
      const block = result as { transactions: Json[] }
      const show = (one: Json) => (isOf(chain, reader, one) ? one : veiled(one))
      return { ...block, transactions: block.transactions.map(show) }
    }
    case 'starknet_getEvents': {
      const page = result as { events: Json[] }
      return { ...page, events: page.events.map((event) => (isOf(chain, reader, event) ? event : veiledEvent(event))) }
    }
    default:
      return result
  }
}

/** Whether the transaction concerns the reader: it is the sender, or one of the events names it. */
function isOf(chain: LocalChain, reader: bigint | null, { transaction_hash }: Json): boolean {
  if (reader === null) return false
  const landed = chain.landed.get(hex(BigInt(String(transaction_hash))))
  if (!landed)
    return [...chain.waiting.values()].some(
      ({ hash: waits, sender }) => hex(waits) === transaction_hash && sender === reader,
    )
  const named = landed.events.flatMap(({ keys, data }) => [...keys, ...data]).map(BigInt)
  return (
    named.includes(reader) ||
    landed.wire.sender_address === hex(reader) ||
    BigInt(String(landed.wire.sender_address ?? 0)) === reader
  )
}

function veiled(one: Json): Json {
  const zeros = (list: unknown) => (Array.isArray(list) ? list.map(() => '0x0') : list)
  const { events } = one
  return {
    ...one,
    ...(one.calldata ? { calldata: zeros(one.calldata), signature: zeros(one.signature) } : {}),
    ...(one.sender_address ? { sender_address: '0x0' } : {}),
    ...(Array.isArray(events) ? { events: events.map((event) => veiledEvent(event as Json)) } : {}),
  }
}

function veiledEvent(event: Json): Json {
  const [name, ...keys] = event.keys as string[]
  return { ...event, keys: [name, ...keys.map(() => '0x0')], data: (event.data as string[]).map(() => '0x0') }
}
