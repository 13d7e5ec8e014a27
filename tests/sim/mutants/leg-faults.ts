/** Faults in swaps over exchanges. Each names the test that notices it. */
import type { Fault } from './fault.ts'

const SALE = 'core/src/swap/sale.ts'
const LEGS = 'core/src/swap/legs.ts'
const SETTLE = 'core/src/swap/settle.ts'
const GATE = 'server/src/flow/checks/gate.ts'

const IN_LEGS = { test: { file: 'tests/sim/legs/legs.test.ts', title: 'paid at least the minimum once, or refunded' } }
const INVENTED = 'tests/attacks/money/invented-proceeds.test.ts'

export const LEG_FAULTS: readonly Fault[] = [
  {
    name: 'a sale that was made is made again in a new slot',
    file: SALE,
    find: '  useProceeds(step, sale, units, recorded, context)\n}',
    replace:
      "  sale.state = 'abandoned'\n  swap.payouts.push({ ...sale, state: 'open', started: false, receivedUnits: undefined })\n}",
    ...IN_LEGS,
  },
  {
    name: 'a purchase has no minimum',
    file: LEGS,
    find: '...(purchase && { purchase: { ...purchase, minUnits: minReceiveUnits } }),',
    replace: '...(purchase && { purchase: { ...purchase, minUnits: 1n } }),',
    ...IN_LEGS,
  },
  {
    name: 'the proceeds of a sale are booked twice',
    file: SALE,
    find: '  useProceeds(step, sale, units, recorded, context)\n}',
    replace: '  step.postings.push(posting(swap, sale, from))\n  useProceeds(step, sale, units, recorded, context)\n}',
    ...IN_LEGS,
  },
  {
    name: 'a deposit that was sold is refunded in its own token',
    file: SETTLE,
    find: 'if (!swap.quote.legs?.sale) releaseOutput(step, keepsRefuel',
    replace: 'releaseOutput(step, keepsRefuel',
    test: { file: 'core/src/swap/sale.test.ts', title: 'is refunded in the hub token if the output cannot be made' },
  },
  {
    name: 'implausible proceeds are paid on',
    file: GATE,
    find: '    if (brought) {',
    replace: "    if (brought?.received === '') {",
    test: { file: INVENTED, title: 'nothing is paid from invented proceeds, and the true ones pay the swap' },
  },
  {
    name: 'proceeds are corrected after they were paid on',
    file: SALE,
    find: 'if (swap.payouts.some((payout) => isBegun(payout) && spendsProceeds(swap, payout))) return',
    replace: '',
    test: { file: INVENTED, title: 'proceeds are not corrected once something was paid from them, and never upwards' },
  },
]
