/**
 * Verifies that an address signed a text: an EOA by EIP-191, a deployed contract by EIP-1271. Contracts that are not
 * deployed yet (EIP-6492) are not supported: such an account has sent nothing.
 */
import type { Address } from '@causeway/core'
import { getAddress, type Hex, hashMessage, isHex, recoverAddress } from 'viem'
import type { EvmChain } from '../chain.ts'
import { code } from '../node/calls.ts'
import { isContract } from '../scanning/transfers.ts'
import { isApproved, plainSignature } from './gasless.ts'

export async function verifyMessage(
  chain: EvmChain,
  { address, text, signature }: { address: Address; text: string; signature: string },
): Promise<boolean> {
  if (!isHex(signature) || signature.length % 2 !== 0) return false
  const digest = hashMessage(text)
  // The service sends money where the signed text says, so this is a quorum read.
  return chain.rpc.agreed(async (node) => {
    const [standing] = await node.ask([code(address)])
    // An EIP-7702 delegation is no code: the key still signs for its account.
    return isContract(standing) ? isApproved(node, address, digest, signature) : isKeys(address, digest, signature)
  }, String)
}

async function isKeys(address: Address, digest: Hex, signature: Hex): Promise<boolean> {
  const plain = plainSignature(signature)
  if (!plain) return false
  const signer = await recoverAddress({ hash: digest, signature: plain }).catch(() => null)
  return signer === getAddress(address)
}
