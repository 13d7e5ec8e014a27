/** The local chain's users: well-known keys, in the form that EVM wallets import. */
import { createHash } from 'node:crypto'
import type { TestAccount } from '@causeway/core'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { canonical } from '../../src/address.ts'
import { addressOf } from './eip712.ts'

const ACCOUNTS = 10

export function localAccounts(): TestAccount[] {
  return Array.from({ length: ACCOUNTS }, (_, number) => {
    const secret = createHash('sha256').update(`causeway hyperliquid local account ${number}`).digest()
    return { address: canonical(addressOf(secp256k1.getPublicKey(secret))), secret: `0x${secret.toString('hex')}` }
  })
}
