/**
 * Checks the ledger: postings balance, they match the swaps, and balances equal those on the chains to the last unit.
 */
import { tokenKey } from '@causeway/core'
import { chainIn, isForgotten, isRobbed, keyOf, missingUnits, tokensOf, type World } from '../world/world.ts'
import { movesOn } from './chains.ts'
import type { Problem } from './problem.ts'

export async function checkBooks(world: World): Promise<Problem[]> {
  const found = [await checkPostings(world), await checkSwapAccounts(world), await checkWallets(world)]
  return [...found.flat(), ...(await checkReconciler(world)), ...(await checkSwept(world))]
}

export async function checkPostings(world: World): Promise<Problem[]> {
  const broken = await world.query<{ reason: string; sum: string }>(
    `select min(reason) as reason, sum(units) as sum from ledger_entry group by posting, network, token having sum(units) <> 0`,
  )
  return broken.map(({ reason, sum }) => ({ what: `a posting is off by ${sum}: ${reason}`, swap: null }))
}

/** The ledger's debt to a swap is the unspent part of its deposits; its liability is what is still to be paid. */
async function checkSwapAccounts(world: World): Promise<Problem[]> {
  const wrong = await world.query<{ number: number; owed: string; unspent: string; promised: string; open: string }>(
    `select * from (select s.reference::float8 as number,
       coalesce((select -sum(units) from ledger_entry e where e.owner = s.id::text and account = 'customer'), 0) as owed,
       coalesce((select sum(units - output_units - refund_units) from deposit d
         where d.swap_id = s.id and d.state = 'confirmed'), 0) as unspent,
       coalesce((select -sum(units) from ledger_entry e where e.owner = s.id::text and account = 'promised'), 0) as promised,
       coalesce((select sum(units) from payout p where p.swap_id = s.id and p.state = 'open'), 0) as open
     from swap s) sums where owed <> unspent or promised <> open`,
  )
  return wrong.map(({ number, owed, unspent, promised, open }) => ({
    what: `the books owe ${owed} and promise ${promised}, the swap ${unspent} and ${open}`,
    swap: number,
  }))
}

export async function checkWallets(world: World): Promise<Problem[]> {
  const rows = await world.query<{ owner: string; network: string; token: string; units: string }>(
    "select owner, network, token, sum(units) as units from ledger_entry where account = 'wallet' group by 1, 2, 3",
  )
  // Lost addresses are watched from `restored` on. Deposits from before, while the service ran without it, are not
  // scanned again.
  const addresses = await world.query<{ network: string; address: string }>(
    "select network, address from deposit_address where purpose <> 'restored'",
  )
  const robbed = robbedNetworks(world)
  return seenTokens(world).flatMap((token) => {
    const treasury = treasuryOn(world, token.network)
    const former = world.formerWallets.get(token.network)
    const owners = [
      treasury,
      ...(former === undefined ? [] : [former]),
      ...addresses.filter(({ network }) => network === token.network).map(({ address }) => address),
    ]
    return owners.flatMap((owner) => {
      const booked = rows.find(
        (row) => row.owner === owner && row.network === token.network && row.token === tokenKey(token),
      )
      const held = chainIn(world, token.network).balance(owner, token.contract)
      if (`${held}` === (booked?.units ?? '0') || (owner === treasury && robbed.has(token.network))) return []
      const wallet = owner === former ? 'the former treasury' : `deposit address ${owner.slice(0, 12)}`
      const where = owner === treasury ? 'the treasury' : wallet
      const difference = `holds ${held} ${token.symbol}, the books say ${booked?.units ?? 0}`
      return [{ what: `${where} on ${token.network} ${difference}`, swap: null }]
    })
  })
}

/**
 * Postings of the reconciler and the operator match facts of this world: the opening capital, unexplained credits, and
 * third-party debits. A wallet is halted only if coins are missing.
 */
