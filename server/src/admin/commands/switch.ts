/** `switch`: pauses the service, a network, a token or a route. Takes effect on the next payout, and on new swaps within seconds. */
import { clearSwitch, listSwitches, setSwitch } from '../../store/limits/safeguards.ts'
import { type Command, change, needed, table, UsageError } from '../context/command-context.ts'
import { oneOf, SCOPE, TEXT } from '../context/forms.ts'
import { SCOPES, scopeOf, storedScope } from '../context/switch-scope.ts'

const PARTS: Record<string, { stops_swaps: boolean; stops_payouts: boolean }> = {
  swaps: { stops_swaps: true, stops_payouts: false },
  payouts: { stops_swaps: false, stops_payouts: true },
  both: { stops_swaps: true, stops_payouts: true },
}

export const switchCommands: Record<string, Command> = {
  list: {
    usage: 'list',
    help: 'Lists what is paused.',
    takes: {},
    async run(desk) {
      const rows = await listSwitches(desk.database)
      if (rows.length === 0) return desk.print('nothing is paused')
      const shown = rows.map((row) => [row.scope, stopped(row), row.reason, row.at.toISOString()])
      table(desk, ['scope', 'paused', 'reason', 'since'], shown)
    },
  },
  pause: {
    usage: 'pause --scope SCOPE --what swaps|payouts|both --reason TEXT',
    help: `Pauses new swaps, payouts, or both; what is paused already stays so. ${SCOPES}`,
    takes: { options: { scope: SCOPE, what: oneOf(Object.keys(PARTS)), reason: TEXT } },
    async run(desk, { values }) {
      const scope = await scopeOf(desk.database, needed(values, 'scope'))
      const what = needed(values, 'what')
      const parts = Object.hasOwn(PARTS, what) ? PARTS[what] : undefined
      if (!parts) throw new UsageError('--what is swaps, payouts or both')
      const reason = needed(values, 'reason')
      const now = await change(desk, 'paused', { scope, what, reason }, (queries) =>
        setSwitch(queries, { scope, reason, ...parts }),
      )
      desk.print(`${scope}: ${stopped(now)} paused`)
    },
  },
  resume: {
    usage: 'resume --scope SCOPE',
    help: 'Ends a pause.',
    takes: { options: { scope: SCOPE } },
    async run(desk, { values }) {
      const scope = await storedScope(desk.database, needed(values, 'scope'))
      await change(desk, 'resumed', { scope }, async (queries) => {
        if (!(await clearSwitch(queries, scope))) {
          throw new UsageError(`${scope} is not paused; "switch list" shows what is`)
        }
      })
      desk.print(`${scope} goes on`)
    },
  },
}

function stopped({ stops_swaps, stops_payouts }: { stops_swaps: boolean; stops_payouts: boolean }): string {
  return [...(stops_swaps ? ['swaps'] : []), ...(stops_payouts ? ['payouts'] : [])].join(' and ')
}
