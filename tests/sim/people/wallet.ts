/** Users' wallets: every transaction comes from a new account that is funded with just the amount that it needs. */
import type { Token } from '@causeway/core'
import { accountFrom, signedBy } from '../../../chains/simulated/local/src/account.ts'
import { decode } from '../../../chains/simulated/src/transaction.ts'
import { chainIn, type World } from '../world/world.ts'

export interface Payment {
  network: string
  memo: string | null
  moves: readonly { to: string; contract: string | null; units: bigint }[]
  swap: number | null
  /** The wallet is empty: the transaction is mined and reverts. */
  isBroke?: boolean
  /** A fee too low to be mined while the network is busy. */
  isCheap?: boolean
  from?: string
  /** One of hundreds: not logged one by one. */
  isOfCrowd?: boolean
}

export function walletOf(world: World, label: string) {
  return accountFrom(`seed ${world.seed} ${label}`)
}

/** Signs and sends; returns the hash. */
export function sendFromWallet(world: World, payment: Payment): string {
  const { network, memo, moves, swap } = payment
  const chain = chainIn(world, network)
  const account = walletOf(world, payment.from ?? `sender ${world.transactions.length}`)
  const fee = (payment.isCheap ? 1_000n : chain.feePerMove) * BigInt(moves.length)
  chain.mint(account.address, null, fee)
  if (!payment.isBroke) for (const { contract, units } of moves) chain.mint(account.address, contract, units)
  const waiting = chain.mempool.filter((other) => other.account === account.address).length
  const bytes = signedBy(
    {
      network,
      account: account.address,
      nonce: chain.nonce(account.address) + BigInt(waiting),
      fee,
      memo,
      moves: moves.map((move) => ({ from: account.address, ...move })),
    },
    account,
  )
  chain.submit(bytes)
  const hash = decode(bytes)?.hash ?? ''
  world.transactions.push({ network, hash, bytes, swap, isOfCrowd: payment.isOfCrowd === true })
  if (payment.isOfCrowd) return hash
  const shown = moves.map(({ units, contract }) => `${units} ${contract ? 'of a token' : 'native'}`).join(' and ')
  world.story.tell('user', `sends ${shown} on ${network}, memo ${memo}, ${hash.slice(0, 8)}`, swap)
  return hash
}

/**
 * Resends transactions that fell out of their blocks and the mempool. A wallet whose later transaction waits resends the
 * earlier ones, too, or the later one would wait for its nonce for ever.
 */
export function resend(world: World, network: string, probability: number): void {
  const chain = chainIn(world, network)
  const isPending = (hash: string) => chain.mempool.some((other) => other.hash === hash)
  const submit = ({ bytes, hash, swap }: World['transactions'][number]) =>
    world.story.tell('user', `sends ${hash.slice(0, 8)} again: ${chain.submit(bytes)}`, swap)
  const lost = world.transactions.filter(
    ({ network: on, hash }) => on === network && !chain.find(hash) && !isPending(hash),
  )
  const kept = lost.filter((transaction) => {
    if (!world.random.chance(probability)) return true
    submit(transaction)
    return false
  })
  for (const transaction of kept) {
    const account = decode(transaction.bytes)?.account
    if (chain.mempool.some((other) => other.account === account)) submit(transaction)
  }
}

export function otherTokenOf(world: World, token: Token): Token {
  const found = world.base.catalogue.network(token.network).tokens.find(({ contract }) => contract !== token.contract)
  if (!found) throw new Error('a network has two tokens here')
  return found
}
