/** Fuel addresses for the pages, and wallets that send deposits through their connector. */
import type { Wallet, WalletFamily } from '@causeway/core/wallet'
import { isConnector, walletOf } from './connector.ts'

/** The event by which a connector announces itself, with itself as the detail. */
const ANNOUNCED = 'FuelConnector'

export const family: WalletFamily = {
  discover(found) {
    const wallets = new Map<string, Wallet>()
    const add = (connector: unknown) => {
      if (!isConnector(connector)) return
      const wallet = walletOf(connector)
      if (wallets.has(wallet.id)) return
      wallets.set(wallet.id, wallet)
      found([...wallets.values()])
    }
    const heard = (event: Event) => add((event as CustomEvent).detail)
    addEventListener(ANNOUNCED, heard)
    add((globalThis as Record<string, unknown>).fuel)
    return () => removeEventListener(ANNOUNCED, heard)
  },
  readAddress(text) {
    const address = text.trim()
    // Mixed case is a checksum, which the service checks.
    if (!/^0x[0-9a-f]{64}$/i.test(address)) return { state: 'not_one' }
    return { state: 'ok', address, amount: null, fromLink: false }
  },
  paymentLink: ({ to_address: to }) => to,
}
