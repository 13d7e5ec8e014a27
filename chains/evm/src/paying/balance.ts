/** Reading what an address holds. */
import type { Address, Token } from '@causeway/core'
import { encodeFunctionData, erc20Abi, getAddress } from 'viem'
import { contractCall, nativeBalance } from '../node/calls.ts'
import type { Call, Node } from '../node/node.ts'

export async function unitsOf(node: Node, owner: Address, { contract }: Token): Promise<bigint> {
  if (contract === null) return (await node.ask([nativeBalance(owner)]))[0]
  return word((await node.ask([balanceOf(contract, owner, 'latest')]))[0])
}

/** ERC-721 counts what an owner holds by the same call as ERC-20. */
export async function holdsNft(node: Node, contract: Address, owner: Address): Promise<boolean> {
  return word((await node.ask([balanceOf(contract, owner, 'latest')]))[0]) > 0n
}

export function balanceOf(contract: string, owner: Address, block: bigint | 'latest'): Call<string> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [getAddress(owner)] })
  return contractCall({ to: contract, data }, block)
}

/** A number that a contract answered; nothing where no contract stands there. */
export function word(answer: string): bigint {
  return answer.length > 2 ? BigInt(answer.slice(0, 66)) : 0n
}
