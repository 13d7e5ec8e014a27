/** `app`: manages the integrators that have keys and webhooks. */
import { findApp, insertApp, listApps } from '../../store/apps/apps.ts'
import { type Command, change, parseArguments, table, UsageError } from '../context/command-context.ts'

/** Names appear in lists, logs and commands. */
const NAME = /^[\w][\w .-]{0,62}$/

export const appCommands: Record<string, Command> = {
  create: {
    usage: 'create NAME',
    help: 'Makes an app. Swaps made with one of its keys belong to it.',
    async run(desk, words) {
      const [name = ''] = parseArguments(words, [], 1).words
      if (!NAME.test(name))
        throw new UsageError(`${name} is no name: letters, digits, "_", "-", "." and spaces, up to 63`)
      if (await findApp(desk.database, name)) throw new UsageError(`there is an app ${name} already`)
      const app = await change(desk, 'app created', { app: name }, (queries) => insertApp(queries, name))
      desk.print(`app ${name} is made (${app.id})`)
    },
  },
  list: {
    usage: 'list',
    help: 'Lists the apps.',
    async run(desk, words) {
      parseArguments(words, [])
      const apps = await listApps(desk.database)
      if (apps.length === 0) return desk.print('no app yet; make one with: app create NAME')
      table(
        desk,
        ['name', 'id', 'created'],
        apps.map((app) => [app.name, app.id, app.created_at.toISOString()]),
      )
    },
  },
}
