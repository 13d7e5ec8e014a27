/** The local ledger's users: well-known keys that sign like a wallet of such a ledger. */
import { createHash } from 'node:crypto'
import type { TestAccount } from '@causeway/core'
import { getStarkKey, grindKey, sign } from '@scure/starknet'
import { type Hex, keccak256, stringToBytes } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { LINK_WORDS, linkedHash, type Request, transferHash, wordsFor } from './codec.ts'

const ACCOUNTS = 10

export function localAccounts(): TestAccount[] {
  return Array.from({ length: ACCOUNTS }, (_, index) => {
    const secret = keccak256(stringToBytes(`a user of the local StarkEx ledger ${index}`))
    return { address: privateKeyToAccount(secret).address, secret }
  })
}

/** A key for an account of which only the address is known. */
export function strangersKey(address: string): string {
  return `0x${BigInt(getStarkKey(grindKey(address.slice(2).padStart(64, '0')))).toString(16)}`
}

export interface Wallet {
  address: string
  starkKey: string
  link(): Promise<unknown>
  transfer(message: Omit<Request, 'stark_signature'>): Promise<{ body: unknown; headers: Record<string, string> }>
}

export function openWallet(secret: string): Wallet {
  const account = privateKeyToAccount(secret as Hex)
  const stark = grindKey(createHash('sha256').update(`stark ${secret}`).digest('hex'))
  const starkKey = `0x${BigInt(getStarkKey(stark)).toString(16)}`
  const signed = (hash: bigint) => {
    const { r, s } = sign(hash.toString(16).padStart(64, '0'), stark)
    return { r: `0x${r.toString(16)}`, s: `0x${s.toString(16)}` }
  }
  return {
    address: account.address,
    starkKey,
    link: async () => ({
      ether_key: account.address,
      stark_key: starkKey,
      eth_signature: await account.signMessage({ message: LINK_WORDS }),
      stark_signature: signed(linkedHash(account.address, starkKey)),
    }),
    async transfer(message) {
      const hash = transferHash(message)
      const body = { sender_stark_key: starkKey, requests: [{ ...message, stark_signature: signed(hash) }] }
      const ethereum = await account.signMessage({ message: wordsFor(hash) })
      return { body, headers: { 'x-imx-eth-address': account.address, 'x-imx-eth-signature': encodeURI(ethereum) } }
    },
  }
}
