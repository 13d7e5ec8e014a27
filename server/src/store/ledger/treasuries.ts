/** The wallet that each network has had in these books. */
import type { Queries } from '../db/database.ts'

/** Stores a network's wallet at its first start; returns the stored one if it differs. */
export async function claimTreasury(
  queries: Queries,
  network: string,
  address: string,
  isMeant: boolean,
): Promise<string | null> {
  const known = await knownTreasury(queries, network, address)
  if (known !== null && known !== address && !isMeant) return known
  await queries
    .insertInto('treasury')
    .values({ network, address })
    .onConflict((conflict) => conflict.column('network').doUpdateSet({ address }))
    .execute()
  return null
}

/** Books that are older than this memory know the wallets that signed for them. */
async function knownTreasury(queries: Queries, network: string, address: string): Promise<string | null> {
  const kept = await queries.selectFrom('treasury').select('address').where('network', '=', network).executeTakeFirst()
  if (kept) return kept.address
  const signers = await queries.selectFrom('signing_account').select('account').where('network', '=', network).execute()
  return signers.some(({ account }) => account === address) ? address : (signers[0]?.account ?? null)
}

/** Whatever has signed for a network in these books or may do so, its present treasury first. */
export async function knownWallets(queries: Queries, network: string): Promise<string[]> {
  const treasuries = await queries.selectFrom('treasury').select('address').where('network', '=', network).execute()
  const signers = await queries.selectFrom('signing_account').select('account').where('network', '=', network).execute()
  return [...new Set([...treasuries.map(({ address }) => address), ...signers.map(({ account }) => account)])]
}
