/** `limit`: maximum outflow, maximum swap, maximum wallet balance, and the approval threshold. */
import { formatDecimal, parseDecimal, USD_DECIMALS } from '@causeway/core'
import type { LimitKind } from '../../store/db/schema.ts'
import { clearLimit, listLimits, setLimit } from '../../store/limits/safeguards.ts'
import { type Command, change, needed, table, UsageError } from '../context/command-context.ts'
import { AMOUNT, oneOf, SCOPE } from '../context/forms.ts'
import { SCOPES, scopeOf, storedScope } from '../context/switch-scope.ts'

const KINDS: LimitKind[] = [
  'swap_max',
  'hourly_outflow',
  'daily_outflow',
  'wallet_ceiling',
  'wallet_floor',
  'approval_above',
]
/** The scopes that each kind of limit may have: a limit on any other scope would have no effect. */
const SCOPED: Record<LimitKind, { by: RegExp; told: string }> = {
  swap_max: { by: /^(service$|network:|token:|route:)/, told: 'the service, a network, a token or a route' },
  hourly_outflow: { by: /^(network|token):/, told: 'a network or a token' },
  daily_outflow: { by: /^(network|token):/, told: 'a network or a token' },
  wallet_ceiling: { by: /^(service$|network:|token:)/, told: 'the service, a network or a token' },
  wallet_floor: { by: /^token:/, told: 'a token' },
  approval_above: { by: /^/, told: 'anything' },
}

export const limitCommands: Record<string, Command> = {
  list: {
    usage: 'list',
    help: 'Lists the limits.',
    takes: {},
    async run(desk) {
      const rows = await listLimits(desk.database)
      if (rows.length === 0) return desk.print('there is no limit')
      table(
        desk,
        ['kind', 'scope', 'usd', 'since'],
        rows.map(({ kind, scope, usd, at }) => [kind, scope, formatDecimal(usd, USD_DECIMALS), at.toISOString()]),
      )
    },
  },
  set: {
    usage: `set --kind ${KINDS.join('|')} --scope SCOPE --usd AMOUNT`,
    help: `Sets a limit in dollars. ${SCOPES} The tightest that applies counts. A wallet_floor stops nothing: below it the console shows the wallet as low.`,
    takes: { options: { kind: oneOf(KINDS), scope: SCOPE, usd: AMOUNT } },
    async run(desk, { values }) {
      const kind = kindOf(needed(values, 'kind'))
      const scope = await scopeOf(desk.database, needed(values, 'scope'))
      if (!SCOPED[kind].by.test(scope)) throw new UsageError(`${kind} is for ${SCOPED[kind].told}, not for ${scope}`)
      const usd = parseDecimal(needed(values, 'usd'), USD_DECIMALS)
      if (usd === null) throw new UsageError('--usd is a plain decimal number')
      await change(desk, 'limit set', { kind, scope, usd: values.usd }, (queries) =>
        setLimit(queries, kind, scope, usd),
      )
      desk.print(`${kind} of ${scope} is ${values.usd} dollars`)
    },
  },
  clear: {
    usage: 'clear --kind KIND --scope SCOPE',
    help: 'Takes a limit away.',
    takes: { options: { kind: oneOf(KINDS), scope: SCOPE } },
    async run(desk, { values }) {
      const kind = kindOf(needed(values, 'kind'))
      const scope = await storedScope(desk.database, needed(values, 'scope'))
      await change(desk, 'limit cleared', { kind, scope }, async (queries) => {
        if (!(await clearLimit(queries, kind, scope))) {
          throw new UsageError(`there is no ${kind} of ${scope}; "limit list" shows those there are`)
        }
      })
      desk.print(`${kind} of ${scope} is taken away`)
    },
  },
}

function kindOf(text: string): LimitKind {
  const kind = KINDS.find((known) => known === text)
  if (!kind) throw new UsageError(`--kind is one of ${KINDS.join(', ')}`)
  return kind
}
