/** The local chain as REST API v0.2 shows it, with its paths, fields and refusals, and a few paths of our own to fund and mine. */
import type { Asked } from '@causeway/devnet/kit'
import { type Block, type Entry, LOCKED, type LocalChain, Refused } from './chain.ts'
import type { Posted } from './codec.ts'

const NOT_FOUND = 404
const MOST_A_PAGE = 100

export async function answer(chain: LocalChain, body: unknown, asked: Asked): Promise<unknown> {
  const [room = '', first = '', second = ''] = asked.path.split('/').slice(asked.path.startsWith('api/v0.2/') ? 2 : 0)
  const given = (body ?? {}) as Record<string, unknown>
  if (room === 'config') return { network: chain.plan.ethereum, contract: null, zksyncVersion: 'contractV4' }
  if (room === 'accounts' && second === 'transactions') return page(chain, first, asked.query)
  if (room === 'accounts') return account(chain, first, second === 'finalized' ? 'finalized' : 'committed')
  if (room === 'blocks') return block(chain, first)
  if (room === 'transactions' && asked.method === 'POST') return chain.submit(body as Posted)
  if (room === 'transactions' && second === 'data') {
    const found = chain.entries.get(first)
    return found ? { tx: written(chain, found), ethSignature: null } : null
  }
  if (room === 'fee') return fee(chain, given)
  if (room === 'devnet') return control(chain, first, given)
  throw new Refused(NOT_FOUND, `no such path: ${asked.path}`)
}

function account(chain: LocalChain, address: string, state: 'committed' | 'finalized'): unknown {
  const found = chain.account(address, state)
  if (!found) return null
  const { id, nonce, keyHash, units } = found
  return {
    address,
    accountId: id,
    accountType: keyHash === LOCKED ? null : 'Owned',
    nonce,
    pubKeyHash: keyHash,
    balances: { ETH: units.toString() },
    lastUpdateInBlock: chain.head.number,
  }
}

function page(chain: LocalChain, address: string, query: URLSearchParams): unknown {
  const past = chain.pastOf(address)
  const from = query.get('from') ?? 'latest'
  const start = from === 'latest' ? 0 : past.findIndex(({ hash }) => hash === from)
  if (start < 0) throw new Refused(NOT_FOUND, 'Transaction not found')
  const limit = Math.min(Number(query.get('limit')), MOST_A_PAGE)
  if (query.get('direction') !== 'older') throw new Refused(NOT_FOUND, 'only older ones are listed here')
  const list = past.slice(start, start + limit).map((entry) => written(chain, entry))
  return { list, pagination: { from, limit, direction: 'older', count: past.length } }
}

function block(chain: LocalChain, named: string): unknown {
  const numbers: Record<string, number> = { lastCommitted: chain.head.number, lastFinalized: chain.finalNumber }
  const found: Block | undefined = chain.blocks[numbers[named] ?? Number(named)]
  if (!found) return null
  const isFinal = found.number <= chain.finalNumber
  return {
    blockNumber: found.number,
    newStateRoot: found.root,
    committedAt: found.time.toISOString(),
    finalizedAt: isFinal ? found.time.toISOString() : null,
    status: isFinal ? 'finalized' : 'committed',
  }
}

function written(chain: LocalChain, { hash, op, block: number, failReason, createdAt }: Entry): unknown {
  const executed = number !== null && number <= chain.finalNumber ? 'finalized' : 'committed'
  const status = failReason !== null ? 'rejected' : number === null ? 'queued' : executed
  return { txHash: hash, blockNumber: number, op, status, failReason, createdAt: createdAt.toISOString() }
}

function fee(chain: LocalChain, { txType, address }: Record<string, unknown>): unknown {
  const units = chain.fee(txType === 'Transfer' ? 'Transfer' : 'ChangePubKey', String(address))
  return { gasFee: '0', zkpFee: units.toString(), totalFee: units.toString() }
}

function control(chain: LocalChain, what: string, given: Record<string, unknown>): unknown {
  if (what === 'fund') chain.deposit(String(given.address), BigInt(String(given.units)))
  else if (what === 'mine') chain.mine(Number(given.blocks))
  else if (what === 'close') chain.isClosed = given.closed === true
  else if (what === 'reject') chain.rejections = Number(given.count)
  else if (what === 'fees') chain.feeTimes = BigInt(String(given.times))
  else if (what === 'advance') chain.skewMs += Number(given.seconds) * 1000
  else throw new Refused(NOT_FOUND, `nothing of ours: ${what}`)
  return {}
}
