/** `audit`: who changed what by hand. */
import { listAudit } from '../store/audit.ts'
import { type Command, parseWords, table, UsageError } from './desk.ts'

const SHOWN = 50
const MOST = 10_000

export const auditCommands: Record<string, Command> = {
  list: {
    usage: 'list [--last 50]',
    help: 'Lists the newest entries of the audit log.',
    async run(desk, words) {
      const last = Number(parseWords(words, ['last']).values.last ?? SHOWN)
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
