/** `route`: why a route is offered or not. `network`: what must still be done on chain. */
import { checkSetup } from '../../catalogue/setup.ts'
import { explainRoute } from '../../offer/explain-route.ts'
import { type Command, UsageError } from '../context/command-context.ts'
import { NETWORK, optional, PLACE } from '../context/forms.ts'

export const routeCommands: Record<string, Command> = {
  why: {
    usage: 'why FROM_NETWORK/TOKEN TO_NETWORK/TOKEN',
    help: `Says whether a route is offered now, everything that closes it, and its limits. Reads the fees and balances that the service
      stored, and the prices. Needs the settings of the service.`,
    takes: { names: [PLACE, PLACE] },
    async run(desk, { names: [from = '', to = ''] }) {
      if (!desk.market) throw new UsageError('the settings of the service are needed')
      const { isOffered, obstacles, facts } = explainRoute(await desk.market(), from, to)
      desk.print(`${from} to ${to}: ${isOffered ? 'offered' : 'not offered'}`)
      for (const line of obstacles) desk.print(`  because ${line}`)
      for (const line of facts) desk.print(`  ${line}`)
    },
  },
}

export const networkCommands: Record<string, Command> = {
  check: {
    usage: 'check [--network NAME]',
    help: 'Says what must still be done on chain before deposits or payouts work, what is closed until then, and which command does it. Asks the nodes.',
    takes: { options: { network: optional(NETWORK) } },
    async run(desk, { values }) {
      const { network } = values
      if (!desk.chain || !desk.networks) throw new UsageError('the settings of the service are needed')
      for (const name of network === undefined ? await desk.networks() : [network]) {
        const { missing, trouble } = await checkSetup(await desk.chain(name), { isNew: true })
        if (trouble !== null) desk.print(`${name}: not checked completely: ${trouble}`)
        else if (missing.length === 0) desk.print(`${name}: nothing is missing`)
        for (const { what, closes, command } of missing)
          desk.print(`${name}: ${what}; closed: ${closes.join(', ')}; do: ${command}`)
      }
    },
  },
}
