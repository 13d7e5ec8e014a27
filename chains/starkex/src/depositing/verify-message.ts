/** Verifies that an address signed a text like an Ethereum wallet (EIP-191). */
import type { Address } from '@causeway/core'
import { isHex, recoverMessageAddress } from 'viem'

export async function verifyMessage(claim: { address: Address; text: string; signature: string }): Promise<boolean> {
  const { address, text, signature } = claim
  if (!isHex(signature) || signature.length !== 2 + 2 * 65) return false
  return (await recoverMessageAddress({ message: text, signature }).catch(() => null)) === address
}
