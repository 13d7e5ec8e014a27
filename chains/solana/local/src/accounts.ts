/**
 * Users of a local chain with well-known keys: wallets made from a name, and a plain transfer that one of them signs.
 */
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import { type Address, createNoopSigner, getBase58Decoder } from '@solana/kit'
import { signedBy, type Wallet, walletOf } from '../../src/paying/keypair.ts'
import { nativeTransfer } from '../../src/paying/order.ts'

/** DER prefix of a 32-byte key. */
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Creates a wallet: the same name gives the same key on every machine. */
export async function walletFrom(name: string): Promise<Wallet> {
  const seed = createHash('sha256').update(`causeway local ${name}`).digest()
  return walletOf(getBase58Decoder().decode(Buffer.concat([seed, ed25519PublicKey(seed)])))
}

export function transferOf(wallet: Wallet, to: Address, units: bigint, blockhash: string): Promise<Uint8Array> {
  return signedBy(wallet, [nativeTransfer(createNoopSigner(wallet.address), to, units)], blockhash)
}

function ed25519PublicKey(seed: Uint8Array): Buffer {
  const key = createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, seed]), format: 'der', type: 'pkcs8' })
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32)
}
