/**
 * Faults for the findings N1 to N11 of a review of the money path: how money was once paid twice, kept or sent to the
 * wrong person. Each names the test that notices it; N4 has one more in `faults.ts`.
 */
import { type Fault, inTest } from './fault.ts'

const GATE = 'server/src/flow/checks/gate.ts'
const FLOW = 'server/src/flow'

export const FINDING_FAULTS: readonly Fault[] = [
  {
    name: 'N1: what the former wallet paid settles nothing',
    file: 'server/src/store/restore/replay.ts',
    find: 'await insertKeys(queries, id, payout?.settles ?? [])',
    replace: 'await insertKeys(queries, id, [])',
    ...inTest('server/src/admin/restore/replay.test.ts', 'what the former wallet paid is not paid again'),
  },
  {
    name: 'N2: a network that is not configured is evidence that nothing was paid',
    file: 'core/src/payout/next-step.ts',
    find: 'network_missing: row(unconfigured, wait, wait, wait, wait, wait),',
    replace: 'network_missing: row(giveUpAfterTrouble, wait, wait, wait, wait, wait),',
    ...inTest('core/src/payout/next-step.test.ts', 'without its network a payout is neither paid nor given up'),
  },
  {
    name: 'N3: processes share one branch of addresses',
    file: 'server/src/keys/journal/start.ts',
    find: 'return Math.max(last + 1, seconds < MAX_CLOCK ? seconds : 0)',
    replace: 'return 1 + 0 * (last + seconds + MAX_CLOCK)',
    ...inTest('server/src/swaps/reissued.test.ts', ''),
  },
  {
    name: 'N4: one node may report any base fee',
    file: 'chains/evm/src/paying/fees.ts',
    find: 'const price = atMost(baseFee + tip, ceilings(settings, past).price)',
    replace: 'const price = baseFee + tip',
    ...inTest('chains/evm/src/paying/fees.test.ts', 'of a token transfer are never above what could be signed'),
  },
  {
    name: 'N4: a single reading far above the recent ones sets the fee of a refund',
    file: 'server/src/market/market.ts',
    find: 'if (!price || cost === null || !isUsualNow(token)) return null',
    replace: 'if (!price || cost === null || (price < 0n && !isUsualNow(token))) return null',
    ...inTest(`${FLOW}/swap/refund-waits-for-gas.test.ts`, 'a reading far above the recent ones'),
  },
  {
    name: 'N5: former treasuries are not watched',
    file: 'server/src/store/watch/addresses.ts',
    find: 'union select address from treasury where',
    replace: 'union select address from treasury where false and',
    ...inTest(`${FLOW}/watch/former-treasury.test.ts`, 'a deposit to the wallet that the user was told before'),
  },
  {
    name: 'N5: unstarted payouts stay with the former treasury',
    file: 'server/src/flow/payouts/pay.ts',
    find: '  await moveToPresent(database, chain.network.name, chain.treasury)\n',
    replace: '  void moveToPresent\n',
    ...inTest(`${FLOW}/watch/former-treasury.test.ts`, 'an output that was ordered before the wallet was changed'),
  },
  {
    name: 'N6: the nonce of a permit moves to another swap',
    file: 'server/src/store/swaps/gasless.ts',
    find: "        .where('gasless_nonce.swap_id', '=', swapId),\n",
    replace: '',
    ...inTest(`${FLOW}/kinds/relay-signed-before.test.ts`, 'the nonce of a permit belongs to one swap'),
  },
  {
    name: 'N7: an answer names a hold that was replaced',
    file: 'server/src/admin/context/hold-ref.ts',
    find: 'await lockOpenHold(queries, payoutId, named) : null',
    replace: 'await readOpenHold(queries, payoutId) : await lockOpenHold(queries, payoutId, payoutId)',
    ...inTest('server/src/admin/commands/outdated-hold.test.ts', 'an answer to a replaced hold is refused'),
  },
  {
    name: 'N8: a deposit without a price waits for ever',
    file: 'core/src/swap/settle.ts',
    find: "    else if (late) swap.status = 'expired'\n    return\n  }\n  // A refuel",
    replace: '    return\n  }\n  // A refuel',
    ...inTest(`${FLOW}/swap/deposit-without-price.test.ts`, 'an operator is alerted at the end of the window'),
  },
  {
    name: 'N9: outflow without a price counts as nothing',
    file: GATE,
    find: 'const price = market.lastPrice(listed)',
    replace: 'const price = market.price(listed)',
    ...inTest(`${FLOW}/checks/limits-and-answers.test.ts`, 'a payout made without a price counts'),
  },
  {
    name: 'N9: refunds use up the limit of other payouts',
    file: 'server/src/market/safeguards.ts',
    find: "isReturn ? ' returned' : ''",
    replace: "isReturn ? '' : ''",
    ...inTest(`${FLOW}/checks/limits-and-answers.test.ts`, 'refunds do not use up the hourly limit'),
  },
  {
    name: 'N10: a watcher that lost its lease stores its scan',
    file: `${FLOW}/watch/watch.ts`,
    find: 'if (!(await holdsLease(queries, lease.name, lease.holder, lease.fence)))',
    replace: "if (lease.name === '')",
    ...inTest(`${FLOW}/deposits/stale-watcher.test.ts`, 'a scan that was paused while another process'),
  },
  {
    name: 'N10: an older answer displaces a newer one',
    file: 'core/src/deposit/observation.ts',
    find: '    sign(a.clock.generation, b.clock.generation) ||\n',
    replace: '',
    ...inTest('core/src/deposit/judge.test.ts', 'an answer from before a reorg is older'),
  },
  {
    name: 'N11: a clock that is hours ahead is trusted',
    file: 'server/src/market/clock.ts',
    find: "if (differenceMs > STOP_MS) return 'wrong'",
    replace: "if (differenceMs < 0) return 'wrong'",
    ...inTest(`${FLOW}/run/clock-skew.test.ts`, 'a process whose clock is hours ahead credits'),
  },
  {
    name: 'N11: a clock that jumps between two comparisons is trusted',
    file: 'server/src/market/clock.ts',
    find: "isTrusted: () => state !== 'wrong' && isUnchanged(),",
    replace: "isTrusted: () => state !== 'wrong',",
    ...inTest(`${FLOW}/run/clock-jump.test.ts`, ''),
  },
]
