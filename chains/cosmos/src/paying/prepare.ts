/**
 * Checks before signing: whether this order can be paid, and on which terms. It is simulated with its real recipients,
 * so a recipient that may not receive is known before anything is sent.
 */
import {
  Bug,
  FeeAboveLimit,
  mulDiv,
  type Order,
  PayoutImpossible,
  type PreparedTransfer,
  RetryLater,
  type SignedTransfer,
  TreasuryShort,
} from '@causeway/core'
import type { CosmosChain } from '../chain.ts'
import { waiting } from '../node/calls.ts'
import { classOf } from '../node/errors.ts'
import { type Node, Refusal } from '../node/node.ts'
import { account, QueryRefusal, simulate, spendable } from '../node/queries.ts'
import { headOf } from '../scanning/head.ts'
import { hashOf, readTransaction, type Transaction } from '../transaction.ts'
import { offeredPrice } from './fees.ts'
import { feeFor, mostGas } from './max-signing-cost.ts'
import { messagesOf, refuseLosing, spendingOf } from './order.ts'
import { trialOf } from './pay.ts'
import { formatPart } from './slot.ts'
import { sourcesOf } from './sweep.ts'
import { formatTerms, type Terms } from './terms.ts'

export function prepare(chain: CosmosChain, order: Order, replaces: SignedTransfer | null): Promise<PreparedTransfer> {
  const earlier = replaces ? readEarlier(chain, replaces) : null
  refuseLosing(chain, order, replaces !== null)
  return chain.rpc.use(async (node) => {
    const { settings, treasury } = chain
    const [head, own, price] = await Promise.all([
      headOf(chain, node),
      account(node, treasury, null),
      offeredPrice(chain, node),
    ])
    if (!own) throw new RetryLater(`the treasury ${treasury} has never held anything: it has no account yet`)
    if (replaces && earlier) await refuseWaiting(chain, node, replaces, earlier, own.sequence, head.height)
    const sources = order.kind === 'sweep' ? await sourcesOf(chain, node, order, earlier) : []
    const until = head.height + settings.timeoutBlocks
    const past = earlier ? earlier.timeoutHeight + 1n : 0n
    const terms: Terms = {
      accountNumber: own.number,
      sequence: own.sequence,
      gas: mostGas(settings, messagesOf(chain, order, sources).length),
      feeUnits: 0n,
      // The timeout differs from that of the replaced transaction, so that the two differ.
      timeoutHeight: until > past ? until : past,
      sources,
    }
    const gas = await gasOf(chain, node, order, terms, replaces !== null)
    const feeUnits = feeFor(gas, price)
    await refuseUncovered(chain, node, order, feeUnits)
    return formatTerms({ ...terms, gas, feeUnits })
  })
}

function readEarlier({ settings }: CosmosChain, { bytes, hash }: SignedTransfer): Transaction {
  const earlier = readTransaction(Uint8Array.from(Buffer.from(bytes, 'base64')), settings)
  if (!earlier) throw new Bug('the transfer to replace cannot be read', { hash })
  return earlier
}

/**
 * Throws if a mempool still has the earlier transaction. Mempools keep the first transaction of a sequence and reject a
 * second one, so the service waits until its timeout. One that no mempool accepted is signed again at once.
 */
async function refuseWaiting(
  { treasury, taken }: CosmosChain,
  node: Node,
  { hash }: SignedTransfer,
  { signers, timeoutHeight }: Transaction,
  next: bigint,
  head: bigint,
): Promise<void> {
  const sequence = signers.find(({ address }) => address === treasury)?.sequence
  if (sequence === undefined) throw new Bug('the transfer to replace is not of this wallet', { hash })
  if (sequence < next) throw new RetryLater('the number of the transfer is used already')
  if (sequence > next) throw new RetryLater(`it waits for the account's transaction ${next}`)
  if (head > timeoutHeight) return
  const [pool] = await node.settle([waiting()])
  const isWaiting = !(pool instanceof Refusal) && pool.some((bytes) => hashOf(bytes) === hash)
  if (isWaiting || taken.has(hash)) throw new RetryLater(`a pool holds it until block ${timeoutHeight}`)
}

/** The node's mempool may contain sequences that no block has used yet: the simulation continues from there. */
const EXPECTED = /account sequence mismatch, expected (\d{1,19}), got/
const TRIALS = 3

async function gasOf(chain: CosmosChain, node: Node, order: Order, terms: Terms, wasSent: boolean): Promise<bigint> {
  const { settings, treasury } = chain
  const parts = [{ address: treasury, sequence: terms.sequence }, ...terms.sources]
  for (let trial = 0; ; trial++) {
    try {
      const used = await simulate(node, await trialOf(chain, order, parts.map(formatPart), terms))
      const gas = mulDiv(used, 100n + settings.gasMarginPercent, 100n, 'up')
      if (gas > terms.gas) throw new FeeAboveLimit(`it takes ${gas} gas, and may take ${terms.gas}`)
      return gas
    } catch (error) {
      const [own] = parts
      const [, expected] = (error instanceof QueryRefusal && EXPECTED.exec(error.log)) || []
      if (expected === undefined || !own || trial >= TRIALS) throw judged(error, wasSent)
      own.sequence = BigInt(expected)
    }
  }
}

/** Only a rejection of the recipient is final. All others are temporary, or concern us. */
function judged(error: unknown, wasSent: boolean): unknown {
  if (!(error instanceof QueryRefusal)) return error
  if (!wasSent && classOf({ message: error.log }) === 'recipient refuses') return new PayoutImpossible(error.log)
  return new RetryLater(`it fails in a simulation: ${error.log}`)
}

async function refuseUncovered(chain: CosmosChain, node: Node, order: Order, feeUnits: bigint): Promise<void> {
  const { settings, treasury } = chain
  const needed = spendingOf(chain, order)
  needed.set(settings.denom, (needed.get(settings.denom) ?? 0n) + feeUnits)
  await Promise.all(
    [...needed].map(async ([denom, units]) => {
      const held = await spendable(node, treasury, denom)
      if (held < units) throw new TreasuryShort(`the treasury holds ${held} of ${units} ${denom}`)
    }),
  )
}
