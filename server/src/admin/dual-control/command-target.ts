/**
 * The object of a command that may need a second person: its current state and its value. The state that the requester
 * saw must be unchanged when the second person confirms.
 */
import { type HoldCode, parseDecimal, tokenKey } from '@causeway/core'
import { readKey } from '../../store/apps/apps.ts'
import type { Queries } from '../../store/db/database.ts'
import { type Reach, withinReach } from '../../store/deposits/owed-deposits.ts'
import { readDeposit, readReturns } from '../../store/deposits/unmatched.ts'
import { readJournalRow } from '../../store/journal/journal-row.ts'
import { listHaltDifferences } from '../../store/limits/halts.ts'
import { listLimits, listSwitches } from '../../store/limits/safeguards.ts'
import type { Gift } from '../../store/operators/given-away.ts'
import { listOperators } from '../../store/operators/operators.ts'
import { ERASE } from '../../store/operators/requests.ts'
import { type OpenHold, readOpenHold } from '../../store/payouts/holds.ts'
import { readPayout } from '../../store/payouts/payouts.ts'
import { readSwap, saleIn } from '../../store/swaps/swaps.ts'
import { amountAt, type CommandContext, tokenAmount, UsageError } from '../context/command-context.ts'
import type { Given } from '../context/grammar.ts'
import { haltCausesNamed, payoutHoldNamed, shownHold } from '../context/hold-ref.ts'
import { fingerprintOf, publicTextIn } from '../context/identity.ts'
import { roleNamed, suffices } from '../context/roles.ts'
import { storedScope } from '../context/switch-scope.ts'
import { haltNamed } from '../context/wallet-ref.ts'
import { hashOfAddress } from '../keep/erase.ts'
import { fundingNamed } from '../treasury/funding.ts'
import { withdrawalNamed } from '../treasury/withdraw.ts'

export interface CommandTarget {
  /** The object's state as one text, for comparison. */
  seen: string
  /**
   * Whether the command always needs a second person, only above the dollar threshold, or never because it tightens
   * something.
   */
  wants: 'always' | 'worth' | 'never'
  /** The value in dollars; null if unknown, or if the command has no amount. */
  usd: number | null
  /** The value that the command gives away; counted over a day if one person decides alone. */
  gifts?: Gift[]
  /** A description for the confirmer; empty if the command line is clear enough. */
  about?: string
}

type Values = Given['values']
type Reader = (
  desk: CommandContext,
  values: Values,
  name: string,
) => Promise<Omit<CommandTarget, 'seen'> & { seen: unknown }>

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** A limit that is only shown, and has no effect on payouts. */
const SIGN = 'wallet_floor'
/** Fewer admins than this cannot confirm each other. */
const PAIR = 2

