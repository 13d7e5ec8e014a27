/** Reads balances of addresses. */
import { type Address, type Balances, RetryLater, type Token } from '@causeway/core'
import { type Jettons, jettonUnits } from '../jetton.ts'
import { accountState, masterchainInfo } from '../node/calls.ts'
import type { Node } from '../node/node.ts'

export async function unitsOf(jettons: Jettons, node: Node, owner: Address, { contract }: Token): Promise<bigint> {
  if (contract === null) return (await node.ask(accountState(owner))).balance
  return jettonUnits(node, await jettons.walletOf(node, contract, owner))
}

/**
 * How often balances are read: an account may change meanwhile. After three unstable reads the caller retries later.
 */
const TRIES = 3
/**
 * How often a contract is asked: its answer does not name a block, and a lagging backend behind the same address may
 * answer.
 */
const READS = 3

/**
 * All balances at one masterchain block. The accounts are read before and after; if none had a transaction in between,
 * the result holds for all blocks of that time.
 */
export async function holdings(
  jettons: Jettons,
  node: Node,
  wanted: readonly { owner: Address; token: Token }[],
): Promise<Balances> {
  if (wanted.length === 0) return { block: (await node.ask(masterchainInfo())).head, units: [] }
  const places = await Promise.all(
    wanted.map(({ owner, token: { contract } }) =>
      contract === null ? owner : jettons.walletOf(node, contract, owner),
    ),
  )
  const look = () => Promise.all(places.map((place) => node.ask(accountState(place))))
  for (let tries = 0; tries < TRIES; tries++) {
    const before = await look()
    const units = await Promise.all(
      wanted.map(({ token }, position) =>
        token.contract === null ? (before[position]?.balance ?? 0n) : sureUnits(node, places[position] ?? ''),
      ),
    )
    if (!isSure(units)) continue
    const needsSecondLook = wanted.length > 1 || wanted.some(({ token }) => token.contract !== null)
    const after = needsSecondLook ? await look() : before
    const [newest] = before.map(({ head }) => head).toSorted((a, b) => (a.number > b.number ? -1 : 1))
    const isStill = after.every(
      ({ last, head }, position) =>
        last?.hash === before[position]?.last?.hash && head.number >= (newest?.number ?? 0n),
    )
    if (isStill && newest) return { block: newest, units }
  }
  throw new RetryLater('the accounts moved while they were read')
}

/** The jetton balance; null if answers differ. */
async function sureUnits(node: Node, wallet: Address): Promise<bigint | null> {
  const units = await jettonUnits(node, wallet)
  for (let reads = 1; reads < READS; reads++) {
    if ((await jettonUnits(node, wallet)) !== units) return null
  }
  return units
}

function isSure(units: (bigint | null)[]): units is bigint[] {
  return !units.includes(null)
}
