/** Addresses of Cosmos chains for the pages. Deposits are made from any wallet, to a deposit address or with the memo that is shown. */
import type { WalletFamily } from '@causeway/core/wallet'

const ADDRESS = /^[a-z]{1,20}1[02-9ac-hj-np-z]{38,58}$/
/** What else begins with a chain's prefix and is nobody's wallet. */
const NO_WALLET = /^[a-z]+(valoper|valcons|pub)1/

export const family: WalletFamily = {
  readAddress(text) {
    const given = text.trim()
    const address = given === given.toUpperCase() ? given.toLowerCase() : given
    if (!ADDRESS.test(address) || NO_WALLET.test(address) || /^(bc|tb|bcrt)1/.test(address)) return { state: 'not_one' }
    return { state: 'ok', address, amount: null, fromLink: false }
  },
  paymentLink: ({ to_address: to }) => to,
}
