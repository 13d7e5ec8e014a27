/**
 * Paying out: `prepare` reads what signing needs, `nextSlot` picks a nonce, `sign` makes the bytes without asking
 * anybody, `broadcast` sends them and `status` says what became of them. A slot is one nonce of the treasury.
 */
import {
  type Address,
  Bug,
  type Draft,
  type Network,
  type Order,
  RetryLater,
  type SignedTransfer,
  type Signer,
  type Slot,
  type TransferStatus,
  type TxHash,
  Unpayable,
} from '@causeway/core'
import { addressOf, isUnpayable } from './address.ts'
import { replacementFee } from './blockchain.ts'
import type { LandedAt, SimulatedNode } from './node.ts'
import { depositKey, TREASURY_KEY } from './settings.ts'
import { decode, digestOf, encode, hashOf, type Move, seal, type Transaction } from './transaction.ts'

export interface Paying {
  network: Network
  node: SimulatedNode
  signer: Signer
  treasury: Address
}

/** What the chain was asked for beforehand; whom a transfer pays and how much stands in the order alone. */
interface Terms {
  fee: bigint
  /** What to take from each source of a sweep; empty for transfers. */
  takings: readonly bigint[]
}

export async function prepare(paying: Paying, order: Order, replaces: SignedTransfer | null): Promise<Draft> {
  refuseForeign(paying, order)
  const earlier = replaces ? decode(replaces.bytes) : null
  if (replaces && !earlier) throw new Bug('the transfer to replace cannot be read', { hash: replaces.hash })
  // Only the account's next one can be hastened: paying more for those behind it buys nothing.
  const next = earlier ? await paying.node.nonce(paying.treasury) : 0n
  if (earlier && earlier.nonce > next) throw new RetryLater(`it waits for the account's transaction ${next}`)
  const takings = order.kind === 'sweep' ? await takingsOf(paying, order, earlier) : []
  const moves = movesOf(order, takings)
  if (moves.length === 0) throw new RetryLater('there is nothing to sweep')
  const today = (await paying.node.fee()) * BigInt(moves.length)
  const displacing = earlier ? replacementFee(earlier.fee) : 0n
  const fee = today > displacing ? today : displacing
  await refuseUnpayable(paying, moves, earlier !== null)
  await refuseUncovered(paying, moves, fee)
  return writeDraft({ fee, takings })
}

/** The lowest nonce from the chain's next one on that is not handed out: one that was given back must not leave a gap. */
export async function nextSlot({ node, treasury }: Paying, taken: readonly Slot[]): Promise<Slot> {
  const used = new Set(taken.map(nonceOf))
  let nonce = await node.nonce(treasury)
  while (used.has(nonce)) nonce++
  return [nonce.toString()]
}

export async function sign(paying: Paying, order: Order, slot: Slot, draft: Draft): Promise<SignedTransfer> {
  const { network, signer, treasury } = paying
  const { fee, takings } = readDraft(draft)
  const transaction: Transaction = {
    network: network.name,
    account: treasury,
    nonce: nonceOf(slot),
    fee,
    memo: null,
    moves: movesOf(order, takings),
  }
  const keys = [TREASURY_KEY, ...(order.kind === 'sweep' ? order.sources.map(({ index }) => depositKey(index)) : [])]
  const seals = []
  for (const key of keys) {
    const signature = await signer.sign(key, digestOf(transaction), { network: network.name, order, slot, draft })
    seals.push(seal(await signer.publicKey(key), signature))
  }
  return { hash: hashOf(transaction), bytes: encode(transaction, seals) }
}

export async function broadcast({ node }: Paying, signed: SignedTransfer): Promise<void> {
  const answer = await node.send(signed.bytes)
  // A used slot may be used by these very bytes: it is no news and no proof, and `status` will tell.
  if (answer === 'accepted' || answer === 'known' || answer === 'slot used') return
  if (answer === 'malformed' || answer === 'unauthorised')
    throw new Bug(`a transfer was ${answer}`, { hash: signed.hash })
  throw new RetryLater(`the node refused the transfer for now: ${answer}`)
}

