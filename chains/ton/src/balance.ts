/** Reading what an address holds. */
import type { Address, Token } from '@causeway/core'
import { accountState } from './calls.ts'
import { type Jettons, jettonUnits } from './jetton.ts'
import type { Node } from './node.ts'

export async function unitsOf(jettons: Jettons, node: Node, owner: Address, { contract }: Token): Promise<bigint> {
  if (contract === null) return (await node.ask(accountState(owner))).balance
  return jettonUnits(node, await jettons.walletOf(node, contract, owner))
}
