/**
 * Our two keys: an Ethereum key, whose address users know, and the ledger's Stark key, derived by EIP-2645 with the
 * ledger's name and that address in its path. The messages name no ledger, so the key must differ per ledger.
 */
import { createHash } from 'node:crypto'
import { type Address, Bug, type KeyRef, type Signer, type TransferIntent } from '@causeway/core'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, type Hex, hashMessage, hexToBytes, numberToBytes, recoverAddress } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'

/** The path is not that of EVM networks or any other family: a signature made here must never be valid there. */
const ETHEREUM_KEY: KeyRef = { curve: 'secp256k1', path: "m/44'/60'/2'/0/0" }
const LAYER = 'starkex'
const LOW_31 = (1n << 31n) - 1n

export interface Keys {
  address: Address
  stark: KeyRef
  starkKey: bigint
}

export async function treasuryOf(signer: Signer): Promise<Address> {
  const compressed = await signer.publicKey(ETHEREUM_KEY)
  return publicKeyToAddress(bytesToHex(secp256k1.Point.fromBytes(compressed).toBytes(false)))
}

export async function keysOf(signer: Signer, instance: string): Promise<Keys> {
  const address = await treasuryOf(signer)
  const stark: KeyRef = { curve: 'stark', path: starkPath(instance, address, 0) }
  return { address, stark, starkKey: BigInt(bytesToHex(await signer.publicKey(stark))) }
}

export function starkPath(application: string, address: Address, index: number): string {
  const low = (text: string) => BigInt(`0x${createHash('sha256').update(text).digest('hex')}`) & LOW_31
  const owner = BigInt(address)
  return `m/2645'/${low(LAYER)}'/${low(application)}'/${owner & LOW_31}'/${(owner >> 31n) & LOW_31}'/${index}`
}

export interface StarkSignature {
  r: bigint
  s: bigint
}

export async function signStark(
  signer: Signer,
  key: KeyRef,
  hash: bigint,
  intent: TransferIntent,
): Promise<StarkSignature> {
  const signed = await signer.sign(key, numberToBytes(hash, { size: 32 }), intent)
  if (signed.length !== 64) throw new Bug('the signer gave another kind of signature', { length: signed.length })
  return { r: BigInt(bytesToHex(signed.subarray(0, 32))), s: BigInt(bytesToHex(signed.subarray(32))) }
}

/** Signs a text like an Ethereum wallet (EIP-191). */
export async function signText(signer: Signer, address: Address, text: string, intent: TransferIntent): Promise<Hex> {
  const digest = hashMessage(text)
  const signed = await signer.sign(ETHEREUM_KEY, hexToBytes(digest), intent)
  const recovery = signed[64]
  if (signed.length !== 65 || recovery === undefined || recovery > 1) {
    throw new Bug('the signer gave another kind of signature', { length: signed.length })
  }
  const signature = bytesToHex(Uint8Array.from([...signed.subarray(0, 64), 27 + recovery]))
  if ((await recoverAddress({ hash: digest, signature })) !== address)
    throw new Bug('the signer used another key', { address })
  return signature
}
