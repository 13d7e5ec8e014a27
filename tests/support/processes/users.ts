/** Users who swap on a real service, several at once, while it is killed or its database goes back in time. */
import { expect } from 'vitest'
import { eventually } from '../runner/eventually.ts'
import type { WireSwap } from '../service/client.ts'
import { actionOf, unitsOf, type World } from './world.ts'

/** A restart of the service on two busy cores. */
export const SLOW_MS = 120_000
/** Users at once, each with a wallet of their own. */
const USERS = 3
/** Each swap is for another amount, so that a payout for another person's deposit shows. */
const [LEAST, STEP] = [0.01, 0.00001]

interface UserSwap {
  id: string
  recipient: string
  /** The quoted payout. */
  units: bigint
  hasDeposit: boolean
}

export interface Users {
  /** Creates a swap; null while the service accepts none. */
  create(more?: Record<string, unknown>): Promise<WireSwap | null>
  /** Returns the transaction's hash. */
  deposit(swap: WireSwap, user: number): Promise<string>
  /** A swap and its deposit. Waits for the payout unless it is over before. */
  pay(user: number, isOver?: () => boolean): Promise<void>
  /** All users pay again and again until `end`. */
  start(): Load
  /** Each recipient has the quoted amount or nothing, and nothing without a deposit. */
  expectPaidOnce(): Promise<void>
  /** Waits until each swap of these ids that has a deposit is paid, and checks all others. */
  expectPaid(ids: readonly string[]): Promise<void>
  /** Ids of all swaps that were created. */
  ids(): string[]
}

interface Load {
  /** Resolves when this many more are paid. */
  untilPaid(more: number): Promise<void>
  end(): Promise<void>
}

export function openUsers(world: World, from: string, to: string): Users {
  const swaps: UserSwap[] = []
  const [eth, usdc] = [world.token(from, 'ETH'), world.token(to, 'USDC')]
  let asked = 0
  const users: Users = {
    async create(more = {}) {
      const recipient = world.stranger()
      const body = {
        ...{ source_network: from, source_token: 'ETH', destination_network: to, destination_token: 'USDC' },
        ...{ destination_address: recipient, amount: Number((LEAST + STEP * ++asked).toFixed(5)), ...more },
      }
      const swap = await world.client.create(body).catch(() => null)
      const units = swap && unitsOf(swap.quote.receive_amount, usdc)
      if (swap && units) swaps.push({ id: swap.swap.id, recipient, units, hasDeposit: false })
      return swap
    },
    async deposit(swap, user) {
      const record = find(swap.swap.id)
      // Before it is sent: it may be paid before this function goes on.
      record.hasDeposit = true
      return world.deposit(eth, actionOf(swap), { account: user })
    },
    async pay(user, isOver = () => false) {
      const swap = await eventually(async () => (isOver() ? 'over' : await users.create()), 'a swap', SLOW_MS)
      if (swap === 'over') return
      await users.deposit(swap, user)
      const { recipient } = find(swap.swap.id)
      await eventually(async () => isOver() || (await world.balance(usdc, recipient)) > 0n, 'the payout', SLOW_MS)
    },
    start() {
      let isOver = false
      let paid = 0
      const all = Array.from({ length: USERS }, async (_, user) => {
        while (!isOver) {
          await users.pay(user, () => isOver)
          paid++
        }
      })
      return {
        async untilPaid(more) {
          const wanted = paid + more
          await eventually(async () => paid >= wanted, `${more} payouts`, SLOW_MS)
        },
        async end() {
          isOver = true
          await Promise.all(all)
        },
      }
    },
    async expectPaidOnce() {
      for (const { recipient, units, hasDeposit } of swaps) {
        expect(hasDeposit ? [0n, units] : [0n]).toContain(await world.balance(usdc, recipient))
      }
    },
    async expectPaid(ids) {
      for (const { id, recipient, hasDeposit } of swaps) {
        if (!hasDeposit || !ids.includes(id)) continue
        await eventually(async () => (await world.balance(usdc, recipient)) > 0n, `the payout of ${id}`, SLOW_MS)
      }
      await users.expectPaidOnce()
    },
    ids: () => swaps.map(({ id }) => id),
  }
  return users

  function find(id: string): UserSwap {
    const found = swaps.find((swap) => swap.id === id)
    if (!found) throw new Error(`no swap ${id}`)
    return found
  }
}
