/** Finds the blocks of deposits without reading every block: by logs of a range, or by moved coins. */
import { type Address, RetryLater, type Watchlist } from '@causeway/core'
import { pad, zeroAddress } from 'viem'
import type { EvmChain } from '../../chain.ts'
import { DEPOSITED_TOPIC } from '../../depositing/depository.ts'
import { fullBlock, type Header, header, type Log, transaction } from '../../node/calls.ts'
import type { Node } from '../../node/node.ts'
import type { RangeFilter } from '../ranges.ts'
import type { BlockWithLogs } from '../sightings.ts'
import { nativeDeposit, TRANSFER_TOPIC, tokenMovement } from '../transfers.ts'
import type { CoinBlock } from './native-balances.ts'

/** Up to this many receivers are named in a query; with more, all transfers of the tokens are queried. */
export const MOST_RECEIVERS = 1_000

export function filterFor(chain: EvmChain, receivers: readonly Address[] | null): RangeFilter {
  const address = [...chain.tokens.keys(), ...chain.contracts.depositories]
  const events = [TRANSFER_TOPIC, DEPOSITED_TOPIC]
  if (receivers === null) return { address, topics: [events] }
  // In our Depository's event the token is where a transfer log has its receiver. It is zero for native coins.
  const named = [...new Set([chain.treasury, ...receivers, zeroAddress])]
  return { address, topics: [events, null, named.map((one) => pad(one as `0x${string}`).toLowerCase())] }
}

interface ReadBlock extends BlockWithLogs {
  /** Whether the block has every transaction, not only those of the logs. */
  isWhole: boolean
}

/**
 * Reads blocks with native transfers in full, and blocks with token deposits only with these transactions; oldest
 * first.
 */
export async function readBlocks(
  chain: EvmChain,
  node: Node,
  coins: readonly CoinBlock[],
  found: readonly Log[],
  ours: Watchlist,
): Promise<ReadBlock[]> {
  const hits = await depositLogs(chain, found, ours)
  const byNumber = Map.groupBy(hits, ({ blockNumber }) => blockNumber)
  const wholeNumbers = new Set(coins.map(({ block }) => block.number))
  const others = [...byNumber].filter(([number]) => !wholeNumbers.has(number))
  const hashes = others.map(([, logs]) => [...new Set(logs.map(({ txHash }) => txHash))])
  const [whole, headers, transactions] = await Promise.all([
    node.ask(coins.map(({ block }) => fullBlock(block.number))),
    node.ask(others.map(([number]) => header(number))),
    Promise.all(hashes.map((ofBlock) => node.ask(ofBlock.map((hash) => transaction(hash))))),
  ])
  const parts = others.map(([, logs], i): ReadBlock => {
    const transactionsOf = transactions[i]?.filter((one) => one !== null) ?? []
    return { ...standingAs(headers[i], logs[0]?.blockHash), transactions: transactionsOf, logs, isWhole: false }
  })
  const wholes = coins.map(({ block }, i): ReadBlock => {
    const read = whole[i]
    const logs = byNumber.get(block.number) ?? []
    return { ...standingAs(read, block.hash), transactions: read?.transactions ?? [], logs, isWhole: true }
  })
  const blocks = [...parts, ...wholes]
  const isStrange = ({ logs, hash, transactions }: ReadBlock) =>
    logs.some((log) => log.blockHash !== hash || transactions.every((one) => one.hash !== log.txHash))
  if (blocks.some(isStrange)) throw new RetryLater('the chain changed while it was read')
  return blocks.toSorted((a, b) => (a.number < b.number ? -1 : 1))
}

function standingAs<T extends Header>(found: T | null | undefined, hash: string | undefined): T {
  if (!found || found.hash !== hash) throw new RetryLater('the chain changed while it was read')
  return found
}

async function depositLogs(chain: EvmChain, found: readonly Log[], ours: Watchlist): Promise<Log[]> {
  const receivers = found.flatMap((log) => {
    const movement = tokenMovement(chain, log, 0) ?? nativeDeposit(chain, log, 0, zeroAddress)
    return movement ? [{ log, to: movement.to }] : []
  })
  if (receivers.length === 0) return []
  const owned = await ours.owned([...new Set(receivers.map(({ to }) => to))])
  return receivers.filter(({ to }) => owned.has(to)).map(({ log }) => log)
}
