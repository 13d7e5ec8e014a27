/**
 * The local chain's users: accounts of the same kind as the treasury, with well-known keys in the form that a wallet
 * imports.
 */
import { createHash } from 'node:crypto'
import type { Network, TestAccount } from '@causeway/core'
import { getStarkKey, grindKey } from '@scure/starknet'
import { padded } from '../../src/felt.ts'
import { contractAddress } from '../../src/hashing.ts'
import type { Kind } from '../../src/kind.ts'

export interface LocalAccount extends TestAccount {
  publicKey: bigint
}

const ACCOUNTS = 10

export function localAccounts(kind: Kind, network: Network): LocalAccount[] {
  return Array.from({ length: ACCOUNTS }, (_, number) => accountFrom(kind, network, secretOf(`account ${number}`)))
}

export function secretOf(name: string): string {
  return `0x${grindKey(createHash('sha256').update(name).digest())}`
}

function accountFrom(kind: Kind, network: Network, secret: string): LocalAccount {
  const { settings, constructorCalldata } = kind.profileOf(network)
  const publicKey = BigInt(getStarkKey(secret))
  const deployment = {
    classHash: settings.accountClass,
    salt: publicKey,
    constructorCalldata: constructorCalldata(publicKey),
  }
  return { address: padded(contractAddress(deployment)), secret, publicKey }
}
