/** `limit`: how much may go out, how large a swap may be, what a wallet may hold, and what a person must approve. */
import { formatDecimal, parseDecimal } from '@causeway/core'
import { clearLimit, type LimitKind, listLimits, setLimit } from '../store/safeguards.ts'
import { type Command, change, needed, parseWords, table, UsageError } from './desk.ts'
import { SCOPES, scopeOf, storedScope } from './scope.ts'

const KINDS: LimitKind[] = [
  'swap_max',
  'hourly_outflow',
  'daily_outflow',
  'wallet_ceiling',
  'wallet_floor',
  'approval_above',
]
const USD_DECIMALS = 18
/** Outflow is counted by network and by token. */
const OUTFLOW_SCOPE = /^(network|token):/

export const limitCommands: Record<string, Command> = {
  list: {
    usage: 'list',
    help: 'Lists the limits.',
    async run(desk, words) {
      parseWords(words, [])
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
    async run(desk, words) {
      const { values } = parseWords(words, ['kind', 'scope', 'usd'])
      const kind = kindOf(needed(values, 'kind'))
      const scope = await scopeOf(desk.database, needed(values, 'scope'))
      if (kind.endsWith('_outflow') && !OUTFLOW_SCOPE.test(scope)) {
        throw new UsageError('an outflow limit is for a network or a token')
      }
      if (kind === 'wallet_floor' && !scope.startsWith('token:')) throw new UsageError('a wallet_floor is for a token')
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
    async run(desk, words) {
      const { values } = parseWords(words, ['kind', 'scope'])
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
