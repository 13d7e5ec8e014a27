/**
 * Whether an address signed a text: as wallets sign one (EIP-191), or for a contract by its own word (EIP-1271). What a
 * contract would say that does not stand yet (EIP-6492) is not asked: it has sent nothing.
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
  // Money goes where the text says: where several nodes must agree, they must on this.
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
