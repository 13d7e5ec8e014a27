/** `canary`: a small swap over every network with the operator's own money, as a customer would make it. */
import { knownWallets } from '../../store/ledger/treasuries.ts'
import { recordCanary } from '../../store/operators/canary.ts'
import { type Canary, type Command, type CommandContext, table, UsageError } from '../context/command-context.ts'
import { NETWORKS, NUMBER, optional } from '../context/forms.ts'

const TIMEOUT_MINUTES = 60

export const canaryCommands: Record<string, Command> = {
  '': {
    usage: '[--budget USD] [--networks NAME,…] [--timeout MINUTES]',
    help: `Makes a small swap from every network to the next one, over the public API, with the money of the canary's own keystore
      (CANARY_KEYSTORE_FILE). Swaps at most the budget per run. Reports what broke, and ends with 1 if something did.`,
    takes: { options: { budget: optional(NUMBER), networks: optional(NETWORKS), timeout: optional(NUMBER) } },
    async run(desk, { values }) {
      if (!desk.canary) throw new UsageError('this needs the settings of the service: its networks and nodes')
      const canary = await desk.canary()
      await requireOwnWallets(desk, canary)
      const results = await canary.run({
        networks: values.networks?.split(',') ?? null,
        budgetUsd: positive(values.budget, 'budget') ?? canary.budgetUsd,
        timeoutMs: (positive(values.timeout, 'timeout') ?? TIMEOUT_MINUTES) * 60_000,
        onResult: async ({ source: network, method, state, problem }) => {
          if (state !== 'skipped') await recordCanary(desk.database, { network, method, problem, at: desk.now() })
        },
      })
      table(
        desk,
        ['network', 'method', 'result', 'route', 'amount', 'usd', 'seconds', 'swap', 'problem'],
        results.map((one) => [
          ...[one.source, one.method, one.state, one.route, one.amount, `$${one.usd.toFixed(2)}`, `${one.seconds}`],
          ...[one.swapId ?? '', one.problem ?? ''],
        ]),
      )
      const count = (state: string) => results.filter((one) => one.state === state).length
      desk.print(`${count('worked')} worked, ${count('failed')} failed, ${count('skipped')} skipped`)
      if (count('failed') > 0) desk.fail?.()
    },
  },
}

/** With the service's own phrase the canary would spend the treasury. */
async function requireOwnWallets({ database }: CommandContext, { wallets }: Canary): Promise<void> {
  for (const [network, address] of wallets) {
    if ((await knownWallets(database, network)).includes(address))
      throw new UsageError(
        `${address} is a wallet of the service on ${network}: the canary needs a keystore of its own`,
      )
  }
}

function positive(text: string | undefined, name: string): number | null {
  if (text === undefined) return null
  const value = Number(text)
  if (!(value > 0)) throw new UsageError(`--${name} must be a number above 0`)
  return value
}
