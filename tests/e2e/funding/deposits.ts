/**
 * Deposits that try to cheat or just go wrong: the rows that hold for every family, on real local chains, through the
 * whole service. Each test is one row; each uses its own swap and its own recipient.
 */
import type { Token } from '@causeway/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { actionOf, unitsOf, type World } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import type { WireSwap, WireTransaction } from '../../support/service/client.ts'

export function depositsThatGoWrong(shared: () => World): void {
  const FROM = 'ETHEREUM_SEPOLIA'
  const TO = 'BASE_SEPOLIA'

  let world: World
  let eth: Token
  let usdc: Token

  beforeAll(() => {
    world = shared()
    eth = world.token(FROM, 'ETH')
    usdc = world.token(TO, 'USDC')
  })

  function swapFor(body: Record<string, unknown> = {}): Promise<WireSwap> {
    return world.client.create({
      source_network: FROM,
      source_token: 'ETH',
      destination_network: TO,
      destination_token: 'USDC',
      destination_address: world.stranger(),
      amount: 0.1,
      ...body,
    })
  }

  const ofType = (swap: WireSwap, type: WireTransaction['type']) =>
    swap.swap.transactions.filter((tx) => tx.type === type)

  /** The recipient got exactly the quoted amount, once. */
  async function expectPaidOnce(created: WireSwap, ended: WireSwap): Promise<void> {
    const outputs = ofType(ended, 'output')
    expect(outputs).toHaveLength(1)
    const received = await world.balance(usdc, outputs[0]?.to ?? '')
    expect(received).toBe(unitsOf(created.quote.receive_amount, usdc))
  }

  /** Every refund that the swap shows is on chain. */
  function refundsOf(id: string, count: number): Promise<WireSwap> {
    return eventually(async () => {
      const found = await world.client.swap(id)
      const done = ofType(found, 'refund').filter(({ status }) => status === 'completed')
      return done.length === count && found
    }, `${count} completed refunds`)
  }

  /** Sets the price, and waits until quotes use it. */
  async function priceOfEth(usd: string): Promise<void> {
    await world.setPrice('ETH', usd)
    const route = 'source_token=ETH&destination_token=USDC&amount=0.1'
    await eventually(async () => {
      const quote = await world.client.get(`/api/v2/quote?source_network=${FROM}&destination_network=${TO}&${route}`)
      return JSON.stringify(quote.data).includes(`"price_in_usd":${usd}`)
    }, 'the new price')
  }

  describe('a deposit', () => {
    it('row 1: seen twice, by block scan and by speed-up, counts once', async () => {
      const swap = await swapFor()
      const hash = await world.deposit(eth, actionOf(swap))
      const hints = Array.from({ length: 5 }, () =>
        world.client.post(`/api/v2/swaps/${swap.swap.id}/deposit_speedup`, { transaction_id: hash }),
      )
      expect((await Promise.all(hints)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
      const ended = await world.client.reaches(swap.swap.id, 'completed')
      expect(ofType(ended, 'input')).toHaveLength(1)
      await expectPaidOnce(swap, ended)
    })

    it('row 2: a second one to a swap that has ended is refunded, and nothing else changes', async () => {
      const swap = await swapFor()
      await world.deposit(eth, actionOf(swap))
      await world.client.reaches(swap.swap.id, 'completed')
      await world.deposit(eth, actionOf(swap), { account: 1 })
      const ended = await refundsOf(swap.swap.id, 1)
      expect(ended.swap.status).toBe('completed')
      expect(ofType(ended, 'input')).toHaveLength(2)
      expect(ofType(ended, 'refund')[0]?.to).toBe(world.account(FROM, 1).address)
      expect(ofType(ended, 'refund')[0]?.amount).toBeLessThan(0.1)
      await expectPaidOnce(swap, ended)
    })

    it('row 3: parts are summed, and nothing is paid on a part', async () => {
      const swap = await swapFor()
      await world.deposit(eth, actionOf(swap), { units: 4n * 10n ** 16n })
      await eventually(async () => {
        const { swap: waiting } = await world.client.swap(swap.swap.id)
        return waiting.transactions.some(({ type, status }) => type === 'input' && status === 'completed')
      }, 'the first part to be confirmed')
      expect((await world.client.swap(swap.swap.id)).swap.status).toBe('user_transfer_pending')
      await world.deposit(eth, actionOf(swap), { units: 6n * 10n ** 16n })
      const ended = await world.client.reaches(swap.swap.id, 'completed')
      expect(ofType(ended, 'input')).toHaveLength(2)
      await expectPaidOnce(swap, ended)
    })

    it('row 3: parts that do not reach the amount wait for the deadline, and are swapped then', async () => {
      const swap = await swapFor()
      await world.deposit(eth, actionOf(swap), { units: 3n * 10n ** 16n, account: 2 })
      await world.deposit(eth, actionOf(swap), { units: 2n * 10n ** 16n, account: 3 })
      await confirmed(swap.swap.id, 2)
      expect((await world.client.swap(swap.swap.id)).swap.status).toBe('user_transfer_pending')
      await world.close(swap.swap.id, 'window')
      const ended = await world.client.reaches(swap.swap.id, 'completed')
      expect(ended.quote.requested_amount).toBe(0.05)
      expect(ended.quote.receive_amount).toBeLessThan(swap.quote.receive_amount / 2)
      await expectPaidOnce(ended, ended)
      expect(ofType(ended, 'refund')).toHaveLength(0)
    })

    it('row 4: below the minimum fails the swap with its reason, and is refunded less the gas', async () => {
      const swap = await swapFor()
      const units = 2n * 10n ** 14n
      const refundTo = world.stranger()
      const own = await swapFor({ refund_address: refundTo })
      await world.deposit(eth, actionOf(own), { units })
      await confirmed(own.swap.id, 1)
      await world.close(own.swap.id, 'window')
      const ended = await refundsOf(own.swap.id, 1)
      expect(ended.swap).toMatchObject({ status: 'failed', fail_reason: 'received_less_than_valid_range' })
      const back = await world.balance(eth, refundTo)
      expect(back).toBe(unitsOf(ofType(ended, 'refund')[0]?.amount ?? 0, eth))
      expect(back > 0n && back < units).toBe(true)
      expect((await world.client.swap(swap.swap.id)).swap.status).toBe('user_transfer_pending')
    })

    it('row 5: more than asked, inside the limits, is swapped whole', async () => {
      const swap = await swapFor({ refund_address: world.stranger() })
      await world.deposit(eth, actionOf(swap), { units: 15n * 10n ** 16n })
      const ended = await world.client.reaches(swap.swap.id, 'completed')
      expect(ended.quote.requested_amount).toBe(0.15)
      expect(ended.quote.blockchain_fee).toBe(swap.quote.blockchain_fee)
      expect(ended.quote.receive_amount).toBeGreaterThan(swap.quote.receive_amount * 1.5)
      await expectPaidOnce(ended, ended)
      expect(ofType(ended, 'refund')).toHaveLength(0)
    })

    it('row 5: an open amount is swapped as it came', async () => {
      const swap = await swapFor({ use_deposit_address: true, amount: undefined })
      expect(actionOf(swap)).toMatchObject({ type: 'manual_transfer', amount: 0, call_data: null })
      await world.deposit(eth, actionOf(swap), { units: 123_456_789_000_000_000n })
      const ended = await world.client.reaches(swap.swap.id, 'completed')
      expect(ofType(ended, 'input')[0]?.amount).toBe(0.12345678)
      const received = await world.balance(usdc, ofType(ended, 'output')[0]?.to ?? '')
      expect(received).toBe(unitsOf(ended.quote.receive_amount, usdc))
    })

    it("row 6: a sum above the maximum fails its sender's swap; a foreign one is refunded alone", async () => {
      const refundTo = world.stranger()
      const source_address = world.account(FROM, 0).address
      const waiting = await swapFor({ source_address })
      await world.deposit(eth, actionOf(waiting), { units: 100n * 10n ** 18n, account: 1 })
      const { swap: untouched } = await refundsOf(waiting.swap.id, 1)
      expect(untouched).toMatchObject({ status: 'user_transfer_pending', fail_reason: null })
      const swap = await swapFor({ refund_address: refundTo, source_address })
      await world.deposit(eth, actionOf(swap), { units: 100n * 10n ** 18n })
      const ended = await refundsOf(swap.swap.id, 1)
      expect(ended.swap).toMatchObject({ status: 'failed', fail_reason: 'received_more_than_valid_range' })
      expect((await world.balance(eth, refundTo)) > 99n * 10n ** 18n).toBe(true)
      expect(ofType(ended, 'output')).toHaveLength(0)
    })

    it('row 7: after expiry it re-opens the swap at a fresh quote', async () => {
      const swap = await swapFor()
      await world.close(swap.swap.id, 'quote')
      await world.close(swap.swap.id, 'window')
      await world.client.reaches(swap.swap.id, 'expired')
      await world.deposit(eth, actionOf(swap))
      const ended = await world.client.reaches(swap.swap.id, 'completed')
      expect(ofType(ended, 'output')).toHaveLength(1)
      const received = await world.balance(usdc, ofType(ended, 'output')[0]?.to ?? '')
      expect(received >= unitsOf(swap.quote.min_receive_amount, usdc)).toBe(true)
    })

    it('row 7: after expiry, at a price outside the slippage, it is refunded', async () => {
      const refundTo = world.stranger()
      const swap = await swapFor({ refund_address: refundTo, slippage: 0.001 })
      await world.close(swap.swap.id, 'quote')
      await world.close(swap.swap.id, 'window')
      await world.client.reaches(swap.swap.id, 'expired')
      await priceOfEth('2900')
      await world.deposit(eth, actionOf(swap))
      // It waits for a better price first.
      await world.client.reaches(swap.swap.id, 'user_transfer_pending')
      await world.close(swap.swap.id, 'price')
      const ended = await world.client.reaches(swap.swap.id, 'refunded')
      expect(ended.swap.fail_reason).toBe('degraded_quote')
      expect((await world.balance(eth, refundTo)) > 99n * 10n ** 15n).toBe(true)
      await priceOfEth('3000')
    })

    it('row 8: a second one while the first is being paid is refunded on its own', async () => {
      const swap = await swapFor()
      await world.deposit(eth, actionOf(swap), { account: 4 })
      await eventually(async () => {
        const { status } = (await world.client.swap(swap.swap.id)).swap
        return status !== 'user_transfer_pending'
      }, 'the payout to be ordered')
      await world.deposit(eth, actionOf(swap), { account: 5 })
      await world.client.reaches(swap.swap.id, 'completed')
      const ended = await refundsOf(swap.swap.id, 1)
      expect(ofType(ended, 'input')).toHaveLength(2)
      await expectPaidOnce(swap, ended)
    })

    it("row 9: foreign dust with a swap's reference neither fails, closes nor re-targets the swap", async () => {
      const swap = await swapFor()
      await world.deposit(eth, actionOf(swap), { units: 1n, account: 6 })
      await confirmed(swap.swap.id, 1)
      expect((await world.client.swap(swap.swap.id)).swap.status).toBe('user_transfer_pending')
      await world.deposit(eth, actionOf(swap))
      const ended = await world.client.reaches(swap.swap.id, 'completed')
      await expectPaidOnce(swap, ended)
    })

    it("row 13: a speed-up with a foreign, unknown or other chain's transaction is checked like any other", async () => {
      const other = await swapFor()
      const mine = await swapFor()
      const foreign = await world.devnet(TO).transfer(world.account(TO, 7), usdc, world.stranger(), 1n)
      const hash = await world.deposit(eth, actionOf(other), { account: 7 })
      for (const transaction_id of [hash, foreign, `0x${'ab'.repeat(32)}`]) {
        const answer = await world.client.post(`/api/v2/swaps/${mine.swap.id}/deposit_speedup`, { transaction_id })
        expect(answer).toEqual({ status: 200, data: {} })
      }
      await expectPaidOnce(other, await world.client.reaches(other.swap.id, 'completed'))
      expect((await world.client.swap(mine.swap.id)).swap).toMatchObject({
        status: 'user_transfer_pending',
        transactions: [],
      })
    })

    it.each([
      ['the zero address', () => `0x${'0'.repeat(40)}`],
      ['a token contract', () => usdc.contract],
      ['our own wallet', () => world.sandbox.treasuries[TO]],
      ["another family's address", () => 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
    ])('row 14: a destination that is %s is refused at creation', async (_, address) => {
      await expect(swapFor({ destination_address: address() })).rejects.toThrow('INVALID_ADDRESS_ERROR')
    })
  })

  async function confirmed(id: string, count: number): Promise<void> {
    await eventually(async () => {
      const inputs = ofType(await world.client.swap(id), 'input')
      return inputs.filter(({ status }) => status === 'completed').length === count
    }, `${count} confirmed deposits`)
  }
}
