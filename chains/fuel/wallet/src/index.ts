/** Fuel addresses for the pages. Deposits are made from any wallet, to a deposit address. */
import type { WalletFamily } from '@causeway/core/wallet'

export const family: WalletFamily = {
  readAddress(text) {
    const address = text.trim()
    // Mixed case is a checksum, which the service checks.
    if (!/^0x[0-9a-f]{64}$/i.test(address)) return { state: 'not_one' }
    return { state: 'ok', address, amount: null, fromLink: false }
  },
  paymentLink: ({ to_address: to }) => to,
}
