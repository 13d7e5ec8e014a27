/** Faults in the signing journal, the detection of a rollback, the gate and its waking. Each names the test that notices it. */
import { type Fault, inTest } from './fault.ts'

const JOURNAL = 'server/src/keys/journal'
const FENCES = `${JOURNAL}/fences.ts`
const START = `${JOURNAL}/start.ts`
const ORDERS = 'server/src/keys/orders/local.ts'
const COUNTERS = 'server/src/flow/run/counters.ts'
const SETTLES = 'server/src/store/journal/settles.ts'
const GATE = 'server/src/flow/checks/gate.ts'
const GATE_TABLE = 'core/src/payout/gate.ts'
const FLOW = 'server/src/flow'

const ofFences = (title: string) => inTest(`${JOURNAL}/fences.test.ts`, title)

const FENCES_OF_JOURNAL: readonly Fault[] = [
  {
    name: 'a slot is signed for a second order',
    file: FENCES,
    find: "if (other && purpose !== 'cancel') return",
    replace: "if (other && purpose === 'cancel') return",
    ...ofFences('a slot accepts one order, and its cancellation'),
  },
  {
    name: 'two payouts of the same amount to the same address count as one order',
    file: FENCES,
    find: "(purpose === 'cancel' || isSamePayouts(content.payouts, proposal.payouts))",
    replace: 'proposal.payouts.length >= 0',
    ...inTest(`${JOURNAL}/same-order-of-another-payout.test.ts`, ''),
  },
  {
    name: 'a payout is signed in a second slot',
    file: FENCES,
    find: 'if (elsewhere) return {',
    replace: "if (elsewhere && id === '') return {",
    ...ofFences('a payout gets a second slot only when the first is closed unpaid'),
  },
  {
    name: 'a slot that was closed as paid frees its payouts',
    file: FENCES,
    find: "closingOf(find, entry)?.outcome !== 'unpaid'",
    replace: 'closingOf(find, entry) === null',
    ...ofFences('a payout gets a second slot only when the first is closed unpaid'),
  },
  {
    name: 'a deposit is settled by a second payout that the database does not relate to the first',
    file: FENCES,
    find: 'if (others.length > 0 && isOpen(record))',
    replace: 'if (others.length < 0 && isOpen(record))',
    ...inTest(`${FLOW}/payouts/rollback.test.ts`, 'a deposit paid for before the rollback is not paid for again'),
  },
  {
    name: 'a process that was paused signs in a slot that was released',
    file: ORDERS,
    find: 'journal.released.has(request.allocation)',
    replace: "request.allocation === ''",
    ...inTest('server/src/keys/orders/released.test.ts', 'a released allocation is refused'),
  },
  {
    name: 'a part of a slot is signed again before the slot is released',
    file: FENCES,
    find: 'if (isSigned(entry)) bound.push(entry)',
    replace: 'if (isSigned(entry) && entry.content.slot.length === 1) bound.push(entry)',
    ...ofFences('a part of a slot is bound until it is released'),
  },
  {
    name: 'a part of a slot is signed with another value than before',
    file: FENCES,
    find: 'return before !== undefined && before !== told',
    replace: 'return before !== undefined && before === undefined',
    ...ofFences('another fee fact for a part is refused'),
  },
  {
    name: 'an approval is used for two slots',
    file: FENCES,
    find: "return approval === undefined ? null : { code: 'approval_used', approval }",
    replace: "return approval === undefined || approval ? null : { code: 'approval_used', approval }",
    ...ofFences('an approval is valid in one slot'),
  },
  {
    name: 'two requests sign one payout at the same time',
    file: `${JOURNAL}/journal.ts`,
    find: "if (busy.has(proposal)) return { is: 'refused', refusal: { code: 'signing_now' } }",
    replace: '',
    ...ofFences('an order that is being signed reserves its slot'),
  },
  {
    name: 'a signature is returned before its journal line is on disk',
    file: `${JOURNAL}/journal.ts`,
    find: 'const written = append(content as Signature, false, slot)',
    replace: 'const written = append(content as Signature, true, slot)',
    ...inTest(
      'server/src/keys/orders/broken-journal.test.ts',
      'a retry does not get the bytes of a line that could not be written',
    ),
  },
  {
    name: 'a rolled-back database closes a slot whose fee bump was mined',
    file: ORDERS,
    find: "if (closing.outcome === 'unpaid' && unjudged.length > 0) return false",
    replace: "if (closing.outcome === 'unpaid' && unjudged.length < 0) return false",
    ...inTest(
      'server/src/keys/orders/close-names-lines.test.ts',
      'a slot with a signature that the database does not name',
    ),
  },
  {
    name: 'an output that was paid and then abandoned does not stop the refund of its deposit',
    file: SETTLES,
    find: "    .where('id', 'in', ids)\n    .where('state', '<>', 'abandoned')",
    replace: "    .where('id', 'in', ids)",
    ...inTest(`${FLOW}/payouts/fences-against-refund.test.ts`, ''),
  },
  {
    name: 'the journal does not name the permit that a relay used',
    file: SETTLES,
    find: "readPermits(queries, idsOf(payouts, 'relay'))",
    replace: "readPermits(queries, idsOf(payouts, 'admin'))",
    ...inTest(`${FLOW}/kinds/relay-signed-before.test.ts`, 'a rollback that nothing has noticed'),
  },
]

