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
import type { Hex } from 'viem'
import { canonical } from '../../address.ts'
import type { EvmChain } from '../../chain.ts'
import { addressOfSalt, factoryAddress, SWEPT_TOPIC } from '../../depositing/forwarder.ts'
import { type Block, fullBlock, header, logs, nativeBalance, receipt } from '../../node/calls.ts'
import { confirmationsOf } from '../../node/finality.ts'
import { statesOf } from '../../node/historical-state.ts'
import { type Node, Refusal } from '../../node/node.ts'

const PLACE = /^(0x[0-9a-f]{40})@(0|[1-9]\d{0,17})$/i

/** The key of such a deposit: its address and its block. */
function placeOf(address: Address, number: bigint): TxHash {
  return `${address.toLowerCase()}@${number}`
}

export function isPlace(txHash: TxHash): boolean {
  return PLACE.test(txHash)
}

/** Internal transfers in a block to the deposit addresses whose balance grew there (`grown`). */
export async function innerSightings(
  chain: EvmChain,
  node: Node,
  block: Block,
  grown: ReadonlyMap<Address, bigint>,
): Promise<Sighting[]> {
  const addresses = [...grown.keys()].filter((address) => address !== chain.treasury)
  if (addresses.length === 0) return []
  const [explained, swept] = await Promise.all([
    explainedIn(node, block, new Set(addresses.map((address) => address.toLowerCase()))),
    sweptIn(chain, node, block.hash),
  ])
  return addresses.flatMap((address) => {
    const units = (grown.get(address) ?? 0n) - (explained.get(address.toLowerCase()) ?? 0n) + (swept.get(address) ?? 0n)
    return units > 0n ? [sightingOf(chain, address, block, units)] : []
  })
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
  const [before, after] = await node.settle([
    nativeBalance(address, { hash: parent.hash }),
    nativeBalance(address, { hash: block.hash }),
  ])
  const { byHash } = await statesOf(node)
  if (before instanceof Refusal || after instanceof Refusal || !byHash)
    throw new RetryLater(
      'no node has the state of the block of a deposit: it is proven by a node that keeps more of them',
    )
  const sightings = await innerSightings(chain, node, block, new Map([[address, after - before]]))
  if (sightings.length === 0) return { state: 'unknown' }
  const ref = { number, hash: block.hash }
  const confirmations = await confirmationsOf(chain, node, head.number, ref)
  return { state: 'included', block: ref, confirmations, sightings }
}
