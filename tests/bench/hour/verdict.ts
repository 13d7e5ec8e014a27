/** Invariants at rest, read from the chains: no double payment, no lost money, ledger equals chains. */
import { tokenKey } from '@causeway/core'
import type pg from 'pg'
import type { World } from '../../support/processes/world.ts'
import type { Manners, Story } from './users.ts'

/** The value may differ by the rounding of refuels. */
const CENT = 0.01
/** The maximum cost of a refund in addition to the quoted fee, as a share of the deposit. */
const COST_SHARE = 0.05

export interface Verdict {
  problems: string[]
  ends: Record<string, number>
}

export async function judgeAll(
  world: World,
  books: pg.Pool,
  stories: readonly Story[],
  { prices }: Pick<Manners, 'prices'>,
): Promise<Verdict> {
  const problems: string[] = []
  const ends: Record<string, number> = {}
  const { rows } = await books.query<{ id: string; status: string }>('select id, status from swap')
  const statuses = new Map(rows.map((row) => [row.id, row]))
  const usd = (units: bigint, { decimals, group }: Story['source']) =>
    (Number(units) / 10 ** decimals) * (prices[group ?? ''] ?? 0)
  for (const story of stories) {
    const { source, destination, recipient, refundTo, kind, id } = story
    const status = statuses.get(id)?.status ?? 'forgotten'
    ends[`${kind}: ${status}`] = (ends[`${kind}: ${status}`] ?? 0) + 1
    const native = world.sandbox.catalogue.network(destination.network).nativeToken
    const out = await world.balance(destination, recipient)
    const back = await world.balance(source, refundTo)
    const fuel = destination.contract === null ? 0n : await world.balance(native, recipient)
    const paid = [...story.deposits.values()].reduce((sum, units) => sum + units, 0n)
    const [given, got] = [usd(paid, source), usd(out, destination) + usd(back, source) + usd(fuel, native)]
    const costs = usd(story.feeUnits, source) * (story.deposits.size + 1) + given * COST_SHARE
    const told = `${kind} ${id} ${source.network}/${source.symbol} to ${destination.network}/${destination.symbol}, ${status}`
    const sums = `gave ${paid} (${given.toFixed(2)} USD), got ${out} and ${back} back (${got.toFixed(2)} USD)`
    if (got > given + CENT) problems.push(`paid too much: ${told}: ${sums}`)
    if (got < given - costs && kind !== 'under')
      problems.push(`lost: ${told}: ${sums}, the quote's fee was ${story.feeUnits}`)
    const isPlain = kind === 'direct' || kind === 'address' || kind === 'refuel'
    // The promise is shown with the token's display precision: the payment may be between two steps.
    const grain = 10n ** BigInt(Math.max(0, destination.decimals - destination.precision))
    if (isPlain && out >= story.receiveUnits + grain)
      problems.push(`more than was promised: ${told}: ${out} of ${story.receiveUnits}`)
    if (isPlain && status === 'completed' && out < story.minReceiveUnits) {
      problems.push(`less than was promised: ${told}: ${out} of ${story.minReceiveUnits}`)
    }
    if (isPlain && !['completed', 'forgotten'].includes(status)) problems.push(`did not end well: ${told}: ${sums}`)
  }
  return { problems: [...problems, ...(await booksAgainstChains(world, books)), ...(await leftovers(books))], ends }
}

async function booksAgainstChains(world: World, books: pg.Pool): Promise<string[]> {
  const { rows } = await books.query<{ owner: string; network: string; token: string; units: string }>(
    "select owner, network, token, sum(units) as units from ledger_entry where account = 'wallet' group by 1, 2, 3",
  )
  const problems: string[] = []
  for (const { owner, network, token: key, units } of rows) {
    const token = world.sandbox.catalogue.network(network).tokens.find((one) => tokenKey(one) === key)
    const held = token ? await world.balance(token, owner) : null
    const name = owner === world.sandbox.treasuries[network] ? 'the treasury' : owner
    if (`${held}` !== units)
      problems.push(`${name} on ${network} holds ${held} ${token?.symbol}, the books say ${units}`)
  }
  return problems
}

async function leftovers(books: pg.Pool): Promise<string[]> {
  const { rows } = await books.query<{ what: string }>(
    `select 'a wallet is halted: ' || network || ' ' || code || ' ' || params as what from hold where account is not null and closed_at is null
     union all select 'something is paused: ' || scope || ' ' || coalesce(reason, '') from switch where stops_swaps or stops_payouts
     union all select 'an open payout: ' || kind || ' ' || id || ' ' || coalesce(
       (select code from hold where payout_id = payout.id and closed_at is null limit 1), '') from payout where state = 'open'
     union all select 'unmatched: ' || network || ' ' || tx_hash || ' ' || units from deposit
       where swap_id is null and resolution is null and state <> 'gone'
     union all select 'a posting is off: ' || min(reason) from ledger_entry group by posting, network, token having sum(units) <> 0`,
  )
  return rows.map(({ what }) => what)
}
