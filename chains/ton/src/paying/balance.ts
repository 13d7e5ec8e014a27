/** Reading what an address holds. */
import type { Address, Token } from '@causeway/core'
import { type Jettons, jettonUnits } from '../jetton.ts'
import { accountState } from '../node/calls.ts'
import type { Node } from '../node/node.ts'

export async function unitsOf(jettons: Jettons, node: Node, owner: Address, { contract }: Token): Promise<bigint> {
  if (contract === null) return (await node.ask(accountState(owner))).balance
  return jettonUnits(node, await jettons.walletOf(node, contract, owner))
}
