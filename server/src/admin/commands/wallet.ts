/** `wallet`: what the last reconciliation found, and wallets that are halted. */
import { coinOf, differenceAccepted } from '@causeway/core'
import { calmFindings, listFindings } from '../../store/ledger/ledger.ts'
import { addHaltReason, listHaltDifferences, listHalts, releaseWallet } from '../../store/limits/safeguards.ts'
import { insertPosting } from '../../store/swaps/save-step.ts'
import {
  amountAt,
  type Command,
  change,
  needed,
  parseArguments,
  record,
  table,
  UsageError,
} from '../context/command-context.ts'
import { haltNamed, networkNamed, walletNamed } from '../context/wallet-ref.ts'

export const walletCommands: Record<string, Command> = {
  list: {
    usage: 'list',
    help: 'Lists wallets with what a node last told of them, of which block and when, in base units, and which are halted.',
    async run(desk, words) {
      parseArguments(words, [])
      const halts = await listHalts(desk.database)
      const missing = await listHaltDifferences(desk.database)
      const rows = await listFindings(desk.database)
      table(
        desk,
        ['network', 'wallet', 'token', 'on chain', 'in the books', 'at block', 'seen at', 'missing', 'halted'],
        rows.map((row) => {
          const isOwn = ({ network, account }: { network: string; account: string }) =>
            network === row.network && account === row.account
          return [
            row.network,
            row.account,
            row.token,
            amountAt(desk, row.network, row.token, row.chain_units),
            amountAt(desk, row.network, row.token, row.ledger_units),
            `${row.block_number ?? ''}`,
            (row.seen_at ?? row.at).toISOString(),
            `${missing.find((other) => isOwn(other) && other.token === row.token)?.units ?? ''}`,
            halts.find(isOwn)?.reason ?? '',
          ]
        }),
      )
    },
  },
  halt: {
    usage: 'halt --network NAME --wallet ADDRESS --reason TEXT',
    help: 'Stops a wallet from signing anything. Where it is halted already, the reason is put behind the others.',
    async run(desk, words) {
      const { values } = parseArguments(words, ['network', 'wallet', 'reason'])
      const { name: network } = await networkNamed(desk.database, needed(values, 'network'))
      const wallet = await walletNamed(desk.database, network, needed(values, 'wallet'))
      const reason = needed(values, 'reason')
      const reasons = await change(desk, 'wallet halted', { network, wallet, reason }, (queries) =>
        addHaltReason(queries, network, wallet, reason),
      )
      desk.print(`${wallet} on ${network} signs nothing${reasons === reason ? '' : `; it is halted for: ${reasons}`}`)
    },
  },
  release: {
    usage: 'release --network NAME --wallet ADDRESS [--accept UNITS|TOKEN=UNITS,…]',
    help: `Lets a halted wallet sign again. Where "list" shows something as missing, --accept says how much of it is given up: it is booked
      as lost, and the wallet is watched on from there. What has changed since is not accepted. What was made good needs no word: wait until "list" shows nothing missing.`,
    async run(desk, words) {
      const { values } = parseArguments(words, ['network', 'wallet', 'accept'])
      const named = await haltNamed(desk.database, needed(values, 'network'), needed(values, 'wallet'))
      const { network, account: wallet } = named
      const { reason, missing: accepted } = await desk.database.transaction().execute(async (queries) => {
        // In the order in which a look takes them.
        await calmFindings(queries, network, wallet)
        const halt = await releaseWallet(queries, network, wallet)
        if (halt === null) throw new UsageError(`${wallet} on ${network} is not halted`)
        const { missing } = halt
        refuseUnnamed(missing, values.accept)
        for (const { token, units } of missing) {
          await insertPosting(queries, differenceAccepted(wallet, coinOf(network, token), units), null)
        }
        const shown = missing.map(({ token, units }) => ({ token, units: `${units}` }))
        await record(desk, queries, 'wallet released', { network, wallet, accepted: shown })
        return halt
      })
      for (const { token, units } of accepted) desk.print(`accepted as missing: ${units} base units of ${token}`)
      desk.print(`it was halted for: ${reason}`)
      desk.print(`${wallet} on ${network} signs again`)
    },
  },
}

/** Whoever releases a wallet gives up what they know of, and nothing that went meanwhile. */
function refuseUnnamed(missing: { token: string; units: bigint }[], said = ''): void {
  const [first] = missing
  const written = missing.map(({ token, units }) => `${token}=${units}`)
  const isOne = missing.length === 1 && said === `${first?.units}`
  const isSame = said.split(',').filter(Boolean).toSorted().join() === written.toSorted().join()
  if (isOne || isSame) return
  const lost = missing.map(({ token, units }) => `${units} base units of ${token}`).join(' and ') || 'nothing'
  const way = missing.length === 0 ? 'leave --accept out' : `to give that up say --accept ${written.join(',')}`
  throw new UsageError(`nothing is released: missing is ${lost}${said ? `, not ${said}` : ''}; ${way}`)
}
