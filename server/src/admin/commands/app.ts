/** `app`: manages the integrators that have keys and webhooks. */
import { findApp, insertApp, listApps } from '../../store/apps/apps.ts'
import { type Command, change, table, UsageError } from '../context/command-context.ts'
import { APP } from '../context/forms.ts'

export const appCommands: Record<string, Command> = {
  create: {
    usage: 'create NAME',
    help: 'Makes an app. Swaps made with one of its keys belong to it.',
    takes: { names: [APP] },
    async run(desk, { names: [name = ''] }) {
      if (await findApp(desk.database, name)) throw new UsageError(`there is an app ${name} already`)
      const app = await change(desk, 'app created', { app: name }, (queries) => insertApp(queries, name))
      desk.print(`app ${name} is made (${app.id})`)
    },
  },
  list: {
    usage: 'list',
    help: 'Lists the apps.',
    takes: {},
    async run(desk) {
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
