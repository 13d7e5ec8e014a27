/**
 * Coins that a contract sent to a deposit address by an internal call. No transaction shows them; the address only
 * holds more after a block than its transactions explain. Such a deposit is identified by its address and block, so all
 * scans report the same one. It is credited when that block is final.
 */
import {
  type Address,
  type BlockRef,
  type Inspection,
  RetryLater,
  type Sighting,
  type TxHash,
  type Watchlist,
} from '@causeway/core'
import { canonical } from '../../address.ts'
import type { EvmChain } from '../../chain.ts'
import { type Block, code, fullBlock, header, nativeBalance, receipt } from '../../node/calls.ts'
import { confirmationsOf } from '../../node/finality.ts'
import { statesOf } from '../../node/historical-state.ts'
import type { Node } from '../../node/node.ts'
import { isContract } from '../transfers.ts'
import { callsBy, callsByAny, outflowsIn, type ReadCalls } from './outflows.ts'

const PLACE = /^(0x[0-9a-f]{40})@(0|[1-9]\d{0,17})$/i

/** The key of such a deposit: its address and its block. */
function placeOf(address: Address, number: bigint): TxHash {
  return `${address.toLowerCase()}@${number}`
}

export function isPlace(txHash: TxHash): boolean {
  return PLACE.test(txHash)
}

/** Internal transfers in a block to deposit addresses. `grown`: by how much their balances and the treasury's grew. */
export async function innerSightings(
  chain: EvmChain,
  node: Node,
  block: Block,
  grown: ReadonlyMap<Address, bigint>,
): Promise<Sighting[]> {
  const found = await innerTransfers(chain, node, block, grown, callsByAny(chain))
  if (found.unexplained > 0n) await alertUnseen(chain, node, block, [...grown.keys()], found.unexplained)
  return found.sightings
}

interface InnerTransfers {
  sightings: Sighting[]
  /** Units that the treasury gained by calls that no node traced. They may have come through any deposit address. */
  unexplained: bigint
}

async function innerTransfers(
  chain: EvmChain,
  node: Node,
  block: Block,
  grown: ReadonlyMap<Address, bigint>,
  callsIn: ReadCalls,
): Promise<InnerTransfers> {
  const addresses = [...grown.keys()].filter((address) => address !== chain.treasury)
  if (addresses.length === 0) return { sightings: [], unexplained: 0n }
  const [explained, { left, unexplained }] = await Promise.all([
    explainedIn(node, block, new Set(addresses.map((address) => address.toLowerCase()))),
    outflowsIn(chain, node, block, grown.get(chain.treasury) ?? 0n, callsIn),
  ])
  const sightings = addresses.flatMap((address) => {
    const units = (grown.get(address) ?? 0n) - (explained.get(address.toLowerCase()) ?? 0n) + (left.get(address) ?? 0n)
    return units > 0n ? [sightingOf(chain, address, block, units)] : []
  })
  return { sightings, unexplained }
}

/** An operator must find the deposits: coins went through one of these addresses, or from a contract to the treasury. */
async function alertUnseen(
  { network, log }: EvmChain,
  node: Node,
  { number, transactions }: Block,
  addresses: readonly Address[],
  units: bigint,
): Promise<void> {
  const isNamed = (address: Address) => {
    const own = address.toLowerCase()
    return transactions.some(({ to, input }) => to === own || input.includes(own.slice(2)))
  }
  const perhaps = await deployedAmong(node, addresses.filter(isNamed))
  if (perhaps.length === 0) return
  const places = perhaps.map((address) => placeOf(address, number))
  const fields = { network: network.name, block: number, units, places }
  log.error(fields, 'a deposit may be missing: no node traces the calls of a block')
}

/** Only an address with code can be emptied without our key. */
async function deployedAmong(node: Node, addresses: readonly Address[]): Promise<Address[]> {
  const codes = await node.ask(addresses.map((address) => code(address)))
  return addresses.filter((_, position) => isContract(codes[position] ?? '0x'))
}

/** Coins that the block's own transactions brought to these addresses. */
async function explainedIn(node: Node, block: Block, wanted: ReadonlySet<string>): Promise<Map<string, bigint>> {
  const carrying = block.transactions.filter(({ to, value }) => to !== null && value > 0n && wanted.has(to))
  const receipts = await node.ask(carrying.map(({ hash }) => receipt(hash)))
  const explained = new Map<string, bigint>()
  for (const [i, { to, value }] of carrying.entries()) {
    const proof = receipts[i]
    if (proof?.block.hash !== block.hash) throw new RetryLater('the chain changed while it was read')
    if (proof.success && to) explained.set(to, (explained.get(to) ?? 0n) + value)
  }
  return explained
}

function sightingOf({ network }: EvmChain, address: Address, { number, hash }: BlockRef, units: bigint): Sighting {
  return {
    txHash: placeOf(address, number),
    index: 0,
    block: { number, hash },
    // The payer is unknown: a refund goes only to the swap's refund address.
    refundableSender: null,
    fundingAddresses: [],
    to: address,
    amount: { token: network.nativeToken, units },
    reference: null,
    requiresFinality: true,
  }
}

/** Re-reads a deposit by internal call: the same sum, from the block that is now at its height. */
export async function inspectPlace(chain: EvmChain, node: Node, txHash: TxHash, ours: Watchlist): Promise<Inspection> {
  const [, at = '', height = '0'] = PLACE.exec(txHash) ?? []
  const address = canonical(at)
  const number = BigInt(height)
  // Any caller may ask about any address, so foreign ones are refused.
  if (number === 0n || !(await ours.owned([address])).has(address)) return { state: 'unknown' }
  const [head, block, parent] = await node.ask([header('latest'), fullBlock(number), header(number - 1n)])
  if (!head || !block || !parent) throw new RetryLater('the node does not have the block of a deposit')
  if (block.parentHash !== parent.hash) throw new RetryLater('the chain changed while it was read')
  const accounts = [address, chain.treasury]
  const [before, after] = await Promise.all(
    [parent, block].map(({ hash }) => node.settle(accounts.map((account) => nativeBalance(account, { hash })))),
  )
  const { byHash } = await statesOf(node)
  const grown = new Map<Address, bigint>()
  for (const [position, account] of accounts.entries()) {
    const [then, now] = [before?.[position], after?.[position]]
    if (typeof then !== 'bigint' || typeof now !== 'bigint' || !byHash)
      throw new RetryLater(
        'no node has the state of the block of a deposit: it is proven by a node that keeps more of them',
      )
    grown.set(account, now - then)
  }
  const callsIn = (chain.network.quorum ?? 1) > 1 ? callsBy(node) : callsByAny(chain)
  const { sightings, unexplained } = await innerTransfers(chain, node, block, grown, callsIn)
  if (sightings.length === 0) {
    if (unexplained > 0n && (await deployedAmong(node, [address])).length > 0)
      throw new RetryLater('no node traces the calls of the block of a deposit: it is proven by a node that does')
    return { state: 'unknown' }
  }
  const ref = { number, hash: block.hash }
  const confirmations = await confirmationsOf(chain, node, head.number, ref)
  return { state: 'included', block: ref, confirmations, sightings }
}
