/** `funding`: announces the operator's own transfers to the treasury. `unmatched capital`: declares one afterwards. */
import { coinOf, findToken, fundingReceived, parseDecimal, type Token } from '@causeway/core'
import type { Queries } from '../../store/db/database.ts'
import {
  type Announcement,
  cancelAnnouncement,
  insertAnnouncement,
  listAnnouncements,
} from '../../store/deposits/funding.ts'
import {
  dropReturn,
  lockUnmatched,
  readDeposit,
  resolveUnmatched,
  takeUpIgnored,
} from '../../store/deposits/unmatched.ts'
import { insertPosting } from '../../store/swaps/save-step.ts'
import {
  amountAt,
  type Command,
  type CommandContext,
  change,
  needed,
  table,
  tokenAmount,
  UsageError,
} from '../context/command-context.ts'
import { ADDRESS, AMOUNT, ID, NETWORK, NUMBER, optional, TOKEN } from '../context/forms.ts'
import { networkNamed } from '../context/wallet-ref.ts'

const DAY_MS = 24 * 3_600_000
/** How long an announcement waits for its transfer. */
const DAYS = 7
const MOST_DAYS = 90
const MOST_LISTED = 100
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const fundingCommands: Record<string, Command> = {
  announce: {
    usage: 'announce --network NAME --token SYMBOL --amount AMOUNT [--from ADDRESS] [--days N]',
    help: `Says that you will send exactly this amount to the treasury. When the transfer is final it is booked as your capital, and is not listed as
      unmatched. --from counts only a transfer of that sender. Waits ${DAYS} days. Needs the settings of the service.`,
    takes: {
      options: { network: NETWORK, token: TOKEN, amount: AMOUNT, from: optional(ADDRESS), days: optional(NUMBER) },
    },
    async run(desk, { values }) {
      const { token, units, from } = await fundingNamed(desk, values)
      const days = Number(values.days ?? DAYS)
      if (!Number.isInteger(days) || days < 1 || days > MOST_DAYS)
        throw new UsageError(`--days is a number from 1 to ${MOST_DAYS}`)
      const at = desk.now()
      const announced = { token, units, from, by: desk.actor, at, expiresAt: new Date(at.getTime() + days * DAY_MS) }
      const amount = tokenAmount(desk, token, units)
      const audit = { network: token.network, token: token.symbol, units: `${units}`, amount, from }
      const id = await change(desk, 'funding announced', audit, (queries) => insertAnnouncement(queries, announced))
      desk.print(`announced as ${id}: ${amount} on ${token.network}${from ? ` from ${from}` : ''}, within ${days} days`)
    },
  },
  list: {
    usage: 'list',
    help: 'Lists announced funding, the newest first, and what became of it.',
    takes: {},
    async run(desk) {
      const rows = await listAnnouncements(desk.database, MOST_LISTED)
      if (rows.length === 0) return desk.print('no funding is announced')
      table(
        desk,
        ['id', 'network', 'amount', 'from', 'by', 'announced at', 'until', 'state'],
        rows.map((row) => [
          ...[row.id, row.network, amountAt(desk, row.network, row.token, row.units), row.from_address ?? 'anyone'],
          ...[row.announced_by, row.announced_at.toISOString(), row.expires_at.toISOString(), stateOf(row, desk.now())],
        ]),
      )
    },
  },
  cancel: {
    usage: 'cancel --id ID',
    help: 'Takes an announcement back whose transfer has not arrived.',
    takes: { options: { id: ID } },
    async run(desk, { values }) {
      const id = needed(values, 'id')
      await change(desk, 'funding cancelled', { id }, async (queries) => {
        if (!UUID.test(id) || !(await cancelAnnouncement(queries, id, desk.now())))
          throw new UsageError(`no announcement ${id} waits; "funding list" shows them`)
      })
      desk.print(`${id} is cancelled`)
    },
  },
}

export const declareCapital: Command = {
  usage: 'capital --deposit ID',
  help: 'Declares that a deposit without a swap is your own funding: it is booked as capital and is no longer owed to its sender. Its block must be final.',
  takes: { options: { deposit: ID } },
  async run(desk, { values }) {
    const id = needed(values, 'deposit')
    const found = UUID.test(id) ? await readDeposit(desk.database, id) : null
    if (!found) throw new UsageError(`there is no deposit ${id}; "unmatched list" shows those that wait`)
    const { network, token, units } = found
    const amount = amountAt(desk, network, token, units)
    const audit = { depositId: id, network, token, units: `${units}`, amount, from: found.from_address }
    await change(desk, 'deposit declared capital', audit, (queries) => declare(queries, id))
    desk.print(`${amount} on ${network} is booked as capital`)
  },
}

async function declare(queries: Queries, id: string): Promise<void> {
  await takeUpIgnored(queries, id)
  const deposit = await lockUnmatched(queries, id)
  if (!deposit) throw new UsageError(`the deposit ${id} is not confirmed, has a swap, or was decided about`)
  // A reorg can take a deposit back that is not final. Its capital would be missing then.
  if (!deposit.final) throw new UsageError(`the block of the deposit ${id} is not final yet: try again later`)
  await dropReturn(queries, id)
  await resolveUnmatched(queries, id, 'capital', 0n)
  await insertPosting(queries, fundingReceived(coinOf(deposit.network, deposit.token), deposit.units), null)
}

function stateOf({ deposit_id, cancelled_at, expires_at }: Announcement, now: Date): string {
  if (deposit_id !== null) return `arrived: deposit ${deposit_id}`
  if (cancelled_at !== null) return 'cancelled'
  return expires_at < now ? 'expired' : 'awaited'
}

type Values = Record<string, string | undefined>

/** The funding that the arguments name. */
export async function fundingNamed(
  desk: CommandContext,
  values: Values,
): Promise<{ token: Token; units: bigint; from: string | null }> {
  const { name } = await networkNamed(desk.database, needed(values, 'network'))
  if (!desk.chain) throw new UsageError('this needs the settings of the service: its networks, nodes and signer')
  const chain = await desk.chain(name)
  const token = findToken(chain.network, needed(values, 'token'), chain)
  if (!token) throw new UsageError(`${name} has no token ${values.token}`)
  const units = parseDecimal(needed(values, 'amount'), token.decimals)
  if (units === null || units <= 0n) throw new UsageError(`${values.amount} is not an amount of ${token.symbol}`)
  const from = values.from === undefined ? null : chain.parseAddress(values.from)
  if (values.from !== undefined && from === null) throw new UsageError(`${values.from} is not an address of ${name}`)
  return { token, units, from }
}
