/** The local chain's users: well-known keys that sign like a wallet with the public zk library. */
import type { TestAccount } from '@causeway/core'
import { type Hex, keccak256, stringToBytes } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import zk from 'zksync-crypto'
import {
  type KeyChangeOp,
  keyChangeRaw,
  nameOf,
  type Op,
  type Posted,
  signedBytes,
  type TransferOp,
  transferWords,
} from './codec.ts'

const ACCOUNTS = 10

export function localAccounts(): TestAccount[] {
  return Array.from({ length: ACCOUNTS }, (_, index) => {
    const secret = keccak256(stringToBytes(`a user of the local zkSync Lite ${index}`))
    return { address: privateKeyToAccount(secret).address, secret }
  })
}

export interface Wallet {
  address: string
  keyHash: string
  transfer(op: Omit<TransferOp, 'type' | 'from'>): Promise<Posted>
  keyChange(op: Omit<KeyChangeOp, 'type' | 'account' | 'newPkHash'>): Promise<Posted>
}

/** Opens an account as wallets do: the zk key is derived from a signature of a fixed text. */
export async function openWallet(secret: string, chainId: number): Promise<Wallet> {
  const account = privateKeyToAccount(secret as Hex)
  const login = 'Access zkSync account.\n\nOnly sign this message for a trusted client!'
  const message = chainId === 1 ? login : `${login}\nChain ID: ${chainId}.`
  const key = zk.privateKeyFromSeed(Buffer.from((await account.signMessage({ message })).slice(2), 'hex'))
  const keyHash = `sync:${Buffer.from(zk.private_key_to_pubkey_hash(key)).toString('hex')}`
  const musig = (op: Op) => {
    const signed = Buffer.from(zk.sign_musig(key, signedBytes(op))).toString('hex')
    return { pubKey: signed.slice(0, 64), signature: signed.slice(64) }
  }
  return {
    address: account.address,
    keyHash,
    async transfer(given) {
      const op: TransferOp = { type: 'Transfer', from: account.address, ...given }
      const ethereum = await account.signMessage({ message: transferWords(op) })
      return { tx: { ...op, signature: musig(op) }, signature: { type: 'EthereumSignature', signature: ethereum } }
    },
    async keyChange(given) {
      const op: KeyChangeOp = { type: 'ChangePubKey', account: account.address, newPkHash: keyHash, ...given }
      const ethSignature = await account.signMessage({ message: { raw: keyChangeRaw(op) } })
      const batchHash: Hex = `0x${'0'.repeat(64)}`
      return {
        tx: { ...op, signature: musig(op), ethAuthData: { type: 'ECDSA', ethSignature, batchHash } },
        signature: null,
      }
    },
  }
}

export function hashIn({ tx: { signature: _signature, ethAuthData: _auth, ...op } }: Posted): string {
  return nameOf(op)
}
