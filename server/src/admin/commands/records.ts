/** `audit` and `books`: lists manual changes, and shows whether the service makes a profit. */
import { formatUsd } from '../../market/amounts.ts'
import { profitInUsd } from '../../market/profit.ts'
import { listAudit, verifyAudit } from '../../store/operators/audit.ts'
import { type ProfitRow, profitSince } from '../../store/swaps/profit-and-loss.ts'
import { amountAt, type Command, type CommandContext, table, UsageError } from '../context/command-context.ts'
import { HASH, NUMBER, optional } from '../context/forms.ts'
import { signatureJudge } from '../context/identity.ts'

const SHOWN = 50
const MOST = 10_000
const DAY_MS = 24 * 3_600_000
const MOST_DAYS = 366

export const auditCommands: Record<string, Command> = {
  verify: {
    usage: 'verify [--expect HASH]',
    help: "Walks the chain of the audit log: whatever was changed, put in or taken out is named, and so is a signature that is not its actor's. Keep the hash that it prints elsewhere; --expect shows later that it is still there.",
    takes: { options: { expect: optional(HASH) } },
    async run(desk, { values }) {
      const { expect = null } = values
      const found = await verifyAudit(desk.database, signatureJudge(), expect ?? null)
      for (const { id, problem } of found.problems) desk.print(`entry ${id}: ${problem}`)
      if (found.unchained > 0) desk.print(`${found.unchained} entries are older than the chain`)
      if (found.problems.length > 0) throw new UsageError(`the audit log is broken: ${found.problems.length} problems`)
      desk.print(`${found.chained} entries hold together; the newest hash is ${found.head ?? 'none yet'}`)
    },
  },
  list: {
    usage: 'list [--last 50]',
    help: 'Lists the newest entries of the audit log.',
    takes: { options: { last: optional(NUMBER) } },
    async run(desk, { values }) {
      const last = Number(values.last ?? SHOWN)
      if (!(Number.isInteger(last) && last > 0 && last <= MOST)) throw new UsageError(`--last is 1 to ${MOST}`)
      const entries = await listAudit(desk.database, last)
      table(
        desk,
        ['at', 'actor', 'action', 'data'],
        entries.map(({ at, actor, action, data }) => [at.toISOString(), actor, action, JSON.stringify(data)]),
      )
    },
  },
}

export const booksCommands: Record<string, Command> = {
  result: {
    usage: 'result [--days 1]',
    help: 'Sums up what was earned and spent by token: fees, what the chains took, rewards, and losses. The total is in dollars at current prices. Price changes are not in it.',
    takes: { options: { days: optional(NUMBER) } },
    async run(desk, { values }) {
      const days = Number(values.days ?? 1)
      if (!(Number.isInteger(days) && days > 0 && days <= MOST_DAYS))
        throw new UsageError(`--days is 1 to ${MOST_DAYS}`)
      const rows = await profitSince(desk.database, new Date(desk.now().getTime() - days * DAY_MS))
      if (rows.length === 0) return desk.print('nothing was earned or spent')
      table(
        desk,
        ['network', 'token', 'earned', 'network fees', 'rewards', 'lost', 'result'],
        rows.map(({ network, token, earned, networkFees, rewards, lost }) => [
          network,
          token,
          ...[earned, networkFees, rewards, lost, earned - networkFees - rewards - lost].map((units) =>
            amountAt(desk, network, token, units),
          ),
        ]),
        totalOf(desk, rows),
      )
    },
  },
}

/** The sums in dollars, at the prices of now; absent without prices. */
function totalOf({ worth }: CommandContext, rows: ProfitRow[]): string[] | undefined {
  if (!worth) return undefined
  const { earned, networkFees, rewards, lost, result, isPartial } = profitInUsd(rows, worth)
  const name = isPartial ? 'total without unpriced tokens' : 'total'
  return [name, '', ...[earned, networkFees, rewards, lost, result].map(formatUsd)]
}
