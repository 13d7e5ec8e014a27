/**
 * Cosmos addresses for the pages, and wallets that sign proofs and send deposits.
 */
import type { WalletFamily } from '@causeway/core/wallet'
import { isKeplr, walletOf } from './keplr.ts'

const ADDRESS = /^[a-z]{1,20}1[02-9ac-hj-np-z]{38,58}$/
/** Other bech32 strings with a chain's prefix that are not wallet addresses. */
const NO_WALLET = /^[a-z]+(valoper|valcons|pub)1/

/** The global name of each wallet, and its event for an account change. */
const PLACES = [
  { place: 'keplr', name: 'Keplr', changed: 'keplr_keystorechange' },
  { place: 'leap', name: 'Leap', changed: 'leap_keystorechange' },
]

export const family: WalletFamily = {
  discover(found) {
    const page = globalThis as Record<string, unknown>
    const wallets = PLACES.flatMap(({ place, name, changed }) => {
      const keplr = page[place]
      return isKeplr(keplr) ? [walletOf(place, name, keplr, changed)] : []
    })
    found(wallets)
    return () => undefined
  },
  readAddress(text) {
    const given = text.trim()
    const address = given === given.toUpperCase() ? given.toLowerCase() : given
    if (!ADDRESS.test(address) || NO_WALLET.test(address) || /^(bc|tb|bcrt)1/.test(address)) return { state: 'not_one' }
    return { state: 'ok', address, amount: null, fromLink: false }
  },
  paymentLink: ({ to_address: to }) => to,
}
