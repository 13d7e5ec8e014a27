/** The hot wallet, and the two signatures of its key that everything here is derived from. */
import { type Address, Bug, type KeyRef, type Signer, type TransferIntent } from '@causeway/core'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, type Hex, hashMessage, hexToBytes, recoverAddress } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'
import { loginText, seedOf, type ZkKey, zkKeyOf } from '../zk-key.ts'

/** The path is not that of EVM networks: a signature made here must never be valid there. */
const TREASURY_KEY: KeyRef = { curve: 'secp256k1', path: "m/44'/60'/1'/0/0" }

export async function treasuryOf(signer: Signer): Promise<Address> {
  const compressed = await signer.publicKey(TREASURY_KEY)
  return publicKeyToAddress(bytesToHex(secp256k1.Point.fromBytes(compressed).toBytes(false)))
}

interface Signing {
  signer: Signer
  treasury: Address
}

/** Signs a text or bytes like an Ethereum wallet (EIP-191). */
export async function signMessage(
  { signer, treasury }: Signing,
  message: string | Uint8Array,
  intent: TransferIntent,
): Promise<Hex> {
  const digest = hashMessage(typeof message === 'string' ? message : { raw: message })
  const signed = await signer.sign(TREASURY_KEY, hexToBytes(digest), intent)
  const recovery = signed[64]
  if (signed.length !== 65 || recovery === undefined || recovery > 1) {
    throw new Bug('the signer gave another kind of signature', { length: signed.length })
  }
  const signature = bytesToHex(Uint8Array.from([...signed.subarray(0, 64), 27 + recovery]))
  const by = await recoverAddress({ hash: digest, signature })
  if (by !== treasury) throw new Bug('the signer used another key', { treasury })
  return signature
}

/**
 * Derives the zk key. It is derived with each transfer and as part of it: a signer that computes digests itself sees
 * the same three signatures, and no key is stored outside it. The same text gives the same signature (RFC 6979), or the
 * key would change.
 */
export async function zkKeyFor(chain: Signing, ethereumChainId: number, intent: TransferIntent): Promise<ZkKey> {
  return zkKeyOf(seedOf(await signMessage(chain, loginText(ethereumChainId), intent)))
}
