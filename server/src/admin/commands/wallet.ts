/** `wallet`: the findings of the last reconciliation, and halted wallets. */
import { coinOf, differenceAccepted } from '@causeway/core'
import { calmFindings, listFindings } from '../../store/ledger/ledger.ts'
import { haltWallet, listHaltDifferences, listHalts, readHalt, releaseWallet } from '../../store/limits/halts.ts'
import { insertDecision } from '../../store/payouts/holds.ts'
import { insertPosting } from '../../store/swaps/save-step.ts'
import {
  amountAt,
  type Command,
  type CommandContext,
  change,
  needed,
  record,
  table,
  UsageError,
} from '../context/command-context.ts'
import { ADDRESS, IDS, MISSING, NETWORK, optional, TEXT } from '../context/forms.ts'
import { haltCausesNamed, shownHold } from '../context/hold-ref.ts'
import { haltNamed, networkNamed, walletNamed } from '../context/wallet-ref.ts'
import { rotate } from '../treasury/rotate.ts'
import { withdraw } from '../treasury/withdraw.ts'

export const walletCommands: Record<string, Command> = {
  withdraw,
  rotate,
  list: {
    usage: 'list',
    help: 'Lists wallets with the balances that a node last reported, their block and time, missing base units, and halted wallets with the ids that "release" names.',
    takes: {},
    async run(desk) {
      const halts = await listHalts(desk.database)
      const missing = await listHaltDifferences(desk.database)
      const rows = await listFindings(desk.database)
      table(
        desk,
        ['network', 'wallet', 'token', 'on chain', 'in the books', 'at block', 'seen at', 'missing', 'hold', 'halted'],
        rows.map((row) => {
          const isOwn = ({ network, account }: { network: string; account: string }) =>
            network === row.network && account === row.account
          const causes = halts.find(isOwn)?.causes ?? []
          return [
            row.network,
            row.account,
            row.token,
            amountAt(desk, row.network, row.token, row.chain_units),
            row.opened ? amountAt(desk, row.network, row.token, row.ledger_units) : 'not compared yet',
            `${row.block_number ?? ''}`,
            (row.seen_at ?? row.at).toISOString(),
            `${missing.find((other) => isOwn(other) && other.token === row.token)?.units ?? ''}`,
            causes.map(({ id }) => id).join(','),
            causes.map(shownHold).join('; '),
          ]
        }),
      )
    },
  },
  halt: {
    usage: 'halt --network NAME --wallet ADDRESS --reason TEXT',
    help: 'Stops a wallet from signing anything. If it is halted already, the reason is added to the others.',
    takes: { options: { network: NETWORK, wallet: ADDRESS, reason: TEXT } },
    async run(desk, { values }) {
      const { name: network } = await networkNamed(desk.database, needed(values, 'network'))
      const wallet = await walletNamed(desk.database, network, needed(values, 'wallet'))
      const reason = needed(values, 'reason')
      const place = { network, account: wallet }
      const halt = await change(desk, 'wallet halted', { network, wallet, reason }, async (queries) => {
        await haltWallet(queries, place, { code: 'operator', note: reason }, desk.now())
        return readHalt(queries, place)
      })
      const causes = halt?.causes.map(shownHold) ?? []
      const others = causes.length > 1 ? `; it is halted for: ${causes.join('; ')}` : ''
      desk.print(`${wallet} on ${network} signs nothing${others}`)
    },
  },
  release: {
    usage: 'release --network NAME --wallet ADDRESS --hold HOLD_ID,… [--accept UNITS|TOKEN=UNITS,…]',
    help: `Lets a halted wallet sign again. --hold names everything that it is halted for, as "list" shows it; if a cause was added or
      changed since, nothing is released. If coins are missing, --accept says how much of them is given up: it is booked as lost, and the
      wallet is watched on from there. Coins that came back need no --accept: wait until "list" shows nothing missing.`,
    takes: { options: { network: NETWORK, wallet: ADDRESS, hold: optional(IDS), accept: optional(MISSING) } },
    async run(desk, { values }) {
      const named = await haltNamed(desk.database, needed(values, 'network'), needed(values, 'wallet'))
      const { network, account: wallet } = named
      const { halt, accepted } = await desk.database.transaction().execute(async (queries) => {
        // Locks in the same order as reconciliation.
        await calmFindings(queries, network, wallet)
        const halt = await haltCausesNamed(queries, named, values.hold)
        const holds = halt.causes.map(({ id }) => id)
        const missing = await releaseWallet(queries, named, holds, desk.now())
        refuseUnnamed(desk, network, missing, values.accept)
        for (const { token, units } of missing) {
          await insertPosting(queries, differenceAccepted(wallet, coinOf(network, token), units), null)
        }
        const shown = missing.map(({ token, units }) => ({ token, units: `${units}` }))
        const decision = { answer: 'release' as const, by: desk.actor, requestId: desk.requestId, at: desk.now() }
        for (const holdId of holds)
          await insertDecision(queries, { ...decision, on: { holdId }, params: { accepted: shown } })
        await record(desk, queries, 'wallet released', { network, wallet, holds, accepted: shown })
        return { halt, accepted: missing }
      })
      for (const { token, units } of accepted)
        desk.print(`accepted as missing: ${units} base units of ${token}${inTokens(desk, network, token, units)}`)
      desk.print(`it was halted for: ${halt.causes.map(shownHold).join('; ')}`)
      desk.print(`${wallet} on ${network} signs again`)
    },
  },
}

/** Throws unless the operator named exactly what is missing: a release must not accept what was lost meanwhile. */
function refuseUnnamed(
  desk: CommandContext,
  network: string,
  missing: { token: string; units: bigint }[],
  said = '',
): void {
  const [first] = missing
  const written = missing.map(({ token, units }) => `${token}=${units}`)
  const isOne = missing.length === 1 && said === `${first?.units}`
  const isSame = said.split(',').filter(Boolean).toSorted().join() === written.toSorted().join()
  if (isOne || isSame) return
  const lost =
    missing
      .map(({ token, units }) => `${units} base units of ${token}${inTokens(desk, network, token, units)}`)
      .join(' and ') || 'nothing'
  const way = missing.length === 0 ? 'leave --accept out' : `to give that up say --accept ${written.join(',')}`
  throw new UsageError(`nothing is released: missing is ${lost}${said ? `, not ${said}` : ''}; ${way}`)
}

/** The same in whole tokens and dollars; empty if this context shows base units. */
function inTokens(desk: CommandContext, network: string, token: string, units: bigint): string {
  return desk.amount ? ` (${amountAt(desk, network, token, units)})` : ''
}
