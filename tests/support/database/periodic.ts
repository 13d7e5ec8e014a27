/** The recurring queries of a running service, by name: each must cost the same after years. */
import { tokenKey } from '@causeway/core'
import { readRules } from '../../../server/src/market/safeguards.ts'
import { claimDelivery, dueEndpoints } from '../../../server/src/store/apps/webhook-queue.ts'
import { countGivenUp, forgetDeliveries } from '../../../server/src/store/apps/webhooks.ts'
import type { Database } from '../../../server/src/store/db/database.ts'
import {
  findDue,
  hasLateDeposit,
  lostDeposits,
  orphanedDeposits,
  unfinalDeposits,
} from '../../../server/src/store/deposits/deposits.ts'
import { arrivedFunding } from '../../../server/src/store/deposits/funding.ts'
import {
  changeBlocksFrom,
  finalise,
  findLooks,
  findUnanswered,
  hasReverifying,
  readSubjects,
  swapsOf,
} from '../../../server/src/store/deposits/observations.ts'
import { findUnswept } from '../../../server/src/store/deposits/sweeps.ts'
import { listUnmatched } from '../../../server/src/store/deposits/unmatched.ts'
import {
  ledgerUnits,
  nextHolders,
  provePostings,
  receiptsSince,
  setLooked,
  unitsAt,
} from '../../../server/src/store/ledger/balances.ts'
import { unsettledUnits } from '../../../server/src/store/ledger/ledger.ts'
import { outflowWithin } from '../../../server/src/store/limits/safeguards.ts'
import { readReadings } from '../../../server/src/store/market/market-snapshots.ts'
import { openRequests } from '../../../server/src/store/operators/requests.ts'
import { heldForOutflow, takeDueHeld } from '../../../server/src/store/payouts/held-payouts.ts'
import { reservedByToken, reservedSince } from '../../../server/src/store/payouts/liquidity-reservations.ts'
import {
  forgottenPayouts,
  leavingSince,
  openToRecipients,
  waitingBeside,
} from '../../../server/src/store/payouts/payouts.ts'
import { openSlots } from '../../../server/src/store/payouts/slot-records.ts'
import { takenSlots } from '../../../server/src/store/payouts/slots.ts'
import { countOpenRewardPayouts, dueRewards } from '../../../server/src/store/rewards/rewards.ts'
import { forgetKeys } from '../../../server/src/store/swaps/idempotency.ts'
import { motionSince, profitSince } from '../../../server/src/store/swaps/profit-and-loss.ts'
import { completionTimes } from '../../../server/src/store/swaps/swap-read.ts'
import { claimDueSwaps, type PayoutRow } from '../../../server/src/store/swaps/swaps.ts'
import { addressesInTurn, expectedAddresses, expectingAddresses } from '../../../server/src/store/watch/addresses.ts'
import { lastSlot, openTransfers } from '../../../server/src/store/watch/balance-snapshots.ts'
import { hasPendingWork } from '../../../server/src/store/watch/pending-work.ts'
import { forgetUtxos, unspentUtxos, utxosAmong } from '../../../server/src/store/watch/utxos.ts'
import type { Hand } from '../service/manual-driver.ts'

const HOUR_MS = 3_600_000
const BATCH = 200

/**
 * `books`: the network of the ledger queries; `from` and `to`: the route of deposits and payouts; `quiet`: a network
 * without swaps.
 */
