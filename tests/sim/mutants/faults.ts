/**
 * Mutants: deliberate one-line faults in the code that decides about money. The simulator, or the test that the fault
 * names, must find each; one that survives shows a gap in the checks.
 */

import type { Fault } from './fault.ts'
import { FENCE_FAULTS } from './fence-faults.ts'
import { FINDING_FAULTS } from './finding-faults.ts'
import { LEG_FAULTS } from './leg-faults.ts'

const QUOTE = 'core/src/swap/quote.ts'
const TERMS = 'core/src/swap/terms.ts'
const SETTLE = 'core/src/swap/settle.ts'
const REFUND = 'core/src/swap/refund.ts'
const PAYOUT = 'core/src/swap/payout.ts'
const JUDGE = 'core/src/deposit/judge.ts'
const GATE = 'server/src/flow/checks/gate.ts'
const GATE_TABLE = 'core/src/payout/gate.ts'
const MACHINE = 'core/src/payout/next-step.ts'
const LAND = 'server/src/flow/landing/land.ts'
const DEPTH = 'server/src/flow/deposits/required-confirmations.ts'

const IN_RUNS: readonly Fault[] = [
  {
    name: 'every quote pays 5 % too much',
    file: QUOTE,
    find: 'const receiveUnits = roundToTransferable(convert(pricing, left), pricing.destination)',
    replace: 'const receiveUnits = (convert(pricing, left) * 105n) / 100n',
  },
  {
    name: 'nothing is refunded: what is left of a deposit is kept',
    file: REFUND,
    find: '  if (fee === null) return\n  if (unspent(deposit) <= fee || ',
    replace:
      '  if (fee === null) return\n  if (fee >= 0n) return keep(step, deposit, context)\n  if (unspent(deposit) <= fee || ',
  },
  {
    name: 'N4: a deposit is kept because a node reports an absurd fee',
    file: REFUND,
    find: 'if (!isAllThereIs && unspent(deposit) <= context.dustUnits)',
    replace: 'if (!isAllThereIs)',
    storms: ['feeLies'],
    options: { weights: { lieFee: 6 } },
  },
  {
    name: 'a refund is sent to the destination address',
    file: REFUND,
    find: 'if (swap.refundAddress) return swap.refundAddress',
    replace: 'if (swap.refundAddress) return swap.destinationAddress',
  },
  {
    name: 'the service fee is rounded down',
    file: QUOTE,
    find: "pricing.serviceFeeBps, ALL_BPS, 'up')",
    replace: "pricing.serviceFeeBps, ALL_BPS, 'down')",
  },
  {
    name: 'the minimum to receive is the whole quote, without slippage',
    file: QUOTE,
    find: "    minReceiveUnits: mulDiv(receiveUnits, ONE - slippage, ONE, 'down'),",
    replace: '    minReceiveUnits: receiveUnits,',
  },
  {
    name: 'a refuel is not charged',
    file: QUOTE,
    find: 'const refuelInSourceUnits = pricing.refuel ? inSource(pricing, pricing.refuel.usd) : 0n',
    replace: 'const refuelInSourceUnits = 0n',
  },
  {
    name: 'the network fee is not charged',
    file: QUOTE,
    find: 'const left = requestedUnits - blockchainFeeUnits - serviceFeeUnits - refuelInSourceUnits',
    replace: 'const left = requestedUnits - serviceFeeUnits - refuelInSourceUnits',
  },
  {
    name: 'an output is sent to the refund address',
    file: SETTLE,
    find: 'const to = swap.destinationAddress',
    replace: 'const to = swap.refundAddress ?? swap.destinationAddress',
  },
  {
    name: 'a refuel is twice as large as quoted',
    file: SETTLE,
    find: '      units: quote.refuelUnits,',
    replace: '      units: quote.refuelUnits * 2n,',
  },
  {
    name: 'the network fee is not deducted from a refund',
    file: REFUND,
    find: 'units, feeUnits: gross.units - units })',
    replace: 'units: gross.units, feeUnits: 0n })',
  },
  {
    name: 'a deposit to a deposit address is refunded to its sender',
    file: REFUND,
    find: 'if (!swap.usesDepositAddress) return deposit.from',
    replace: 'if (deposit.from) return deposit.from',
  },
  {
    name: 'an output that was sent is abandoned when its deposit is lost',
    file: 'core/src/swap/loss.ts',
    find: "if (!output || output.started || output.state === 'confirmed') return false",
    replace: "if (!output || output.state === 'confirmed') return false",
    options: { weights: { reorg: 6, resend: 0 } },
    equivalent: 'the database abandons no started payout, and the loss is booked when the output has ended',
  },
  {
    name: 'a payout is confirmed after one confirmation',
    file: PAYOUT,
    find: 'const done = status.confirmations >= depths.confirmations',
    replace: 'const done = status.confirmations >= 1',
  },
  {
    name: 'a deposit is credited after one confirmation',
    file: DEPTH,
    find: 'depths.set(deposit.id, fits ? depth : network.finalDepth)',
    replace: 'depths.set(deposit.id, 1)',
  },
  {
    name: 'a deposit is credited although the inspecting node shows too few confirmations',
    file: JUDGE,
    find: 'proof.confirmations >= deposit.required &&',
    replace: '',
    options: { weights: { reorg: 6 } },
    equivalent:
      'a deposit is inspected only after the scan saw enough confirmations: the inspecting node is merely behind',
  },
  {
    name: 'every payout needs only the confirmations of the lowest tier',
    file: LAND,
    find: 'Math.max(0, ...worth)',
    replace: 'Math.min(1, ...worth)',
  },
  {
    name: 'payouts pass while the screening service does not answer',
    file: GATE,
    find: "    found.set(payout.id, [...(found.get(payout.id) ?? []), { code: 'unscreened', hold, detail }])\n",
    replace: '    void [hold, detail]\n',
    options: { weights: { list: 6 }, swaps: 40 },
    first: 3,
  },
  {
    name: 'a pause stops no payout',
    file: GATE,
    find: 'if (paused) found.push(',
    replace: "if (paused?.scope === 'nothing') found.push(",
    options: { weights: { halt: 3 } },
  },
  {
    name: 'no payout waits for an approval',
    file: GATE_TABLE,
    find: 'if (approvalAbove !== null && worth > approvalAbove)',
    replace: 'if (approvalAbove !== null && worth > approvalAbove && approvalAbove < 0n)',
  },
  {
    name: 'a rejected payout gets a slot',
    file: GATE,
    find: 'if (isRejected) found.push(',
    replace: "if (isRejected && id === 'nothing') found.push(",
    options: { weights: { answer: 6, job: 14 }, swaps: 40 },
    equivalent: 'the store gives no slot to a rejected payout, which is then abandoned as one without a slot',
  },
  {
    name: 'an output is paid although its deposit is lost',
    file: GATE_TABLE,
    find: "if (state === 'lost') return { code: 'deposit',",
    replace: "if (state === 'lost') return { code: 'relay',",
    test: {
      file: 'server/src/flow/payouts/deposit-reorged-before-send.test.ts',
      title: 'an unsigned slot of an output is not signed after its deposit was lost',
    },
  },
  {
    name: 'a transaction that no node accepts is never replaced',
    file: MACHINE,
    find: 'if (!isStuck(view) || !view.facts.chain.canReplace) return retryOrHold(view)',
    replace: 'if (view.payouts.length > 0) return retryOrHold(view)',
    storms: ['refusedSends'],
  },
  {
    name: 'a transfer sends one unit more than was ordered',
    file: 'server/src/flow/payouts/send.ts',
    find: 'const amount = { token: services.catalogue.token(network, token), units }',
    replace: 'const amount = { token: services.catalogue.token(network, token), units: units + 1n }',
  },
  {
    name: 'a payout that was signed is abandoned',
    file: MACHINE,
    find: 'unprepared: row(giveUpAfterTrouble, freeIfBlocking, resend, resend, resend, resend),',
    replace:
      'unprepared: row(giveUpAfterTrouble, freeIfBlocking, giveUpAfterTrouble, giveUpAfterTrouble, resend, resend),',
    options: { weights: { fee: 4, node: 6 } },
    equivalent: 'the executor abandons only payouts without a slot, and a constraint keeps a payout with a slot',
  },
  {
    name: 'the network fee of a transfer is not booked',
    file: LAND,
    find: 'if (isOurs) await payFee(',
    replace: 'if (!isOurs) await payFee(',
  },
  {
    name: 'units that were paid since the balance was read are offered again',
    file: 'server/src/store/payouts/liquidity-reservations.ts',
    find: "and state = 'confirmed' and confirmed_at >",
    replace: 'and false and confirmed_at >',
    // A restart reads the balances again.
    options: { weights: { market: 0.1, order: 40, kill: 0 }, freeze: 0, death: 0, swaps: 60, scarce: true },
    first: 8,
  },
  {
    name: 'a deposit that is one unit short gets the whole quote',
    file: QUOTE,
    find: "const receiveUnits = roundToTransferable(mulDiv(quote.receiveUnits, left, quotedLeft, 'down'), pricing.destination)",
    replace: 'const receiveUnits = quote.receiveUnits',
  },
  {
    name: 'a quote never expires',
    file: TERMS,
    find: 'cameAt <= swap.quoteExpiresAt',
    replace: 'cameAt !== swap.quoteExpiresAt',
    options: { weights: { price: 6 } },
  },
  {
    name: 'a late deposit is swapped at any price',
    file: TERMS,
    find: 'quote.receiveUnits < least.minReceiveUnits',
    replace: 'quote.receiveUnits < 0n',
    options: { weights: { price: 8, jumpTime: 1 } },
  },
  {
    name: 'a quote may be larger than what the wallet holds',
    file: QUOTE,
    find: 'return liquidityUnits > reserved ? liquidityUnits - reserved : 0n',
    replace: 'return liquidityUnits + reserved + 10n ** 30n',
    options: { weights: { market: 0.3, order: 25 }, swaps: 40, scarce: true },
    first: 4,
  },
  {
    name: 'the maximum amount of a swap is not enforced',
    file: SETTLE,
    find: 'return units > maxByOperator(pricing) &&',
    replace: 'return units < 0n &&',
  },
  {
    name: 'a partial deposit is refunded before the deposit window closes',
    file: SETTLE,
    find: 'if (late) closeShort(step, context)',
    replace: 'closeShort(step, context)',
  },
  {
    name: 'every new price counts as worse than agreed',
    file: TERMS,
    find: "if (terms.length === 0) return 'degraded_quote'",
    replace: "if (terms.length < 100) return 'degraded_quote'",
    options: { weights: { price: 4 } },
  },
  {
    name: 'a reverted payout is signed again before the revert is final',
    file: PAYOUT,
    find: "return final ? { step: 'reverted'",
    replace: "return final || hash ? { step: 'reverted'",
    options: { weights: { fail: 8, reorg: 4 } },
  },
  {
    name: 'a deposit stays credited after a reorg removed it',
    file: JUDGE,
    find: "return state === 'canonical' ? null : { do: 'orphan', id }",
    replace: "return state === 'canonical' ? null : null",
    options: { weights: { reorg: 6, resend: 0 } },
    first: 3,
  },
  {
    name: 'every deposit needs only the confirmations of the lowest tier',
    file: DEPTH,
    find: ': confirmationsFor(network, usd)',
    replace: ': confirmationsFor(network, 0)',
  },
  {
    name: 'a deposit without a price needs only the confirmations of the lowest tier',
    file: DEPTH,
    find: "Number(toUsd(units, token, price, 'up')) / 1e18 : Number.POSITIVE_INFINITY",
    replace: "Number(toUsd(units, token, price, 'up')) / 1e18 : 0",
    options: { weights: { kill: 6, market: 2 } },
  },
  {
    name: 'the end of a deposit window is never processed',
    file: 'server/src/flow/swap/expire.ts',
    find: "() => applyEvent(services, id, { type: 'tick' })",
    replace: 'async () => void id',
  },
  {
    name: 'a confirmed cancellation counts as the payout',
    file: PAYOUT,
    find: 'const paying = attempts.filter(({ cancels }) => !cancels)',
    replace: 'const paying = [...attempts]',
    storms: ['refusedSends'],
  },
  {
    name: 'an orphaned block still proves its deposits',
    file: 'core/src/deposit/standing.ts',
    find: "const isVoid = ({ hash }: BlockRef) => blocks.find(hash)?.state === 'orphaned'",
    replace: 'const isVoid = ({ hash }: BlockRef) => hash === blocks.find(hash)?.state',
    test: {
      file: 'core/src/deposit/judge.test.ts',
      title: 'a paid deposit that is mined again at another index stays the same deposit',
    },
  },
  {
    name: 'a transfer in the place of a lost deposit is credited to a swap without a decision',
    file: JUDGE,
    find: "const isAfterLoss = former.some(({ state }) => state === 'lost')",
    replace: 'const isAfterLoss = false',
    test: {
      file: 'core/src/deposit/judge.test.ts',
      title: 'a transfer in the place of a lost deposit belongs to no swap, even before it is credited',
    },
  },
  {
    name: 'after a reorg, a transfer of another token counts as the same deposit',
    file: 'core/src/deposit/same-transfer.ts',
    find: 'a.token === b.token &&',
    replace: '',
    storms: ['relanding'],
    options: { weights: { reland: 5 } },
  },
  {
    name: 'a replay of the journal does not store which deposits were settled',
    file: 'server/src/store/restore/replay.ts',
    find: 'if (keys.length === 0) return',
    replace: 'if (keys.length >= 0) return',
    storms: ['restore'],
    options: {},
    first: 15,
  },
  {
    name: 'a reward is twice what was promised',
    file: 'server/src/store/rewards/campaigns.ts',
    find: '.values({ ...reward, units, usd: (reward.usd * units) / reward.units })',
    replace: '.values({ ...reward, units: 2n * units, usd: (reward.usd * units) / reward.units })',
    storms: ['rewards'],
  },
  {
    name: 'rewards are paid before their period is over',
    file: 'server/src/market/campaigns.ts',
    find: '? -1 : periodOf(campaign, now) - 1',
    replace: '? -1 : periodOf(campaign, now)',
    storms: ['rewards'],
  },
]

export const FAULTS: readonly Fault[] = [...IN_RUNS, ...FENCE_FAULTS, ...FINDING_FAULTS, ...LEG_FAULTS]
