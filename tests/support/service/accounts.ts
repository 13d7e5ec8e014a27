/** Apps and keys, created with the command line's own commands. */
import { runCommand } from '../../../server/src/admin/cli/run.ts'
import { chainOf } from '../../../server/src/catalogue/chains.ts'
import type { JournalLines } from '../../../server/src/keys/journal/read.ts'
import type { Services } from '../../../server/src/services.ts'
import { findApp } from '../../../server/src/store/apps/apps.ts'

/** Without chains only commands that name no network work. */
type Office = Pick<Services, 'database' | 'now'> &
  Partial<Pick<Services, 'chains' | 'config' | 'catalogue' | 'market' | 'safeguards'>> & { journal?: JournalLines }

/** Runs one command and returns its output. */
export async function admin(
  { database, now, chains = new Map(), config, journal, catalogue, market, safeguards }: Office,
  ...words: string[]
): Promise<string> {
  const lines: string[] = []
  const chain = async (network: string) => chainOf(chains, network)
  const networks = async () => [...chains.keys()]
  const service = {
    ...{ chain, networks, ...(config ? { settings: () => config } : {}) },
    ...(config && catalogue && market && safeguards
      ? { market: async () => ({ config, chains, catalogue, market, safeguards }) }
      : {}),
    ...(journal ? { journal: async () => journal, makeJournal: async () => journal.id } : {}),
  }
  await runCommand({ database, now, ...service, actor: 'tester', print: (line) => lines.push(line) }, words)
  return lines.join('\n')
}

/** A fresh key of an app, which is made if it is not there. */
export async function keyOf(services: Office, app: string, environment = 'testnet'): Promise<string> {
  if (!(await findApp(services.database, app))) await admin(services, 'app', 'create', app)
  const printed = await admin(services, 'key', 'create', '--app', app, '--environment', environment)
  return found(/causeway_\w+_[\w-]{43}/, printed)
}

export function found(pattern: RegExp, text: string): string {
  const [match] = pattern.exec(text) ?? []
  if (!match) throw new Error(`no ${pattern} in ${text}`)
  return match
}
