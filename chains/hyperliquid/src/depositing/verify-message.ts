/** Verifies that an address signed a text like an EVM wallet (EIP-191). */
import type { Address } from '@causeway/core'
import { isHex, recoverMessageAddress } from 'viem'
import { canonical } from '../address.ts'

export async function verifyMessage(claim: { address: Address; text: string; signature: string }): Promise<boolean> {
  const { address, text, signature } = claim
  if (!isHex(signature) || signature.length !== 132) return false
  const signer = await recoverMessageAddress({ message: text, signature }).catch(() => null)
  return signer !== null && canonical(signer) === address
}