const DETECTION: readonly Fault[] = [
  {
    name: 'a counter that stands still is no rollback',
    file: COUNTERS,
    find: 'if (n === null || n <= seen) {',
    replace: 'if (n === null || n < seen) {',
    ...inTest(`${FLOW}/run/begin-signing.test.ts`, 'a counter that did not rise is a rollback'),
  },
  {
    name: 'a heartbeat does not compare the counters of other processes',
    file: COUNTERS,
    find: 'if (behindOf(status.mark, { ...found, ...ended }).length > 0)',
    replace: 'if (behindOf(status.mark, { ...found, ...ended }).length < 0)',
    ...inTest(`${FLOW}/payouts/rollback.test.ts`, 'a heartbeat notices a counter that went back'),
  },
  {
    name: 'slots are handed out while the counter goes back',
    file: `${FLOW}/journal/stop-signing.ts`,
    find: 'if (n === null || n <= signing.seen) throw',
    replace: 'if (n === null) throw',
    ...inTest(`${FLOW}/payouts/rollback.test.ts`, 'a process whose counter went back stops'),
  },
  {
    name: 'a start does not compare the counters',
    file: START,
    find: 'if (facts.behind.length > 0 || facts.hasUnknownLines)',
    replace: 'if (facts.hasUnknownLines)',
    ...inTest(`${FLOW}/run/begin-signing.test.ts`, 'a gap in which nothing was signed'),
  },
  {
    name: 'a start ignores journal lines whose slot the database lacks',
    file: START,
    find: 'if (facts.behind.length > 0 || facts.hasUnknownLines)',
    replace: 'if (facts.behind.length > 0)',
    ...inTest(`${JOURNAL}/start.test.ts`, 'a slot is unknown'),
  },
  {
    name: 'an older journal is used',
    file: START,
    find: 'if (newest && newest.found !== newest.hash)',
    replace: 'if (newest && newest.hash === undefined)',
    ...inTest(`${FLOW}/run/begin-signing.test.ts`, 'a journal that is older than the database'),
  },
  {
    name: 'a restart ends a stop',
    file: START,
    find: "if (journal.state !== 'running') return",
    replace: "if (journal.state === 'without_journal') return",
    ...inTest(`${JOURNAL}/start.test.ts`, 'a stop is latched in the journal'),
  },
  {
    name: 'the journal of another database is used',
    file: START,
    find: 'if (row.id !== journal.id || row.databaseId !== journal.database)',
    replace: 'if (row.id === journal.database)',
    ...inTest(`${JOURNAL}/start.test.ts`, 'a journal of another database'),
  },
  {
    name: 'a signature made right before a crash is not stored at the next start',
    file: `${FLOW}/run/begin-signing.ts`,
    find: "if (slot?.state === 'open') await adoptSlot(services, slot)",
    replace: "if (slot?.state !== 'open') await adoptSlot(services, slot as never)",
    ...inTest(`${FLOW}/run/begin-signing.test.ts`, 'what was signed right before a crash'),
  },
]

