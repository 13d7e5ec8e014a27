/** Addresses of Cosmos chains for the pages, and wallets that prove them. Deposits are made to a deposit address, or with the memo that is shown. */
import type { WalletFamily } from '@causeway/core/wallet'
import { isKeplr, walletOf } from './keplr.ts'

const ADDRESS = /^[a-z]{1,20}1[02-9ac-hj-np-z]{38,58}$/
/** What else begins with a chain's prefix and is nobody's wallet. */
const NO_WALLET = /^[a-z]+(valoper|valcons|pub)1/

/** Who stands where in the page, and what it says when another account is chosen. */
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
