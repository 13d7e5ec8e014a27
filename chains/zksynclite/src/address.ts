/** Addresses of this family are Ethereum's: 40 hex digits, canonical in the mixed case of EIP-55, which is checked. */
import { evmAddresses } from '@causeway/chain-kit'
import type { Address, TokenNaming } from '@causeway/core'
import { getAddress, zeroAddress } from 'viem'

const { parseAddress, canonical } = evmAddresses(getAddress)

export { canonical }
export const naming: TokenNaming = { nativeAddress: zeroAddress, parseAddress }

/** The server rejects the zero address; the other one has no key. */
const NOBODYS = [zeroAddress, '0x000000000000000000000000000000000000dEaD']

export function isUnpayable(address: Address): boolean {
  return NOBODYS.includes(address)
}
