/** `audit`: who changed what by hand. */
import { listAudit, verifyAudit } from '../../store/operators/audit.ts'
import { type Command, parseArguments, table, UsageError } from '../context/command-context.ts'
import { signatureJudge } from '../context/identity.ts'

const SHOWN = 50
const MOST = 10_000

export const auditCommands: Record<string, Command> = {
  verify: {
    usage: 'verify [--expect HASH]',
    help: "Walks the chain of the audit log: whatever was changed, put in or taken out is named, and so is a signature that is not its actor's. Keep the hash that it prints elsewhere; --expect shows later that it is still there.",
    async run(desk, words) {
      const { expect = null } = parseArguments(words, ['expect']).values
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
    async run(desk, words) {
      const last = Number(parseArguments(words, ['last']).values.last ?? SHOWN)
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
