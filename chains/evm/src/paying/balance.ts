/** Reads balances of addresses. */
import { rejectStaleHead, retryRead } from '@causeway/chain-kit'
import { type Address, type Balances, RetryLater, type Token } from '@causeway/core'
import { encodeFunctionData, erc20Abi, getAddress } from 'viem'
import type { EvmChain } from '../chain.ts'
import { contractCall, header, nativeBalance } from '../node/calls.ts'
import type { Call, Node } from '../node/node.ts'

export async function unitsOf(node: Node, owner: Address, { contract }: Token): Promise<bigint> {
  if (contract === null) return (await node.ask([nativeBalance(owner)]))[0]
  return word((await node.ask([balanceOf(contract, owner, 'latest')]))[0])
}

/** Reads balances at one block: by its number, with the same hash before and after. */
function holdings(node: Node, wanted: readonly { owner: Address; token: Token }[]): Promise<Balances> {
  let newest = 0n
  return retryRead(async () => {
    const [head] = await node.ask([header('latest')])
    if (!head) throw new RetryLater('the node has no head')
    const { number, hash } = head
    newest = rejectStaleHead(number, newest)
    const [units, [standing]] = await Promise.all([unitsAt(node, wanted, number), node.ask([header(number)])])
    if (standing?.hash !== hash) throw new RetryLater('the chain changed while it was read')
    return { block: { number, hash }, units }
  })
}

/** Like `holdings`; with a quorum, at a block for which enough nodes report the same balances. */
export async function agreedHoldings(
  { rpc, network }: EvmChain,
  wanted: readonly { owner: Address; token: Token }[],
): Promise<Balances> {
  const held = await rpc.use((node) => holdings(node, wanted))
  const { block } = held
  if ((network.quorum ?? 1) < 2 || !block) return held
  const units = await rpc.agreed(
    async (node) => {
      const [[standing], found] = await Promise.all([
        node.ask([header(block.number)]),
        unitsAt(node, wanted, block.number),
      ])
      return { hash: standing?.hash, found }
    },
    ({ hash, found }) => `${hash} ${found.join(' ')}`,
  )
  if (units.hash !== block.hash) throw new RetryLater('nodes do not agree on what is held')
  return { block, units: units.found }
}

export async function unitsAt(
  node: Node,
  wanted: readonly { owner: Address; token: Token }[],
  block: bigint,
): Promise<bigint[]> {
  const answers = await node.ask(
    wanted.map(({ owner, token: { contract } }) => {
      if (contract === null) return nativeBalance(owner, block)
      const { read, ...call } = balanceOf(contract, owner, block)
      return { ...call, read: (answer: unknown) => word(read(answer)) }
    }),
  )
  return [...answers]
}

/** Whether the owner holds an NFT: ERC-721 has the same balance call as ERC-20. */
export async function holdsNft(node: Node, contract: Address, owner: Address): Promise<boolean> {
  return word((await node.ask([balanceOf(contract, owner, 'latest')]))[0]) > 0n
}

export function balanceOf(contract: string, owner: Address, block: bigint | 'latest'): Call<string> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [getAddress(owner)] })
  return contractCall({ to: contract, data }, block)
}

/** A number that a contract returned; zero if there is no contract at the address. */
export function word(answer: string): bigint {
  return answer.length > 2 ? BigInt(answer.slice(0, 66)) : 0n
}