const READERS: Record<string, Reader> = {
  // The confirmer approves exactly the hold that the requester was shown.
  'payout approve': async (desk, { id = '', hold }) =>
    payout(desk, id, 'worth', await payoutHoldNamed(desk.database, 'payout approve', known(id), hold)),
  'restore --resume': signing,
  // After this command the service signs for this database, whatever was signed for it before.
  'journal init': async ({ database }) => ({
    ...{ seen: (await readJournalRow(database))?.id ?? null, wants: 'always', usd: null },
    about: 'a new signing journal for a database that has signed before',
  }),
  'restore --without-journal': signing,
  'restore import': signing,
  'campaign retry': async (desk, { payout: id }) => {
    const target = await payout(desk, id, 'worth')
    return { ...target, gifts: gift(id, target.usd) }
  },
  'swap refund': async (desk, { id = '', to = '' }) => {
    const record = UUID.test(id) ? await readSwap(desk.database, id) : null
    if (!record) throw new UsageError(`there is no swap ${id}`)
    const { row } = record
    const owed = withinReach(record)
    const amounts = owed.flatMap((one) => one.amounts)
    const usd = worthOf(desk, amounts)
    const texts = amounts.map(({ network, token, units }) => `${amountAt(desk, network, token, units)} on ${network}`)
    const about = `up to ${texts.join(' and ') || 'nothing'} to ${to}`
    const each = owed.map((one) => [
      one.deposit.id,
      one.deposit.refund_address,
      ...one.amounts.map(({ token, units }) => `${units} ${token}`),
    ])
    const gifts = owed.map((one) => ({ object: one.deposit.id, usd: worthOf(desk, one.amounts) ?? 0 }))
    return { seen: [row.status, row.refund_address, each], wants: 'worth', usd, gifts, about }
  },
  // One person states the units, and they decide how much is paid on.
  'swap proceeds': async (desk, { id = '', units = '' }) => {
    const sale = saleIn(UUID.test(id) ? await readSwap(desk.database, id) : null)
    if (!sale?.leg) throw new UsageError(`there is no sale of a swap ${id}`)
    const amount = /^\d+$/.test(units) ? amountAt(desk, sale.network, sale.leg.buys, BigInt(units)) : units
    const about = `the sale ${sale.tx_hash} brought ${amount}: look the transaction up yourself`
    return { seen: [sale.id, `${sale.received_units}`], wants: 'always', usd: null, about }
  },
  'wallet withdraw': async (desk, values) => {
    const { token, units, to } = await withdrawalNamed(desk, values)
    const key = tokenKey(token)
    const about = `${tokenAmount(desk, token, units)} on ${token.network} to ${to}`
    const usd = desk.worth?.(token.network, key, units) ?? null
    return { seen: [token.network, key, `${units}`, to], wants: 'worth', usd, gifts: gift(null, usd), about }
  },
  'wallet rotate': async (_desk, { network = '', to = '', apply }) => ({
    ...{ seen: [network, to], wants: apply === undefined ? 'never' : 'always', usd: null },
    about: `everything that is neither reserved nor owed on ${network} to ${to}: compare it with the new keys`,
  }),
  'withdrawal add': async (_desk, { network = '', address = '' }) => ({
    ...{ seen: [network, address], wants: 'always', usd: null },
    about: `from then on withdrawals on ${network} may go to ${address}: compare it with the wallet itself`,
  }),
  'unmatched assign': givenDeposit,
  'unmatched refund': givenDeposit,
  // A deposit that is declared capital is no longer owed to its sender. It leaves by a withdrawal, which counts then.
  'unmatched capital': deposit,
  'funding announce': async (desk, values) => {
    const { token, units, from } = await fundingNamed(desk, values)
    const key = tokenKey(token)
    const about = `${tokenAmount(desk, token, units)} on ${token.network} from ${from ?? 'anyone'}`
    const usd = desk.worth?.(token.network, key, units) ?? null
    // Without a sender, anyone's transfer of that amount would become capital.
    return { seen: [token.network, key, `${units}`, from], wants: from === null ? 'always' : 'worth', usd, about }
  },
  'switch resume': async ({ database }, { scope = '' }) => pauseOf(database, await storedScope(database, scope)),
  'campaign resume': async ({ database }, { name }) => pauseOf(database, `campaign:${name}`),
  'wallet release': async (desk, { network: named = '', wallet = '', hold }) => {
    const { database } = desk
    const { network, account } = await haltNamed(database, named, wallet)
    const { causes } = await haltCausesNamed(database, { network, account }, hold)
    const missing = (await listHaltDifferences(database)).filter(
      (row) => row.network === network && row.account === account,
    )
    const seen = [causes.map(({ id }) => id), missing.map(({ token, units }) => [token, `${units}`])]
    const amounts = missing.map(({ token, units }) => amountAt(desk, network, token, units))
    const about = `halted: ${causes.map(shownHold).join('; ')}; missing: ${amounts.join(', ') || 'nothing'}`
    return { seen, wants: 'always', usd: null, about }
  },
  'limit set': async (desk, values) => {
    if (values.kind === SIGN) return { seen: null, wants: 'never', usd: null }
    const present = await limitOf(desk, values)
    const wanted = parseDecimal(values.usd ?? '', 18)
    // Without a limit of this kind a default may apply, which the new limit would replace.
    const isTighter = present === undefined ? values.kind !== 'hourly_outflow' : wanted !== null && wanted <= present
    return { seen: `${present}`, wants: isTighter ? 'never' : 'always', usd: null }
  },
  'limit clear': async (desk, values) => ({
    seen: `${await limitOf(desk, values)}`,
    wants: values.kind === SIGN ? 'never' : 'always',
    usd: null,
  }),
  // A secret key acts for its app: it names the refund addresses of the app's swaps.
  'key create': async (_desk, { app = '', kind = 'secret' }) => ({
    ...{ seen: [app, kind], wants: kind === 'public' ? 'never' : 'always', usd: null },
    about: `a ${kind} key of the app ${app}, shown to the person who confirms`,
  }),
  'key rotate': async ({ database }, { id = '' }) => {
    const key = UUID.test(id) ? await readKey(database, id) : null
    const about = `a successor of the key ${key?.hint ?? id}, shown to the person who confirms`
    return { seen: [id, key?.revoked_at ?? null], wants: key?.kind === 'public' ? 'never' : 'always', usd: null, about }
  },
  // It cannot be undone, and takes evidence away.
  [ERASE]: async (_desk, { address = '' }) => ({
    ...{ seen: hashOfAddress(address), wants: 'always', usd: null },
    about: 'removes this address and the history of its closed swaps for good',
  }),
  'depository unpause': async () => ({ seen: null, wants: 'always', usd: null }),
  'depository rotate': async () => ({ seen: null, wants: 'always', usd: null }),
  // The first two operators add each other, since there is no one else yet.
  'operator add': async (desk, { key = '' }) => {
    const admins = await adminsOf(desk.database)
    const about = `fingerprint of the key: ${fingerprintIn(key)}; whoever confirms says that they know them too`
    return { seen: fingerprintIn(key), wants: admins.length < PAIR ? 'never' : 'always', usd: null, about }
  },
  'operator role': async (desk, { role = '' }, name) => {
    const { role: has = 'viewer' } = (await listOperators(desk.database)).find((other) => other.name === name) ?? {}
    const [before, after] = [roleNamed(has) ?? 'viewer', roleNamed(role) ?? 'admin']
    const wants = suffices(before, after) ? await leaving(desk, name) : 'always'
    return { seen: has, wants, usd: null }
  },
  'operator remove': async (desk, _values, name) => ({ seen: null, wants: await leaving(desk, name), usd: null }),
}

