/** All movements of an address in a range of blocks, which are all read: incoming, outgoing, and the fee. */
import { balanceChanges } from '@causeway/chain-kit'
import { type Address, type Movement, RetryLater } from '@causeway/core'
import type { FuelChain } from '../chain.ts'
import { head } from '../node/calls.ts'
import { coinInputs, partOf, type Transaction } from '../transaction.ts'
import { isEmpty, type Landed, range, transactionsIn } from './blocks.ts'

export function movements(chain: FuelChain, account: Address, from: bigint, to: bigint): Promise<Movement[]> {
  return chain.rpc.use(async (node) => {
    const { number: newest } = await node.ask(head())
    if (to > newest) throw new RetryLater(`the node does not know the blocks up to ${to} yet`)
    const found: Movement[] = []
    for (const header of await range(node, from < 0n ? 0n : from, to, newest)) {
      if (isEmpty(header)) continue
      for (const landed of await transactionsIn(chain, node, header, newest)) {
        const moved = movementOf(chain, account, landed)
        if (moved) found.push(moved)
      }
    }
    return found
  })
}

function movementOf({ tokens }: FuelChain, account: Address, { txId, transaction, block }: Landed): Movement | null {
  const spent = coinInputs(transaction)
  const isOwn = spent.some(({ owner }) => owner === account)
  const changes = [...tokens].flatMap(([asset, token]) =>
    balanceChanges(token, sidesOf(transaction, account, asset, isOwn)),
  )
  if (changes.length === 0) return null
  return { txHash: txId, block, changes, slot: isOwn ? spent.map(partOf) : null }
}

/**
 * Change to the same address is neither incoming nor outgoing; other owners' inputs of the same transaction are
 * incoming.
 */
function sidesOf(transaction: Transaction, account: Address, asset: string, isOwn: boolean) {
  const made = transaction.outputs.flatMap((output) => ('units' in output && output.asset === asset ? [output] : []))
  const home = sum(made.filter(({ to }) => to === account))
  if (!isOwn) return { came: home, left: 0n }
  const spent = coinInputs(transaction).filter((input) => input.asset === asset)
  const came = sum(spent.filter(({ owner }) => owner !== account))
  return { came, left: sum(spent) - home }
}

function sum(of: readonly { units: bigint }[]): bigint {
  return of.reduce((total, { units }) => total + units, 0n)
}