async function checkReconciler(world: World): Promise<Problem[]> {
  const halts = await world.query<{ network: string; reason: string }>(
    "select network, string_agg(code, ', ') as reason from hold where account is not null and closed_at is null group by network",
  )
  const rows = await world.query<{ reason: string; owner: string; network: string; token: string; units: string }>(
    `select reason, owner, network, token, sum(units) as units from ledger_entry
     where account = 'wallet' and reason in ('capital', 'unannounced', 'restored', 'restored payout', 'difference accepted')
     group by 1, 2, 3, 4`,
  )
  const booked = await world.query<{ network: string }>('select network from accepted_transaction')
  const robbed = robbedNetworks(world)
  const problems = halts
    .filter(({ network }) => !robbed.has(network))
    .map(({ network, reason }) => `the wallet on ${network} is halted for nothing: ${reason}`)
  for (const network of robbed)
    if (!halts.some((halt) => halt.network === network) && !booked.some((row) => row.network === network))
      problems.push(`the wallet on ${network} was robbed and is not halted`)
  for (const token of seenTokens(world)) {
    if (robbed.has(token.network)) continue
    const treasury = treasuryOn(world, token.network)
    const own = rows.filter(({ network, token: key }) => network === token.network && key === tokenKey(token))
    const sum = (reason: string) =>
      own.filter((row) => row.reason === reason).reduce((total, { units }) => total + BigInt(units), 0n)
    const opening = world.openingBalances.get(keyOf(token)) ?? 0n
    const gifts = (world.gifts.get(keyOf(token)) ?? 0n) - missingUnits(world, token.network, token.contract)
    const [capital, unannounced] = [sum('capital'), sum('unannounced')]
    const gone = sum('restored') + sum('restored payout') + sum('difference accepted')
    // Money from before the ledger was opened counts as capital.
    if (capital + unannounced + gone !== opening + gifts || capital < opening || unannounced < 0n || gone > 0n)
      problems.push(
        `the reconciler booked ${capital}, ${unannounced} and ${gone} ${token.symbol} on ${token.network}, there came ${opening} and ${gifts}`,
      )
    const elsewhere = own.find(({ owner }) => owner !== treasury)
    if (elsewhere) problems.push(`the reconciler booked ${elsewhere.units} at ${elsewhere.owner}, where nothing came`)
  }
  return problems.map((what) => ({ what, swap: null }))
}

/** Only we sweep deposit addresses: the swept amounts in the ledger equal those on the chain. */
async function checkSwept(world: World): Promise<Problem[]> {
  const rows = await world.query<{ owner: string; network: string; token: string; units: string }>(
    `select owner, network, token, -sum(units) as units from ledger_entry
     where account = 'wallet' and reason = 'sweep' and units < 0 group by 1, 2, 3`,
  )
  const owned = new Set(
    (await world.query<{ address: string }>('select address from deposit_address')).map(({ address }) => address),
  )
  const moved = new Map<string, bigint>()
  for (const { network, transaction, index } of movesOn(world)) {
    const move = transaction.moves[index]
    if (!move || !owned.has(move.from) || isForgotten(world, { network, contract: move.contract })) continue
    const key = `${move.from} on ${network}, ${move.contract ?? 'native'}`
    moved.set(key, (moved.get(key) ?? 0n) + move.units)
  }
  const seen = rows.filter(({ network, token }) =>
    seenTokens(world).some((one) => one.network === network && tokenKey(one) === token),
  )
  const booked = new Map(
    seen.map(({ owner, network, token, units }) => [`${owner} on ${network}, ${token}`, BigInt(units)]),
  )
  return [...new Set([...moved.keys(), ...booked.keys()])]
    .filter((key) => moved.get(key) !== booked.get(key))
    .map((key) => ({
      what: `${booked.get(key) ?? 0} were booked as swept, ${moved.get(key) ?? 0} were: ${key}`,
      swap: null,
    }))
}

/** If coins are missing, an unexplained credit cannot be told from them: then only the halt is required. */
function robbedNetworks(world: World): Set<string> {
  return new Set([...world.chains.keys()].filter((network) => isRobbed(world, network)))
}

function seenTokens(world: World) {
  return tokensOf(world.base).filter((token) => !isForgotten(world, token))
}

function treasuryOn({ base }: World, network: string): string {
  return base.chains.get(network)?.treasury ?? ''
}