/** The object of a command; null if one person is always enough. */
export async function commandTarget(
  desk: CommandContext,
  command: string,
  { values, names }: Given,
): Promise<CommandTarget | null> {
  const read = Object.hasOwn(READERS, command) ? READERS[command] : undefined
  if (!read) return null
  const subject = await read(desk, values, names[0] ?? '')
  return { ...subject, seen: JSON.stringify(subject.seen) }
}

/** The value of these amounts; null if one of them is unknown. */
function worthOf(desk: CommandContext, amounts: Reach['amounts']): number | null {
  const values = amounts.map(({ network, token, units }) => desk.worth?.(network, token, units) ?? null)
  return values.includes(null) ? null : values.reduce<number>((sum, usd) => sum + (usd ?? 0), 0)
}

/** The key's fingerprint; an invalid key is reported by the command itself. */
function fingerprintIn(key: string): string {
  try {
    return fingerprintOf(publicTextIn(key))
  } catch {
    return 'none'
  }
}

function known(id: string): string {
  if (UUID.test(id)) return id
  throw new UsageError(`there is no payout ${id}`)
}

function gift(object: string | null | undefined, usd: number | null): Gift[] {
  return [{ object: object ?? null, usd: usd ?? 0 }]
}

/** Approving one of these pays with the service's own money: nothing, or not enough, was received for it. */
const UNBACKED: readonly HoldCode[] = ['payout_reorged', 'deposit_lost', 'deposit_unlocatable', 'excess_proceeds']

async function payout(desk: CommandContext, id = '', wants: 'always' | 'worth', named?: OpenHold | null) {
  const row = UUID.test(id) ? await readPayout(desk.database, id) : null
  if (!row) throw new UsageError(`there is no payout ${id}`)
  const { network, token, units, to_address: to, state } = row
  const hold = named === undefined ? await readOpenHold(desk.database, id) : named
  const usd = desk.worth?.(network, token, units) ?? null
  const about = `${amountAt(desk, network, token, units)} on ${network} to ${to}: ${hold ? shownHold(hold) : state}`
  const gifts = hold && UNBACKED.includes(hold.hold.code) ? gift(id, usd) : []
  return { seen: [network, token, `${units}`, to, state, hold?.id ?? null], wants, usd, gifts, about }
}

async function signing({ database }: CommandContext) {
  const row = await readJournalRow(database)
  const about = `signing: ${row?.state ?? 'no journal'}`
  return { seen: row?.state ?? null, wants: 'always' as const, usd: null, about }
}

async function deposit(desk: CommandContext, { deposit: id = '', to, swap: given }: Values): ReturnType<Reader> {
  const row = UUID.test(id) ? await readDeposit(desk.database, id) : null
  if (!row) throw new UsageError(`there is no deposit ${id}`)
  const { network, token, units, swap_id: swap, state, resolution } = row
  const word = (await readReturns(desk.database, [id])).get(id)
  const decided = word?.to_address ?? word?.swap_id
  const destination = to ? ` to ${to}` : given ? ` to the swap ${given}` : ''
  return {
    seen: [`${units}`, swap, state, resolution, decided],
    wants: 'worth',
    usd: desk.worth?.(network, token, units) ?? null,
    about: `${amountAt(desk, network, token, units)} on ${network} from ${row.from_address ?? 'an unknown sender'}${destination}`,
  }
}

async function givenDeposit(desk: CommandContext, values: Values): ReturnType<Reader> {
  const target = await deposit(desk, values)
  return { ...target, gifts: gift(values.deposit, target.usd) }
}

/** The current limit, looked up by the stored scope: scopes are case-insensitive. */
async function limitOf({ database }: CommandContext, { kind, scope: given = '' }: Values): Promise<bigint | undefined> {
  const scope = await storedScope(database, given)
  return (await listLimits(database)).find((row) => row.kind === kind && row.scope === scope)?.usd
}

async function pauseOf(queries: Queries, scope: string): ReturnType<Reader> {
  const seen = (await listSwitches(queries)).filter((row) => row.scope === scope)
  const about = `paused: ${seen.map(({ reason }) => reason).join() || 'not any more'}`
  return { seen, wants: 'always', usd: null, about }
}

async function adminsOf(queries: Queries): Promise<string[]> {
  const people = await listOperators(queries)
  return people.filter(({ role, disabled_at }) => role === 'admin' && disabled_at === null).map(({ name }) => name)
}

/** Whether only two admins are left and this is one: one of them must not remove the other and then add accomplices. */
export async function isOneOfLastTwo(queries: Queries, name: string): Promise<boolean> {
  const admins = await adminsOf(queries)
  return admins.includes(name) && admins.length <= PAIR
}

async function leaving({ database }: CommandContext, name: string): Promise<'always' | 'never'> {
  return (await isOneOfLastTwo(database, name)) ? 'always' : 'never'
}
