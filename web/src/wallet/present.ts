/** The display name of the network that a wallet is on. */
import type { Wallet } from '@causeway/core/wallet'
import type { Network } from '@causeway/sdk/light'
import { client } from '../api/client.ts'
import { visible } from '../money/format.ts'
import { wallet as text } from '../text/texts.ts'

/**
 * The name of the wallet's network; null if the wallet does not report it. `wanted`: the network that it should be on.
 */
export async function presentNetwork(
  wallet: Pick<Wallet, 'network' | 'nameOf'>,
  wanted: Pick<Network, 'type'>,
): Promise<string | null> {
  const id = await wallet.network().catch(() => null)
  if (id === null) return null
  const listed = await client.networks().catch(() => [])
  const found = listed.find(({ type, chain_id }) => type === wanted.type && chain_id === id)
  if (found) return visible(found.display_name)
  const known = wallet.nameOf?.(id)
  // A name is shown as it is, a chain id with a word before it.
  return known ?? (/^-?(0x)?[0-9a-f]*\d[0-9a-f]*$/i.test(id) ? text.chain(id) : visible(id))
}
