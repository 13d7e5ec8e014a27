/** The books balance, say what the swaps say, and are what the chains hold, to the last unit. */
import type { Problem } from './check.ts'
import { chainIn, keyOf, tokensOf, type World } from './world.ts'

/** What the reconciler writes when it opens the books or finds something: facts of the chain, not of our doing. */
const RECONCILED = ['capital', 'capital moved', 'opening', 'unannounced']

export async function checkBooks(world: World): Promise<Problem[]> {
  return [...(await checkPostings(world)), ...(await checkSwapAccounts(world)), ...(await checkWallets(world))]
}

async function checkPostings(world: World): Promise<Problem[]> {
  const broken = await world.query<{ reason: string; sum: string }>(
    `select min(reason) as reason, sum(units) as sum from ledger_entry group by posting, network, token having sum(units) <> 0`,
  )
  return broken.map(({ reason, sum }) => ({ what: `a posting is off by ${sum}: ${reason}`, swap: null }))
}

/** What a swap owes by the books is what its deposits have left; what it promised is what is still to be paid. */
async function checkSwapAccounts(world: World): Promise<Problem[]> {
  const wrong = await world.query<{ number: number; owed: string; unspent: string; promised: string; open: string }>(
    `select * from (select (s.sequence - 1000000)::int as number,
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

async function checkWallets(world: World): Promise<Problem[]> {
  const rows = await world.query<{ owner: string; network: string; token: string; units: string }>(
    `select owner, network, token, sum(units) as units from ledger_entry
     where account = 'wallet' and not reason = any($1) group by 1, 2, 3`,
    [RECONCILED],
  )
  const addresses = await world.query<{ network: string; address: string }>(
    'select network, address from deposit_address',
  )
  return tokensOf(world.base).flatMap((token) => {
    const treasury = world.base.chains.get(token.network)?.treasury ?? ''
    const owners = [
      treasury,
      ...addresses.filter(({ network }) => network === token.network).map(({ address }) => address),
    ]
    return owners.flatMap((owner) => {
      const booked = rows.find(
        (row) => row.owner === owner && row.network === token.network && row.token === (token.contract ?? 'native'),
      )
      const opening = owner === treasury ? (world.opening.get(keyOf(token)) ?? 0n) : 0n
      const expected = opening + BigInt(booked?.units ?? 0)
      const held = chainIn(world, token.network).balance(owner, token.contract)
      if (held === expected) return []
      const where = owner === treasury ? 'the treasury' : `deposit address ${owner.slice(0, 12)}`
      return [
        { what: `${where} on ${token.network} holds ${held} ${token.symbol}, the books say ${expected}`, swap: null },
      ]
    })
  })
}
