/** `route`: why a route is offered or not. */
import { explainRoute } from '../../offer/explain-route.ts'
import { type Command, parseArguments, UsageError } from '../context/command-context.ts'

export const routeCommands: Record<string, Command> = {
  why: {
    usage: 'why FROM_NETWORK/TOKEN TO_NETWORK/TOKEN',
    help: `Says whether a route is offered now, everything that closes it, and its limits. Reads the fees and balances that the service
      stored, and the prices. Needs the settings of the service.`,
    async run(desk, words) {
      const [from = '', to = ''] = parseArguments(words, [], 2).words
      if (!desk.market) throw new UsageError('the settings of the service are needed')
      const { isOffered, obstacles, facts } = explainRoute(await desk.market(), from, to)
      desk.print(`${from} to ${to}: ${isOffered ? 'offered' : 'not offered'}`)
      for (const line of obstacles) desk.print(`  because ${line}`)
      for (const line of facts) desk.print(`  ${line}`)
    },
  },
}
