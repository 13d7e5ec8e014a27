/** A key in this process that signs a whole transaction: the test accounts', and the operator's during set-up. */
import type { TestAccount } from '@causeway/core'
import {
  type Address,
  createKeyPairSignerFromBytes,
  getAddressDecoder,
  getBase58Encoder,
  type Instruction,
  signBytes,
} from '@solana/kit'
import { wireBytes, withBlockhash } from './message.ts'

export interface Wallet extends TestAccount {
  address: Address
  sign(message: Uint8Array): Promise<Uint8Array>
}

/** A wallet from the 64 bytes in base58 that wallet apps export and import. */
export async function walletOf(secret: string): Promise<Wallet> {
  const bytes = getBase58Encoder().encode(secret)
  const { keyPair } = await createKeyPairSignerFromBytes(bytes)
  return {
    address: getAddressDecoder().decode(bytes.slice(32)),
    secret,
    sign: async (message) => Uint8Array.from(await signBytes(keyPair.privateKey, message)),
  }
}

export async function signedBy(
  wallet: Wallet,
  instructions: readonly Instruction[],
  blockhash: string,
): Promise<Uint8Array> {
  const unsigned = withBlockhash(wallet.address, blockhash, instructions)
  const signature = await wallet.sign(Uint8Array.from(unsigned.messageBytes))
  return wireBytes(unsigned, new Map([[wallet.address, signature]]))
}
