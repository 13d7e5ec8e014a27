/**
 * Mutants: deliberate one-line faults in the code that decides about money. The simulator, or the test that the fault
 * names, must find each; one that survives shows a gap in the checks.
 */

import type { Fault } from './fault.ts'
import { FENCE_FAULTS } from './fence-faults.ts'
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
    name: 'all money that should go back is kept',
    file: REFUND,
    find: '  if (fee === null) return\n  if (unspent(deposit) <= fee || ',
    replace:
      '  if (fee === null) return\n  if (fee >= 0n) return keep(step, deposit)\n  if (unspent(deposit) <= fee || ',
  },
  {
    name: 'a deposit that does not cover the gas of a lying node is kept',
    file: REFUND,
    find: 'if (!isAllThereIs && unspent(deposit) <= context.dustUnits)',
    replace: 'if (!isAllThereIs)',
    storms: ['feeLies'],
    options: { weights: { lieFee: 6 } },
  },
  {
    name: 'refunds go to the recipient of the swap',
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
    name: 'the least that a user agrees to is the whole quote',
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
    name: 'an output goes to the refund address',
    file: SETTLE,
    find: 'const to = swap.destinationAddress',
    replace: 'const to = swap.refundAddress ?? swap.destinationAddress',
  },
  {
    name: 'a refuel is paid twice over',
    file: SETTLE,
    find: '      units: quote.refuelUnits,',
    replace: '      units: quote.refuelUnits * 2n,',
  },
  {
    name: 'what goes back pays no gas',
    file: REFUND,
    find: 'units, feeUnits: gross.units - units })',
    replace: 'units: gross.units, feeUnits: 0n })',
  },
  {
    name: 'money at a deposit address goes back to whoever sent it',
    file: REFUND,
    find: 'if (!swap.usesDepositAddress) return deposit.from',
    replace: 'if (deposit.from) return deposit.from',
  },
  {
    name: 'an output that is on its way is struck out where its deposit vanishes',
    file: 'core/src/swap/loss.ts',
    find: "if (!output || output.started || output.state === 'confirmed') return false",
    replace: "if (!output || output.state === 'confirmed') return false",
    options: { weights: { reorg: 6, resend: 0 } },
    equivalent:
      'the store strikes out nothing that was started, and the loss is booked when the output has come to its end',
  },
  {
    name: 'a payout counts as soon as it is in a block',
    file: PAYOUT,
    find: 'const done = status.confirmations >= depths.confirmations',
    replace: 'const done = status.confirmations >= 1',
  },
  {
    name: 'a deposit counts at any depth',
    file: DEPTH,
    find: 'depths.set(deposit.id, fits ? depth : network.finalDepth)',
    replace: 'depths.set(deposit.id, 1)',
  },
  {
    name: 'a deposit counts where its node shows it less deep than the scan did',
    file: JUDGE,
    find: 'proof.confirmations >= deposit.required &&',
    replace: '',
    options: { weights: { reorg: 6 } },
    equivalent:
      'the scan has seen it as deep as it must lie, or it is not looked at: the node that is asked then is only behind',
  },
  {
    name: 'every payout has the lowest tier',
    file: LAND,
    find: 'Math.max(0, ...worth)',
    replace: 'Math.min(1, ...worth)',
  },
  {
    name: 'a screening service that is down lets everybody through',
    file: GATE,
    find: "    found.set(payout.id, [...(found.get(payout.id) ?? []), { code: 'unscreened', hold, detail }])\n",
    replace: '    void [hold, detail]\n',
    options: { weights: { list: 6 }, swaps: 40 },
    first: 3,
  },
  {
    name: 'a pause stops nothing',
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
    name: 'a rejected payout may be begun',
    file: GATE,
    find: 'if (isRejected) found.push(',
    replace: "if (isRejected && id === 'nothing') found.push(",
    options: { weights: { answer: 6, job: 14 }, swaps: 40 },
    equivalent:
      'the store gives no slot to what a person has rejected, and it is given up as one that never gets a slot',
  },
  {
    name: 'a lost deposit is no objection',
    file: GATE_TABLE,
    find: "if (state === 'lost') return { code: 'deposit',",
    replace: "if (state === 'lost') return { code: 'relay',",
    options: { weights: { reorg: 6, resend: 0 } },
  },
  {
    name: 'bytes that no node takes are never replaced',
    file: MACHINE,
    find: 'if (!isStuck(view) || !view.facts.chain.canReplace) return retryOrHold(view)',
    replace: 'if (view.payouts.length > 0) return retryOrHold(view)',
    storms: ['refusedSends'],
  },
  {
    name: 'a transfer sends a unit more than was ordered',
    file: 'server/src/flow/payouts/send.ts',
    find: 'const amount = { token: services.catalogue.token(network, token), units }',
    replace: 'const amount = { token: services.catalogue.token(network, token), units: units + 1n }',
  },
  {
    name: 'what is signed is given up',
    file: MACHINE,
    find: 'unprepared: row(giveUpAfterTrouble, freeIfBlocking, resend, resend, resend, resend),',
    replace:
      'unprepared: row(giveUpAfterTrouble, freeIfBlocking, giveUpAfterTrouble, giveUpAfterTrouble, resend, resend),',
    options: { weights: { fee: 4, node: 6 } },
    equivalent:
      'the executor gives up only what has no slot, and the row of a payout refuses to be given up once it has one',
  },
  {
    name: 'the fee of a transfer is not booked',
    file: LAND,
    find: 'if (isOurs) await payFee(',
    replace: 'if (!isOurs) await payFee(',
  },
  {
    name: 'what was paid since the balance was read is promised again',
    file: 'server/src/store/payouts/liquidity-reservations.ts',
    find: "and state = 'confirmed' and confirmed_at >",
    replace: 'and false and confirmed_at >',
    // A restart reads the balances again.
    options: { weights: { market: 0.1, order: 40, kill: 0 }, freeze: 0, death: 0, swaps: 60, scarce: true },
    first: 8,
  },
  {
    name: 'a unit short is paid in full',
    file: QUOTE,
    find: "const receiveUnits = roundToTransferable(mulDiv(quote.receiveUnits, left, quotedLeft, 'down'), pricing.destination)",
    replace: 'const receiveUnits = quote.receiveUnits',
  },
  {
    name: 'a quote holds for ever',
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
    options: { weights: { price: 8, leap: 1 } },
  },
  {
    name: 'more is promised than the wallet holds',
    file: QUOTE,
    find: 'return liquidityUnits > reserved ? liquidityUnits - reserved : 0n',
    replace: 'return liquidityUnits + reserved + 10n ** 30n',
    options: { weights: { market: 0.3, order: 25 }, swaps: 40, scarce: true },
    first: 4,
  },
  {
    name: 'the maximum is not looked at',
    file: SETTLE,
    find: 'return units > maxByOperator(pricing) &&',
    replace: 'return units < 0n &&',
  },
  {
    name: 'parts go back before the window closes',
    file: SETTLE,
    find: 'if (late) closeShort(step, context)',
    replace: 'closeShort(step, context)',
  },
  {
    name: 'every price counts as degraded',
    file: TERMS,
    find: "if (terms.length === 0) return 'degraded_quote'",
    replace: "if (terms.length < 100) return 'degraded_quote'",
    options: { weights: { price: 4 } },
  },
  {
    name: 'a reverted payout is signed anew before that is final',
    file: PAYOUT,
    find: "return final ? { step: 'reverted'",
    replace: "return final || hash ? { step: 'reverted'",
    options: { weights: { fail: 8, reorg: 4 } },
  },
  {
    name: 'a deposit that a reorg took goes on to count',
    file: JUDGE,
    find: "return state === 'canonical' ? null : { do: 'orphan', id }",
    replace: "return state === 'canonical' ? null : null",
    options: { weights: { reorg: 6, resend: 0 } },
    first: 3,
  },
  {
    name: 'every deposit has the lowest tier',
    file: DEPTH,
    find: ': confirmationsFor(network, usd)',
    replace: ': confirmationsFor(network, 0)',
  },
  {
    name: 'a deposit without a price has the lowest tier',
    file: DEPTH,
    find: "Number(toUsd(units, token, price, 'up')) / 1e18 : Number.POSITIVE_INFINITY",
    replace: "Number(toUsd(units, token, price, 'up')) / 1e18 : 0",
    options: { weights: { kill: 6, market: 2 } },
  },
  {
    name: 'an expired swap is never looked at',
    file: 'server/src/flow/swap/expire.ts',
    find: "() => applyEvent(services, id, { type: 'tick' })",
    replace: 'async () => void id',
  },
  {
    name: 'a cancelled slot counts as paid',
    file: PAYOUT,
    find: 'const paying = attempts.filter(({ cancels }) => !cancels)',
    replace: 'const paying = [...attempts]',
    storms: ['refusedSends'],
  },
  {
    name: 'a block that a reorg replaced holds its deposits as before',
    file: 'core/src/deposit/standing.ts',
    find: "const isVoid = ({ hash }: BlockRef) => blocks.find(hash)?.state === 'orphaned'",
    replace: 'const isVoid = ({ hash }: BlockRef) => hash === blocks.find(hash)?.state',
    options: { weights: { reorg: 6, resend: 0 } },
    first: 3,
  },
  {
    name: 'a deposit that stands where a paid one was lost goes to the swap that it names',
    file: JUDGE,
    find: "const isAfterLoss = former.some(({ state }) => state === 'lost')",
    replace: 'const isAfterLoss = false',
    storms: ['relanding'],
    options: { weights: { reland: 5 } },
  },
  {
    name: 'after a reorg another token counts as the one that was seen',
    file: 'core/src/deposit/same-transfer.ts',
    find: 'a.token === b.token &&',
    replace: '',
    storms: ['relanding'],
    options: { weights: { reland: 5 } },
  },
  {
    name: 'a replay of the journal forgets which deposits were settled',
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

export const FAULTS: readonly Fault[] = [...IN_RUNS, ...FENCE_FAULTS, ...LEG_FAULTS]
