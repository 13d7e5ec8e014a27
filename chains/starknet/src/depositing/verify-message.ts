/**
 * Verifies that an address signed a text. Every account is a contract with its own rules, so the account itself is
 * asked; the wallet's signature is passed on unchanged.
 */
import type { Address } from '@causeway/core'
import type { StarknetChain } from '../chain.ts'
import { felt, shortString } from '../felt.ts'
import { contractCall } from '../node/calls.ts'
import { Refusal } from '../node/node.ts'
import { textHash } from './typed-data.ts'

const VALID = shortString('VALID')
/** Limit of a signature: accounts with several signers write about ten numbers each. */
const MOST_NUMBERS = 64

export interface Claim {
  address: Address
  text: string
  signature: string
}

export async function verifyMessage(chain: StarknetChain, { address, text, signature }: Claim): Promise<boolean> {
  const numbers = numbersOf(signature)
  if (numbers === null) return false
  const account = BigInt(address)
  const hash = textHash({ name: 'Causeway', version: 1n, chainId: chain.chainId }, account, text)
  const calldata = [hash, BigInt(numbers.length), ...numbers]
  // The service sends money where the signed text says, so this is a quorum read.
  return chain.rpc.agreed(async (node) => {
    const [answer] = await node.settle([contractCall(account, 'is_valid_signature', calldata, 'latest')])
    // There is no account at the address, or it rejected the signature.
    if (answer instanceof Refusal) return false
    return answer.length === 1 && answer[0] === VALID
  }, String)
}

/** Parses a signature: a JSON list of numbers in hex or decimal, as wallets return it. */
function numbersOf(signature: string): bigint[] | null {
  try {
    const list: unknown = JSON.parse(signature)
    if (!Array.isArray(list) || list.length === 0 || list.length > MOST_NUMBERS) return null
    return list.map((one) =>
      typeof one === 'string' && /^\d{1,77}$/.test(one) ? felt(`0x${BigInt(one).toString(16)}`) : felt(one),
    )
  } catch {
    return null
  }
}
