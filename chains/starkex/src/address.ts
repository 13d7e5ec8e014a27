/**
 * Accounts of a StarkEx ledger are Stark keys. People know them by the Ethereum address that registered the key: 40 hex
 * digits, canonical in the mixed case of EIP-55, which is checked.
 */
import { evmAddresses } from '@causeway/chain-kit'
import type { Address, Network, TokenNaming } from '@causeway/core'
import { getAddress, zeroAddress } from 'viem'

const { parseAddress, canonical } = evmAddresses(getAddress)

export { canonical }
export const naming: TokenNaming = { nativeAddress: zeroAddress, parseAddress }

/** Addresses without a key. */
const NOBODYS = [zeroAddress, '0x000000000000000000000000000000000000dEaD']

export function isUnpayable({ tokens }: Network, address: Address): boolean {
  return NOBODYS.includes(address) || tokens.some(({ contract }) => contract === address)
}
