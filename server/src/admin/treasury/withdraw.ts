/** `withdrawal`: the addresses that the operator's own money may go to. `wallet withdraw`: sends some of it there. */
import {
  type ChainAdapter,
  findToken,
  formatDecimal,
  parseDecimal,
  roundToTransferable,
  type Token,
  tokenKey,
  withdrawalPromised,
} from '@causeway/core'
import type { OfferSources } from '../../offer/quote-service.ts'
import type { Queries } from '../../store/db/database.ts'
import { addJob, laneOf } from '../../store/db/jobs.ts'
import { lastFinding } from '../../store/ledger/ledger.ts'
import { knownWallets } from '../../store/ledger/treasuries.ts'
import {
  addWithdrawalAddress,
  countOpenPayouts,
  insertWithdrawal,
  listWithdrawalAddresses,
  lockListed,
  openTo,
  removeWithdrawalAddress,
  type Withdrawable,
  withdrawable,
} from '../../store/limits/withdrawals.ts'
import { lockInventory } from '../../store/payouts/liquidity-reservations.ts'
import { insertPosting } from '../../store/swaps/save-step.ts'
import type { PayoutRow } from '../../store/swaps/swaps.ts'
import { ownedAddresses } from '../../store/watch/addresses.ts'
import {
  type Command,
  type CommandContext,
  change,
  needed,
  table,
  tokenAmount,
  UsageError,
} from '../context/command-context.ts'
import { ADDRESS, AMOUNT, NETWORK, TEXT, TOKEN } from '../context/forms.ts'
import { networkNamed } from '../context/wallet-ref.ts'

export const withdrawalCommands: Record<string, Command> = {
  list: {
    usage: 'list',
    help: 'Lists the addresses that "wallet withdraw" may pay.',
    takes: {},
    async run(desk) {
      const rows = await listWithdrawalAddresses(desk.database)
      if (rows.length === 0) return desk.print('no address is listed: "withdrawal add" lists one')
      table(
        desk,
        ['network', 'address', 'note', 'added by', 'added at'],
        rows.map(({ network, address, note, added_by, added_at }) => [
          ...[network, address, note, added_by, added_at.toISOString()],
        ]),
      )
    },
  },
  add: {
    usage: 'add --network NAME --address ADDRESS --note TEXT',
    help: 'Lists an address of your own, such as a cold wallet. A signer process has its own list: add the address to "withdrawals" of its policy, too.',
    takes: { options: { network: NETWORK, address: ADDRESS, note: TEXT } },
    async run(desk, { values }) {
      const { chain, address } = await addressNamed(desk, needed(values, 'network'), needed(values, 'address'))
      const network = chain.network.name
      const note = needed(values, 'note')
      if (chain.isUnpayable(address)) throw new UsageError(`${address} cannot be paid on ${network}`)
      if (await isOurs(desk.database, network, address))
        throw new UsageError(`${address} is an address of this service: a withdrawal must leave it`)
      await change(desk, 'withdrawal address added', { network, address, note }, async (queries) => {
        const values = { network, address, note, added_by: desk.actor, added_at: desk.now() }
        if (!(await addWithdrawalAddress(queries, values))) throw new UsageError(`${address} is listed already`)
      })
      desk.print(`withdrawals on ${network} may go to ${address}`)
    },
  },
  remove: {
    usage: 'remove --network NAME --address ADDRESS',
    help: 'Takes an address off the list. Withdrawals to it that are not signed yet are given up.',
    takes: { options: { network: NETWORK, address: ADDRESS } },
    async run(desk, { values }) {
      const { name: network } = await networkNamed(desk.database, needed(values, 'network'))
      const text = needed(values, 'address')
      const listed = await listWithdrawalAddresses(desk.database, network)
      const address = listed.find((row) => row.address.toLowerCase() === text.toLowerCase())?.address ?? text
      const open = await change(desk, 'withdrawal address removed', { network, address }, async (queries) => {
        const found = await removeWithdrawalAddress(queries, { network, address, by: desk.actor, at: desk.now() })
        if (!found) throw new UsageError(`${address} is not listed on ${network}; "withdrawal list" shows what is`)
        for (const payout of found) await wake(queries, payout)
        return found
      })
      desk.print(`no withdrawal goes to ${address} any more`)
      for (const { id, started } of open) desk.print(`${id}: ${started ? 'in flight already' : 'given up'}`)
    },
  },
}

export const withdraw: Command = {
  usage: 'withdraw --network NAME --token SYMBOL --amount AMOUNT --to ADDRESS',
  help: `Sends your own money from the treasury to a listed address ("withdrawal list"), as a payout like any other: limits and approvals
      apply. Units that are reserved for payouts or owed to users are never used. Needs the settings of the service.`,
  takes: { options: { network: NETWORK, token: TOKEN, amount: AMOUNT, to: ADDRESS } },
  async run(desk, { values }) {
    const order = await withdrawalNamed(desk, values)
    const { id } = await orderWithdrawal(desk, order)
    const amount = tokenAmount(desk, order.token, order.units)
    const place = `${order.token.network} to ${order.to}`
    desk.print(`${amount} on ${place} is ordered as ${id}; "payout list --kind withdrawal" shows it`)
  },
}

