/** `wallet`: what the last reconciliation found, and wallets that are halted. */
import { forgetFindings, listFindings } from '../store/ledger.ts'
import { haltWallet, listHalts, releaseWallet } from '../store/safeguards.ts'
import { type Command, change, needed, parseWords, table, UsageError } from './desk.ts'

export const walletCommands: Record<string, Command> = {
  list: {
    usage: 'list',
    help: 'Lists wallets with what they hold and what the books say, in base units, and which are halted.',
    async run(desk, words) {
      parseWords(words, [])
      const halts = await listHalts(desk.database)
      const rows = await listFindings(desk.database)
      table(
        desk,
        ['network', 'wallet', 'token', 'on chain', 'in the books', 'looked at', 'halted'],
        rows.map((row) => [
          row.network,
          row.account,
          row.token,
          `${row.chain_units}`,
          `${row.ledger_units}`,
          row.at.toISOString(),
          halts.find(({ network, account }) => network === row.network && account === row.account)?.reason ?? '',
        ]),
      )
    },
  },
  halt: {
    usage: 'halt --network NAME --wallet ADDRESS --reason TEXT',
    help: 'Stops a wallet from signing anything.',
    async run(desk, words) {
      const { values } = parseWords(words, ['network', 'wallet', 'reason'])
      const [network, wallet, reason] = [needed(values, 'network'), needed(values, 'wallet'), needed(values, 'reason')]
      await change(desk, 'wallet halted', { network, wallet, reason }, (queries) =>
        haltWallet(queries, network, wallet, reason),
      )
      desk.print(`${wallet} on ${network} signs nothing`)
    },
  },
  release: {
    usage: 'release --network NAME --wallet ADDRESS',
    help: 'Lets a halted wallet sign again. What it holds now is accepted: the difference is booked as moved by you.',
    async run(desk, words) {
      const { values } = parseWords(words, ['network', 'wallet'])
      const [network, wallet] = [needed(values, 'network'), needed(values, 'wallet')]
      await change(desk, 'wallet released', { network, wallet }, async (queries) => {
        if (!(await releaseWallet(queries, network, wallet)))
          throw new UsageError(`${wallet} on ${network} is not halted`)
        await forgetFindings(queries, network, wallet)
      })
      desk.print(`${wallet} on ${network} signs again`)
    },
  },
}
