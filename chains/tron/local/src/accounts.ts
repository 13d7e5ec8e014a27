/** The local chain's users, with well-known keys, and their addresses as wallets write them. */
import type { Address, TestAccount } from '@causeway/core'
import { createBase58check } from '@scure/base'
import { bytesToHex } from 'viem'
import { mnemonicToAccount, privateKeyToAddress } from 'viem/accounts'
import { sha256 } from './messages.ts'

const base58check = createBase58check((data: Uint8Array) => sha256(Buffer.from(data)))
const MNEMONIC = 'test test test test test test test test test test test junk'
const ACCOUNTS = 10

export function localAccounts(): TestAccount[] {
  const parent = mnemonicToAccount(MNEMONIC, { path: "m/44'/195'/0'/0" as `m/44'/60'/${string}` }).getHdKey()
  return Array.from({ length: ACCOUNTS }, (_, index) => {
    const { privateKey } = parent.deriveChild(index)
    if (!privateKey) throw new Error('no key at this path')
    const secret = bytesToHex(privateKey).slice(2)
    return { secret, address: base58Of(`41${privateKeyToAddress(`0x${secret}`).slice(2).toLowerCase()}`) }
  })
}

/** The address as 42 hex digits. */
export function hexOf(address: Address): string {
  return Buffer.from(base58check.decode(address)).toString('hex')
}

export function base58Of(hex: string): Address {
  return base58check.encode(Buffer.from(hex, 'hex'))
}