const OF_GATE: readonly Fault[] = [
  {
    name: 'a halted wallet signs',
    file: GATE,
    find: 'if (halt) found.push(',
    replace: 'if (halt && causes.length === 0) found.push(',
    ...inTest(`${FLOW}/payouts/stuck-transaction.test.ts`, 'a halted wallet signs nothing'),
  },
  {
    name: 'a payout that a reorg removed is paid again without a decision',
    file: GATE,
    find: 'if (reorged) found.push(',
    replace: "if (reorged && id === '') found.push(",
    ...inTest(`${FLOW}/payouts/holds-outlast-trouble.test.ts`, 'the gate stops a payout that a reorg removed'),
  },
  {
    name: 'payouts pass while signing is stopped',
    file: GATE,
    find: 'if (stopped !== null) found.push(',
    replace: "if (stopped !== null && id === '') found.push(",
    ...inTest(`${FLOW}/payouts/stuck-transaction.test.ts`, 'while signing is stopped, neither a first payment'),
  },
  {
    name: 'a lapsed relay is signed again with a higher fee',
    file: GATE,
    find: 'if (lapsed) found.push(',
    replace: "if (lapsed && id === '') found.push(",
    ...inTest(`${FLOW}/kinds/relay-bump.test.ts`, 'a relay that is over is not signed again'),
  },
  {
    name: 'payouts pass although the wallet made a transaction that the ledger lacks',
    file: GATE,
    find: "error instanceof PayoutOnHold ? 'history' : 'unlooked'",
    replace: "error instanceof PayoutOnHold ? 'relay' : 'unlooked'",
    ...inTest(`${FLOW}/checks/history.test.ts`, 'nothing is paid while a node holds a transaction'),
  },
  {
    name: 'payouts pass while no node can tell what the wallet has sent',
    file: GATE,
    find: "error instanceof PayoutOnHold ? 'history' : 'unlooked'",
    replace: "error instanceof PayoutOnHold ? 'history' : 'relay'",
    ...inTest(`${FLOW}/checks/history.test.ts`, 'nothing is paid while no node can tell'),
  },
  {
    name: 'any number of payouts to one contract is sent before the first has failed',
    file: GATE,
    find: "for (const [id, error] of crowded) add(found, id, 'recipient_cap', error)",
    replace: "for (const [id, error] of crowded) add(found, id, 'relay', error)",
    ...inTest('tests/attacks/money/failing-recipient.test.ts', 'a burst to a recipient with code has three payouts'),
  },
  {
    name: 'a payout from before the journal was lost is paid without a decision',
    file: GATE,
    find: 'else if (doubtful.has(id)) found.push(',
    replace: "else if (doubtful.has('')) found.push(",
    ...inTest('server/src/admin/restore/without-journal.test.ts', 'payouts of before are held'),
  },
  {
    name: 'a permit that the journal says was relayed is relayed again after the restore',
    file: GATE,
    find: 'settledBefore(queries, payouts)',
    replace: 'settledBefore(queries, leaving)',
    ...inTest(`${FLOW}/kinds/relay-signed-before.test.ts`, 'after the restore the permit is not relayed again'),
  },
  {
    name: 'a reward is paid whose swap was reverted',
    file: GATE,
    find: 'if (unearned.has(id)) found.push(',
    replace: "if (unearned.has('')) found.push(",
    ...inTest(`${FLOW}/kinds/disburse.test.ts`, 'an ordered reward is held while its swap is reverted'),
  },
  {
    name: 'a listed sender is paid',
    file: GATE,
    find: "found.set(payout.id, [...(found.get(payout.id) ?? []), { code: 'screening', hold }])",
    replace: 'void hold',
    ...inTest(`${FLOW}/checks/screening.test.ts`, 'a listed sender whose money was used holds the output'),
  },
  {
    name: 'a limit is exceeded by one payout',
    file: GATE_TABLE,
    find: 'if (budgets.some((name) => worth > (left.get(name) ?? 0n) - (ahead?.get(name) ?? 0n)))',
    replace: 'if (budgets.some((name) => (left.get(name) ?? 0n) === 0n))',
    ...inTest(`${FLOW}/checks/gate.test.ts`, 'the outflow may reach its limit'),
  },
  {
    name: 'a small payout overtakes a larger one that waits for the limit',
    file: GATE,
    find: '...(queue && slot === null && {',
    replace: '...(queue && slot !== null && {',
    ...inTest('tests/attacks/money/outflow-queue.test.ts', 'small payouts do not overtake a larger one'),
  },
  {
    name: 'an output is paid while its deposit is being verified again after a reorg',
    file: GATE_TABLE,
    find: "if (state === 'reverifying') return { code: 'reverifying',",
    replace: "if (state === 'reverifying') return { code: 'relay',",
    ...inTest(`${FLOW}/deposits/reverify.test.ts`, 'nothing is paid for a deposit whose block was replaced'),
  },
  {
    name: 'more refunds start than the wallet can pay',
    file: GATE,
    find: "await liquidityShortages(services, chain, paid)) add(found, id, 'liquidity', error)",
    replace: "await liquidityShortages(services, chain, paid)) add(found, id, 'relay', error)",
    ...inTest(`${FLOW}/checks/liquidity.test.ts`, 'of three refunds, those that the wallet can pay'),
  },
  {
    name: 'a withdrawal is paid to an address that was taken off the list',
    file: GATE,
    find: 'if (unlisted.has(id)) found.push(',
    replace: "if (unlisted.has('')) found.push(",
    ...inTest('server/src/admin/treasury/withdraw.test.ts', 'an address that is taken off the list gets nothing'),
  },
  {
    name: 'a payout without a price passes a limit',
    file: GATE_TABLE,
    find: "[{ code: 'price', hold: { code: 'no_price', symbol } }] : []",
    replace: '[] : []',
    ...inTest('core/src/payout/gate.test.ts', 'without a price, no payout with a limit'),
  },
  {
    name: 'an approval covers any objection',
    file: GATE_TABLE,
    find: 'approved.some((shown) => covers(shown, hold))',
    replace: 'approved.length > 0',
    ...inTest(`${FLOW}/checks/limits-and-answers.test.ts`, 'approving an address does not approve the amount'),
  },
  {
    name: 'a limit that is lifted while a payout is being held wakes it only minutes later',
    file: 'server/src/store/payouts/holds.ts',
    find: "(payout.held_by === 'rule' ? recheck?.at : recheck?.soonAt)",
    replace: 'recheck?.at',
    ...inTest(`${FLOW}/payouts/wake-ups.test.ts`, 'a limit that is lifted while its payout is being held again'),
  },
  {
    name: 'a job is lost if a worker takes an equal one at the same moment',
    file: 'server/src/store/db/jobs.ts',
    find: '.rows.some(({ id }) => id === null)',
    replace: ".rows.some(({ id }) => id === '')",
    ...inTest('server/src/store/db/jobs.test.ts', 'a job that a worker takes while it is'),
  },
  {
    name: 'payouts are not woken if the database fails while signing resumes',
    file: COUNTERS,
    find: '    signing.stopped = stopped\n',
    replace: '',
    ...inTest(`${FLOW}/run/begin-signing.test.ts`, 'they are paid at the next beat, if the database fails'),
  },
]

export const FENCE_FAULTS: readonly Fault[] = [...FENCES_OF_JOURNAL, ...DETECTION, ...OF_GATE]