export function periodicQueries(
  hand: Hand,
  books: Database,
  { from, to, quiet }: { from: string; to: string; quiet: string },
): Record<string, () => Promise<unknown>> {
  const { catalogue, chains, now } = hand.services
  const chain = chains.get(to)
  const usdcOf = (network: string) => chains.get(network)?.network.tokens.find(({ contract }) => contract !== null)
  const [usdc, source, rare] = [usdcOf(to), usdcOf(from), usdcOf(quiet)]
  if (!chain || !usdc || !source || !rare) throw new Error('a network is missing')
  const { treasury } = chain
  const payer = { network: to, account: treasury, id: crypto.randomUUID() } as PayoutRow
  const collector = chains.get(from)?.treasury ?? ''
  const heads = { from: BigInt(hand.chain(from).height), to: BigInt(hand.chain(to).height) }
  const since = (ms: number) => new Date(now().getTime() - ms)
  const weights = new Map([[tokenKey(source), 1n]])
  const campaign = { campaign: 'none', period: 1, leastUnits: 1n, limit: 20 }
  return {
    'a network that nobody waits for': () => hasPendingWork(books, quiet),
    'a network that somebody waits for': () => hasPendingWork(books, from),
    'addresses that coins may come to': () => expectingAddresses(books, from, now()),
    'what was asked of the chains': () => readReadings(books),
    'rules before a payout': () => readRules(books, catalogue, now()),
    'outflow of an hour': () => outflowWithin(books, 1),
    'payouts that wait for the outflow limit': () => heldForOutflow(books, [to]),
    'proof of a slice of postings': async () => {
      await books.updateTable('ledger_proof').set({ proven_to: 0n }).execute()
      await provePostings(books)
    },
    'a wallet’s balance in the books': () => ledgerUnits(books, treasury, usdc),
    'a wallet’s balance at a block': () => unitsAt(books, treasury, usdc, heads.to - 10n),
    'a collecting wallet’s balance at a block': () => unitsAt(books, collector, source, heads.from - 10n),
    'the same, with what was seen long before': () =>
      unitsAt(books, collector, source, heads.from - 10n, heads.from - 16n),
    'what came since a block': async () => {
      await setLooked(books, source, collector, heads.from - 10n)
      await receiptsSince(books, source, collector, null)
    },
    'what may be on its way': () => unsettledUnits(books, usdc, treasury, null),
    'what may be on its way, with fees': () => unsettledUnits(books, usdc, treasury, 1n),
    'what may be on its way to a collecting wallet': () => unsettledUnits(books, source, collector, null),
    'transfers that are not settled': () => openTransfers(books, to, treasury, 2n ** 62n),
    'the last slot': () => lastSlot(books),
    'addresses to be compared': () => nextHolders(books, source, collector, 100),
    'addresses worth a sweep': () =>
      findUnswept(books, source, { account: collector, floor: 1_000n, limit: 50, after: null }),
    'coins that can be spent': () => unspentUtxos(books, to, [treasury]),
    'coins that a block spends': () => utxosAmong(books, to, ['none:0']),
    'coins to be forgotten': () => forgetUtxos(books, to, 1n),
    'addresses that somebody may be paying to': () => expectedAddresses(books, from, now()),
    'addresses whose turn it is': () => addressesInTurn(books, from, now()),
    'addresses worth a sweep, where dust is': () =>
      findUnswept(books, source, { account: 'treasury', floor: 1n, limit: 50, after: null }),
    'slots to be judged': () => openSlots(books, to, { finalBelow: heads.to - 6n, replacedFrom: null, limit: BATCH }),
    'slots that are taken': () => takenSlots(books, to, treasury),
    'slots that are taken, a quiet network': () => takenSlots(books, quiet, treasury),
    'deposits that are deep enough': () => findDue(books, from, heads.from, weights, BATCH),
    'deposits that are not final': () => unfinalDeposits(books, from, heads.from - 6n),
    'deposits in blocks that were replaced': () =>
      changeBlocksFrom(books, from, heads.from - 2n, 'orphaned', { generation: 1n, head: heads.from }),
    'deposits to be verified again': () => findLooks(books, from, 'reverify', BATCH),
    'deposits that no node has found': () => findUnanswered(books, from, heads.from - 6n),
    'deposits that no node can find': () => findLooks(books, from, 'unlocatable', 20),
    'whether any is to be verified again': () => hasReverifying(books, from),
    'deposits in the mempool': () => findLooks(books, from, 'mempool', BATCH),
    'deposits that are orphaned': () => findLooks(books, from, 'orphaned', BATCH),
    'deposits that were lost': () => findLooks(books, from, 'lost', 20),
    'all of a transaction': () => readSubjects(books, from, ['none'], ['none']),
    'swaps of a transaction': () => swapsOf(books, from, ['none']),
    'whether a deposit was late': () => hasLateDeposit(books, from, 'none'),
    'deposits that were lost, of an address': () => lostDeposits(books, rare, collector, BATCH + 1),
    'deposits that are orphaned, of an address': () => orphanedDeposits(books, rare, collector, BATCH + 1),
    'deposits that become final': () =>
      finalise(books, from, { finalTo: heads.from - 6n, lookedUpTo: heads.from - 12n }),
    'deposits that name no swap': () => listUnmatched(books, BATCH / 2),
    'swaps that time decides about': () => claimDueSwaps(books, { now: since(HOUR_MS), nextAt: now(), limit: 100 }),
    'payouts that were forgotten': () => forgottenPayouts(books, since(30_000), BATCH),
    'payouts on their way to a recipient': () =>
      openToRecipients(books, { network: to, token: 'native' }, [collector, treasury]),
    'payouts that are held and due': () => takeDueHeld(books, { now: now(), nextAt: now(), limit: BATCH }),
    'payouts that share a transfer': () => waitingBeside(books, payer, 24),
    'what leaves a wallet': () => leavingSince(books, source, payer.account, since(60_000)),
    'what is promised of a token': () => reservedSince(books, usdc, since(60_000)),
    'what is promised on a network': () => reservedByToken(books, to, since(60_000)),
    'what is promised on a quiet network': () => reservedByToken(books, quiet, since(60_000)),
    'how long swaps take': () => completionTimes(books, 1_000),
    'rewards that are due': () => dueRewards(books, campaign),
    'rewards on their way': () => countOpenRewardPayouts(books, campaign.campaign),
    'endpoints whose webhooks are due': () => dueEndpoints(books, now()),
    'the next webhook of an endpoint': () => claimDelivery(books, crypto.randomUUID(), { now: now(), until: now() }),
    'webhooks to be forgotten': () => forgetDeliveries(books, since(30 * 24 * HOUR_MS), 1_000),
    'webhooks given up today': () => countGivenUp(books, since(24 * HOUR_MS)),
    'funding that has arrived': () => arrivedFunding(books),
    'requests of people': () => openRequests(books, since(24 * HOUR_MS), BATCH),
    'what an hour earned and spent': () => profitSince(books, since(HOUR_MS)),
    'what was paid in an hour': () => motionSince(books, since(HOUR_MS)),
    'keys to be forgotten': () => forgetKeys(books, since(24 * HOUR_MS)),
  }
}
