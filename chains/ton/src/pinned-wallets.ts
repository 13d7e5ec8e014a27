/**
 * Computes our own jetton wallets from the network's file: a wallet's address is the hash of its code and initial data.
 */
import type { Address } from '@causeway/core'
import { beginCell, type Cell, contractAddress, type Address as TonAddress } from '@ton/core'
import { canonical, tonAddress } from './address.ts'
import type { JettonLayout, JettonPin, Settings } from './settings.ts'

export function pinnedWallets({ jettons }: Settings, owner: Address): ReadonlyMap<Address, Address> {
  return new Map([...jettons].map(([master, pin]) => [master, walletBy(pin, tonAddress(master), tonAddress(owner))]))
}

function walletBy(pin: JettonPin, master: TonAddress, owner: TonAddress): Address {
  if ('wallet' in pin) return pin.wallet
  const { code, layout } = pin
  return canonical(contractAddress(0, { code, data: firstData(layout, code, master, owner) }))
}

function firstData(layout: JettonLayout, code: Cell, master: TonAddress, owner: TonAddress): Cell {
  const data = beginCell()
  // The data of governed wallets begins with whether they are locked.
  if (layout === 'governed') data.storeUint(0, 4)
  data.storeCoins(0).storeAddress(owner).storeAddress(master)
  return (layout === 'classic' ? data.storeRef(code) : data).endCell()
}