export async function status(
  { network, node }: Paying,
  transfer: { hash: TxHash; slot: Slot; account: Address },
): Promise<TransferStatus> {
  const user = await node.slotUse(transfer.account, nonceOf(transfer.slot))
  if (user?.transaction.hash === transfer.hash) return landedStatus(user)
  // The one proof of death: another transaction holds the slot, in a block that is final.
  if (user && user.confirmations >= network.finalDepth) return { state: 'dead' }
  const found = await node.transaction(transfer.hash)
  if (!found) return { state: 'unknown' }
  return 'pending' in found ? { state: 'pending' } : landedStatus(found)
}

function landedStatus({ transaction, reverted, block, confirmations }: LandedAt): TransferStatus {
  return { state: reverted ? 'reverted' : 'included', block, confirmations, feeUnits: transaction.fee }
}

function movesOf(order: Order, takings: readonly bigint[]): Move[] {
  const { account } = order
  if (order.kind === 'transfers') {
    return order.transfers.map(({ to, amount: { token, units } }) => {
      if (units <= 0n) throw new Bug('a transfer of nothing', { to, units })
      return { from: account, to, contract: token.contract, units }
    })
  }
  const { contract } = order.token
  return order.sources
    .map(({ address }, position) => ({ from: address, to: account, contract, units: takings[position] ?? 0n }))
    .filter(({ units }) => units > 0n)
}

/** All that stands on each address now, or what an earlier attempt takes. What comes later is left for another sweep. */
async function takingsOf(
  { node, signer }: Paying,
  { sources, token }: Extract<Order, { kind: 'sweep' }>,
  earlier: Transaction | null,
): Promise<bigint[]> {
  const takings: bigint[] = []
  for (const { address, index } of sources) {
    const derived = addressOf(await signer.publicKey(depositKey(index)))
    if (derived !== address) throw new Bug('a deposit address is not the one of its index', { address, index })
    const taken = earlier?.moves.find(({ from }) => from === address)?.units ?? 0n
    takings.push(earlier ? taken : await node.balance(address, token.contract))
  }
  return takings
}

function refuseForeign({ network, treasury }: Paying, order: Order): void {
  if (order.account !== treasury) throw new Bug('the account is not the treasury', { account: order.account })
  const tokens = order.kind === 'sweep' ? [order.token] : order.transfers.map(({ amount }) => amount.token)
  const foreign = tokens.find((token) => token.network !== network.name)
  if (foreign) throw new Bug('a token of another network', { token: foreign.symbol, network: foreign.network })
}

/** "Unpayable" is proof that nothing was sent, which nobody has while an earlier attempt may land. */
async function refuseUnpayable({ network, node }: Paying, moves: readonly Move[], sentBefore: boolean): Promise<void> {
  const [blocked] = await node.blocked(moves.flatMap(({ from, to }) => [from, to]))
  const lost = moves.find(({ to }) => isUnpayable(network, to))?.to
  const refused = blocked ?? lost
  if (refused === undefined) return
  if (sentBefore) throw new RetryLater(`${refused} cannot be paid now`)
  throw new Unpayable(`${refused} cannot be paid`)
}

async function refuseUncovered({ node, treasury }: Paying, moves: readonly Move[], fee: bigint): Promise<void> {
  const needed = new Map<string | null, bigint>([[null, fee]])
  for (const { from, contract, units } of moves) {
    if (from === treasury) needed.set(contract, (needed.get(contract) ?? 0n) + units)
  }
  for (const [contract, units] of needed) {
    const held = await node.balance(treasury, contract)
    if (held < units) throw new RetryLater(`the treasury holds ${held} of ${units} ${contract ?? 'native'}`)
  }
}

function nonceOf(slot: Slot): bigint {
  const [nonce, ...rest] = slot
  if (nonce === undefined || rest.length > 0 || !/^\d+$/.test(nonce)) throw new Bug('not a slot', { slot })
  return BigInt(nonce)
}

function writeDraft({ fee, takings }: Terms): Draft {
  return [fee, ...takings].join(' ')
}

function readDraft(draft: Draft): Terms {
  const [fee, ...takings] = draft.split(' ').map(BigInt)
  if (fee === undefined) throw new Bug('not a draft', { draft })
  return { fee, takings }
}
