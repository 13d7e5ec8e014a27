/**
 * Coins that left deposit addresses in a block. Anyone may empty such an address into the treasury: through the factory,
 * whose event names it, or by its own `flush`, which emits nothing. If the treasury gained more than events and
 * transactions explain, the node's traces show which address the coins came from.
 */
import { type Address, RetryLater } from '@causeway/core'
import { type Hex, zeroAddress } from 'viem'
import { canonical } from '../../address.ts'
import type { EvmChain } from '../../chain.ts'
import { DEPOSITED_TOPIC } from '../../depositing/depository.ts'
import { addressOfSalt, factoryAddress, SWEPT_TOPIC } from '../../depositing/forwarder.ts'
import { type Block, type CoinCall, coinCalls, logs, receipt } from '../../node/calls.ts'
import { type Node, Refusal } from '../../node/node.ts'
import { nativeDeposit } from '../transfers.ts'

interface Outflows {
  /** The units that left each address for the treasury. */
  left: ReadonlyMap<Address, bigint>
  /** The units that the treasury gained by internal calls that no node traced. */
  unexplained: bigint
}

/** The calls of a block with coins; null if no node traces them. */
export type ReadCalls = (blockHash: string) => Promise<CoinCall[] | null>

/** From the first node that has them. */
export function callsByAny({ rpc }: EvmChain): ReadCalls {
  return (blockHash) =>
    rpc
      .use(async (node) => (await node.ask([coinCalls(blockHash)]))[0])
      .catch((error: unknown) => {
        if (error instanceof RetryLater) return null
        throw error
      })
}

/** From this node only: each node of a quorum answers for itself. */
export function callsBy(node: Node): ReadCalls {
  return async (blockHash) => {
    const [calls] = await node.settle([coinCalls(blockHash)])
    return calls instanceof Refusal ? null : calls
  }
}

/** `gained`: the change of the treasury's balance over the block. */
export async function outflowsIn(
  chain: EvmChain,
  node: Node,
  block: Block,
  gained: bigint,
  callsIn: ReadCalls,
): Promise<Outflows> {
  const [swept, moved] = await Promise.all([sweptIn(chain, node, block.hash), movedByTransactions(chain, node, block)])
  const gainedInside = gained - moved - sum(swept.values())
  // The usual case: nothing came by an internal call, so events and transactions are all there is.
  if (gainedInside <= 0n) return { left: swept, unexplained: 0n }
  const unexplained = gainedInside - (await depositedIn(chain, node, block.hash))
  if (unexplained <= 0n) return { left: swept, unexplained: 0n }
  const calls = await callsIn(block.hash)
  return calls === null ? { left: swept, unexplained } : { left: leftBy(chain, calls), unexplained: 0n }
}

/** The change of the treasury's balance by the block's own transactions, less the fees that it paid. */
async function movedByTransactions({ treasury }: EvmChain, node: Node, block: Block): Promise<bigint> {
  const own = treasury.toLowerCase()
  const concerned = block.transactions.filter(({ from, to, value }) => from === own || (to === own && value > 0n))
  const receipts = await node.ask(concerned.map(({ hash }) => receipt(hash)))
  return sum(
    concerned.map(({ from, to, value }, position) => {
      const proof = receipts[position]
      if (proof?.block.hash !== block.hash) throw new RetryLater('the chain changed while it was read')
      const moved = proof.success ? value : 0n
      return (to === own ? moved : 0n) - (from === own ? moved + proof.feeUnits : 0n)
    }),
  )
}

/** The amounts swept from deposit addresses in the block, of any branch: anyone may call the sweep. */
async function sweptIn(chain: EvmChain, node: Node, blockHash: string): Promise<Map<Address, bigint>> {
  const factory = factoryAddress(chain.treasury)
  const coins = `0x${'0'.repeat(64)}`
  const [found] = await node.ask([logs({ blockHash, address: [factory], topics: [SWEPT_TOPIC, null, coins] })])
  const swept = new Map<Address, bigint>()
  for (const {
    topics: [, salt],
    data,
  } of found) {
    if (salt === undefined) continue
    const address = addressOfSalt(factory, salt as Hex)
    swept.set(address, (swept.get(address) ?? 0n) + BigInt(data))
  }
  return swept
}

/** Coins that our Depository passed on to the treasury. */
async function depositedIn(chain: EvmChain, node: Node, blockHash: string): Promise<bigint> {
  const address = [...chain.contracts.depositories]
  if (address.length === 0) return 0n
  const [found] = await node.ask([logs({ blockHash, address, topics: [DEPOSITED_TOPIC] })])
  const deposits = found.flatMap((log) => nativeDeposit(chain, log, 0, zeroAddress) ?? [])
  return sum(deposits.map(({ to, units }) => (to === chain.treasury ? units : 0n)))
}

function leftBy({ treasury }: EvmChain, calls: readonly CoinCall[]): Map<Address, bigint> {
  const left = new Map<Address, bigint>()
  for (const { from, to, value } of calls) {
    if (to !== treasury.toLowerCase()) continue
    const address = canonical(from)
    left.set(address, (left.get(address) ?? 0n) + value)
  }
  return left
}

function sum(values: Iterable<bigint>): bigint {
  let total = 0n
  for (const value of values) total += value
  return total
}