/** Orders a withdrawal, with its posting, its job and its audit entry: all of them, or none. */
export async function orderWithdrawal(
  desk: CommandContext,
  { market, chain, token, units, to }: NamedWithdrawal,
): Promise<PayoutRow> {
  const { network } = token
  const audit = { network, token: token.symbol, units: `${units}`, amount: tokenAmount(desk, token, units), to }
  return change(desk, 'withdrawal ordered', audit, async (queries) => {
    // The lock order is the same everywhere: the token first.
    await lockInventory(queries, token)
    const listed = await lockListed(queries, network, to)
    if (!listed) throw unlisted(network, to)
    const [open] = (await openTo(queries, listed.id)).filter(
      (row) => row.token === tokenKey(token) && row.units === units,
    )
    if (open) throw new UsageError(`the same withdrawal is open as ${open.id}: wait until it is paid, or reject it`)
    await requireFree(queries, market, chain, token, units)
    const account = chain.treasury
    const payout = await insertWithdrawal(queries, { listed, token, units, account, now: desk.now() })
    await insertPosting(queries, withdrawalPromised(token, units), null)
    await wake(queries, payout)
    return payout
  })
}

interface NamedWithdrawal {
  market: OfferSources['market']
  chain: ChainAdapter
  token: Token
  units: bigint
  to: string
}

type Values = Record<string, string | undefined>

/** The withdrawal that the arguments name. Throws if it is not one that could ever be paid. */
export async function withdrawalNamed(desk: CommandContext, values: Values): Promise<NamedWithdrawal> {
  const named = await addressNamed(desk, needed(values, 'network'), needed(values, 'to'))
  if (!desk.market) throw new UsageError('this needs the settings of the service: its networks, nodes and signer')
  const { market, chains } = await desk.market()
  const chain = chains.get(named.chain.network.name) ?? named.chain
  const { network, address: to } = { network: chain.network, address: named.address }
  const token = findToken(network, needed(values, 'token'), chain)
  if (!token) throw new UsageError(`${network.name} has no token ${values.token}`)
  const text = needed(values, 'amount')
  const units = parseDecimal(text, token.decimals)
  if (units === null || units <= 0n || roundToTransferable(units, token) !== units)
    throw new UsageError(`${text} is not an amount of ${token.symbol} that ${network.name} can send`)
  return { market, chain, token, units, to }
}

export async function addressNamed(desk: CommandContext, networkText: string, text: string) {
  const { name } = await networkNamed(desk.database, networkText)
  if (!desk.chain) throw new UsageError('this needs the settings of the service: its networks, nodes and signer')
  const chain = await desk.chain(name)
  const address = chain.parseAddress(text)
  if (address === null) throw new UsageError(`${text} is not an address of ${name}`)
  return { chain, address }
}

async function isOurs(queries: Queries, network: string, address: string): Promise<boolean> {
  if ((await knownWallets(queries, network)).includes(address)) return true
  return (await ownedAddresses(queries, network, [address])).length > 0
}

function unlisted(network: string, to: string): UsageError {
  return new UsageError(`${to} is not listed for withdrawals on ${network}; "withdrawal add" lists it`)
}

/** Throws unless the treasury has these units beyond everything that is reserved or owed. */
async function requireFree(
  queries: Queries,
  market: OfferSources['market'],
  chain: ChainAdapter,
  token: Token,
  units: bigint,
): Promise<void> {
  const found = await freeUnits(queries, market, chain, token)
  if (!found) throw new UsageError(`balance or fees of ${token.symbol} on ${token.network} are not known now`)
  if (units <= found.free) return
  const isCompared = (await lastFinding(queries, chain.treasury, token))?.opened ?? false
  if (!isCompared)
    throw new UsageError(
      `the balance of ${token.symbol} on ${token.network} was not compared with the ledger yet: try again in a few minutes ("wallet list" shows when)`,
    )
  const { reserved, owed, gas } = found
  const text = (amount: bigint) => `${formatDecimal(amount > 0n ? amount : 0n, token.decimals)} ${token.symbol}`
  const kept = gas > 0n ? `, ${text(gas)} are kept for gas` : ''
  throw new UsageError(
    `at most ${text(found.free)} can be withdrawn: ${text(reserved)} are reserved for payouts, ${text(owed)} are owed to users${kept}`,
  )
}

/** The units of a token that may be withdrawn, and what keeps the rest; null if the balance or the fees are not known. */
export async function freeUnits(
  queries: Queries,
  market: OfferSources['market'],
  chain: ChainAdapter,
  token: Token,
): Promise<(Withdrawable & { gas: bigint }) | null> {
  const balance = market.balance(token)
  const gas = await gasFor(queries, market, token)
  if (!balance || gas === null) return null
  const found = await withdrawable(queries, token, { account: chain.treasury, balance })
  return { ...found, free: found.free - gas, gas }
}

/** The gas of all open payouts and of this one, if the native coin is withdrawn. */
async function gasFor(queries: Queries, market: OfferSources['market'], token: Token): Promise<bigint | null> {
  if (token.contract !== null) return 0n
  const gas = market.gas(token.network)
  return gas === null ? null : gas * ((await countOpenPayouts(queries, token.network)) + 1n)
}

async function wake(queries: Queries, { id: payoutId, network, account }: PayoutRow): Promise<void> {
  await addJob(queries, { task: 'pay', payload: { payoutId }, lane: laneOf(network, account) })
}
