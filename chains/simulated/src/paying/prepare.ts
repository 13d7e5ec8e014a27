/** Checks before signing: whether this order can be paid, and at which fee. */
import {
  Bug,
  FeeAboveLimit,
  type Order,
  PayoutImpossible,
  type PreparedTransfer,
  RetryLater,
  type SignedTransfer,
  TreasuryShort,
} from '@causeway/core'
import { addressOf, isUnpayable } from '../address.ts'
import type { OpenChain } from '../chain.ts'
import { readSettings } from '../settings.ts'
import { decode, type Move, type Transaction } from '../transaction.ts'
import { replacementFee } from './fees.ts'
import { movesOf, refuseForeign } from './order.ts'
import { formatTerms } from './terms.ts'
import { depositKey } from './treasury.ts'

export async function prepare(
  chain: OpenChain,
  order: Order,
  replaces: SignedTransfer | null,
): Promise<PreparedTransfer> {
  refuseForeign(chain, order)
  const earlier = replaces ? decode(replaces.bytes) : null
  if (replaces && !earlier) throw new Bug('the transfer to replace cannot be read', { hash: replaces.hash })
  // Only the account's next transaction can be accelerated: a higher fee for later ones has no effect.
  const next = earlier ? await chain.node.nonce(chain.treasury) : 0n
  if (earlier && earlier.nonce > next) throw new RetryLater(`it waits for the account's transaction ${next}`)
  const takings = order.kind === 'sweep' ? await takingsOf(chain, order, earlier) : []
  const moves = movesOf(order, takings)
  if (moves.length === 0 && order.kind === 'sweep') throw new RetryLater('there is nothing to sweep')
  // A transaction without moves still needs space in a block, so it pays for one move.
  const today = (await chain.node.fee()) * BigInt(Math.max(1, moves.length))
  const displacing = earlier ? replacementFee(earlier.fee) : 0n
  const fee = today > displacing ? today : displacing
  const most = readSettings(chain.network).maxFeePerMove * BigInt(Math.max(1, moves.length))
  if (fee > most) throw new FeeAboveLimit(`a move costs ${fee} now, above the ceiling of ${most}`)
  await refuseUnpayable(chain, moves, earlier !== null)
  await refuseUncovered(chain, moves, fee)
  return formatTerms({ fee, takings })
}

/**
 * The amount to take from each address: its whole balance now, or the amounts of an earlier attempt. Later deposits
 * wait for the next sweep.
 */
async function takingsOf(
  { node, signer }: OpenChain,
  { sources, token }: Extract<Order, { kind: 'sweep' }>,
  earlier: Transaction | null,
): Promise<bigint[]> {
  const takings: bigint[] = []
  for (const { address, index, branch } of sources) {
    const derived = addressOf(await signer.publicKey(depositKey(index, branch)))
    if (derived !== address) throw new Bug('a deposit address is not the one of its index', { address, index })
    const taken = earlier?.moves.find(({ from }) => from === address)?.units ?? 0n
    takings.push(earlier ? taken : await node.balance(address, token.contract))
  }
  return takings
}

/**
 * Throws `PayoutImpossible` if the order cannot be paid. It proves that nothing was sent, so it is not thrown while an
 * earlier attempt may be mined.
 */
async function refuseUnpayable(
  { network, node }: OpenChain,
  moves: readonly Move[],
  sentBefore: boolean,
): Promise<void> {
  const [blocked] = await node.blocked(moves.flatMap(({ from, to }) => [from, to]))
  const lost = moves.find(({ to }) => isUnpayable(network, to))?.to
  const refused = blocked ?? lost
  if (refused === undefined) return
  if (sentBefore) throw new RetryLater(`${refused} cannot be paid now`)
  throw new PayoutImpossible(`${refused} cannot be paid`)
}

async function refuseUncovered({ node, treasury }: OpenChain, moves: readonly Move[], fee: bigint): Promise<void> {
  const needed = new Map<string | null, bigint>([[null, fee]])
  for (const { from, contract, units } of moves) {
    if (from === treasury) needed.set(contract, (needed.get(contract) ?? 0n) + units)
  }
  for (const [contract, units] of needed) {
    const held = await node.balance(treasury, contract)
    if (held < units) throw new TreasuryShort(`the treasury holds ${held} of ${units} ${contract ?? 'native'}`)
  }
}
