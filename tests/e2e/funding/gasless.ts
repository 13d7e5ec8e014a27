/** Gasless deposits, over HTTP and on real local chains: what is offered, accounts without gas, and deadlines. */
import { SigningWallet } from '@causeway/contracts'
import type { Token } from '@causeway/core'
import { concat, encodeAbiParameters, type Hex, keccak256, numberToHex } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { deploy, gaslessOwner } from '../../support/chains/evm.ts'
import { AMOUNT, FROM, gaslessIn, route, signWith, TO, unitsFor } from '../../support/chains/gasless.ts'
import { actionOf, unitsOf, type World } from '../../support/processes/world.ts'
import type { WireAction, WireSwap } from '../../support/service/client.ts'

export function depositsBySignature(shared: () => World): void {
  let world: World
  let usdc: Token
  let dai: Token
  let gasless: ReturnType<typeof gaslessIn>

  beforeAll(() => {
    world = shared()
    usdc = world.token(FROM, 'USDC')
    dai = world.token(FROM, 'DAI')
    gasless = gaslessIn(world)
  })

  describe('what is offered', () => {
    it('says which tokens take signatures, as their contracts really do', async () => {
      const { data } = await world.client.get('/api/v2/networks')
      const networks = data as { name: string; tokens: { symbol: string; supports_gasless_deposit: boolean }[] }[]
      const tokens = networks.find(({ name }) => name === FROM)?.tokens ?? []
      expect(Object.fromEntries(tokens.map((token) => [token.symbol, token.supports_gasless_deposit]))).toEqual({
        ETH: false,
        USDC: true,
        USDT: false,
        DAI: true,
      })
    })

    it.each(['quote', 'limits', 'detailed_quote'])('%s has the gas of the deposit in it', async (call) => {
      const ask = async (gasless: boolean) => {
        const query = { ...route('USDC'), amount: `${AMOUNT}`, use_gasless: `${gasless}` }
        return JSON.stringify((await world.client.get(`/api/v2/${call}?${new URLSearchParams(query)}`)).data)
      }
      expect(await ask(true)).toMatch(/^[{[]/)
      expect(await ask(true)).not.toBe(await ask(false))
    })

    it('the fee of a gasless quote is higher', async () => {
      const owner = world.stranger()
      const [dear, cheap] = [
        await gasless.swapFor(usdc, owner),
        await gasless.swapFor(usdc, owner, { use_gasless: false }),
      ]
      expect(dear.quote.total_fee).toBeGreaterThan(cheap.quote.total_fee)
      expect(dear.quote.receive_amount).toBeLessThan(cheap.quote.receive_amount)
    })

    it.each([
      ['a coin', 'ETH', {}, 'VALIDATION_ERROR'],
      ['a token that takes no signature', 'USDT', {}, 'VALIDATION_ERROR'],
      ['a deposit address too', 'USDC', { use_deposit_address: true }, 'CONFLICTING_FUNDING_METHODS'],
      ['nobody to sign', 'USDC', { source_address: null }, 'VALIDATION_ERROR'],
    ])('is refused for %s', async (_, symbol, body, code) => {
      const answer = await world.client.post('/api/v2/swaps', {
        ...route(symbol),
        destination_address: world.stranger(),
        source_address: world.stranger(),
        amount: symbol === 'ETH' ? 0.1 : AMOUNT,
        use_gasless: true,
        ...body,
      })
      expect(answer).toMatchObject({ status: 400, error: { code } })
    })
  })

  describe('an account without gas', () => {
    it.each([
      ['EIP-3009', 'USDC', 'ReceiveWithAuthorization'],
      ['ERC-2612', 'DAI', 'Permit'],
    ])('swaps by an %s signature', async (_, symbol, primaryType) => {
      const token = world.token(FROM, symbol)
      const owner = await gasless.richOwner(token)
      const recipient = world.stranger()
      const swap = await gasless.swapFor(token, owner.address, { destination_address: recipient, use_depository: true })
      const action = actionOf(swap)
      expect(action).toMatchObject({ type: 'sign', call_data: null, amount: AMOUNT, valid_after: 0 })
      expect(action.typed_data).toMatchObject({ primaryType, types: { EIP712Domain: expect.any(Array) } })
      const left = (action.valid_before ?? 0) - Date.now() / 1000
      expect(left).toBeGreaterThan(29 * 60)
      expect(left).toBeLessThan(31 * 60)
      const unsigned = await world.client.get(`/api/v2/swaps/${swap.swap.id}/authorize`)
      expect(unsigned).toMatchObject({ status: 200, data: { status: 'awaiting_signature' } })

      const { status, data } = await gasless.authorize(
        swap,
        await signWith(owner.secret, action.typed_data),
        owner.address,
      )
      expect(status).toBe(200)
      expect(['initiated', 'published']).toContain(data?.status)
      const done = await gasless.reaches(swap, 'completed')
      expect(done.transaction).toMatchObject({
        type: 'input',
        status: 'completed',
        from: owner.address,
        amount: AMOUNT,
      })
      const ended = await world.client.reaches(swap.swap.id, 'completed')
      const [deposit, ...more] = await gasless.depositsFor(swap)
      expect(more).toEqual([])
      expect(deposit).toMatchObject({ units: `${unitsFor(token)}`, from_address: owner.address })
      expect(deposit?.tx_hash).toBe(done.transaction?.transaction_hash)
      // It followed the path of payouts: one slot of the treasury, with the bytes stored before they were sent.
      const attempts = await world.query<{ hash: string; account: string }>(
        `select attempt.hash, slot.account from gasless_authorization join slot_payout using (payout_id)
       join slot on slot.id = slot_id join attempt using (slot_id) where swap_id = $1`,
        [swap.swap.id],
      )
      expect(attempts).toEqual([{ hash: deposit?.tx_hash, account: world.sandbox.treasuries[FROM] }])
      expect(await world.balance(token, owner.address)).toBe(0n)
      expect(await world.balance(world.token(FROM, 'ETH'), owner.address)).toBe(0n)
      const eth = world.token(TO, 'ETH')
      expect(await world.balance(eth, recipient)).toBe(unitsOf(ended.quote.receive_amount, eth))
      expect(await world.balance(token, action.to_address)).toBe(0n)
    })

    it.each([
      ['65 bytes', ''],
      ['a longer one', '0x1234'],
    ])('may be a contract wallet, with a signature of %s', async (_, prefix) => {
      const key = await gaslessOwner(world, usdc, 0n)
      const wallet = await deploy(world, FROM, SigningWallet, [key.address])
      await world.devnet(FROM).fund(usdc, wallet, unitsFor(usdc))
      const swap = await gasless.swapFor(usdc, wallet)
      const signature = await signWith(key.secret, actionOf(swap).typed_data)
      const whole = prefix ? concat([prefix as Hex, signature]) : signature
      expect((await gasless.authorize(swap, whole, wallet)).data?.status).not.toBe('rejected')
      await world.client.reaches(swap.swap.id, 'completed')
      // A refund to a contract may not reach the person behind it.
      expect(await gasless.depositsFor(swap)).toMatchObject([{ units: `${unitsFor(usdc)}`, from_address: null }])
    })

    it('may not be a contract wallet where the token takes permits', async () => {
      const key = await gaslessOwner(world, dai, 0n)
      const wallet = await deploy(world, FROM, SigningWallet, [key.address])
      await world.devnet(FROM).fund(dai, wallet, unitsFor(dai))
      const swap = await gasless.swapFor(dai, wallet)
      const signature = await signWith(key.secret, actionOf(swap).typed_data)
      expect((await gasless.authorize(swap, signature, wallet)).data?.status).toBe('rejected')
    })
  })

  describe('time', () => {
    /** Backdates the creation of the swap. */
    const age = (swap: WireSwap, minutes: number) =>
      world.query(`update swap set created_at = created_at - make_interval(mins => $2) where id = $1`, [
        swap.swap.id,
        minutes,
      ])

    /** The first action of a swap, as it was given out before the swap was backdated. */
    function firstAction(swap: WireSwap, now: WireAction, minutesBack: number): Record<string, unknown> {
      const validBefore = BigInt((now.valid_before ?? 0) - minutesBack * 60)
      const receiver = world.sandbox.treasuries[FROM] as Hex
      const nonce = keccak256(
        encodeAbiParameters(
          [{ type: 'bytes32' }, { type: 'address' }, { type: 'uint256' }],
          [numberToHex(swap.swap.metadata.sequence_number, { size: 32 }), receiver, validBefore],
        ),
      )
      const text = now.typed_data as { message: Record<string, string> }
      return { ...text, message: { ...text.message, validBefore: validBefore.toString(), nonce } }
    }

    it('a late signature is refused as expired, and a fresh action is given', async () => {
      const owner = await gasless.richOwner(usdc)
      const swap = await gasless.swapFor(usdc, owner.address)
      const signed = actionOf(swap)
      await age(swap, 60)
      const { data } = await world.client.get(`/api/v2/swaps/${swap.swap.id}/deposit_actions`)
      const [fresh] = data as WireAction[]
      if (!fresh) throw new Error('no action')
      expect(fresh.valid_before).toBe(signed.valid_before)
      const late = await signWith(owner.secret, firstAction(swap, fresh, 60))
      const answer = await gasless.authorize(swap, late, owner.address)
      expect(answer).toMatchObject({ status: 400, error: { message: expect.stringContaining('expired') } })
      await gasless.authorize(swap, await signWith(owner.secret, fresh.typed_data), owner.address)
      await world.client.reaches(swap.swap.id, 'completed')
    })

    it('the action before the newest is still good', async () => {
      const owner = await gasless.richOwner(usdc)
      const swap = await gasless.swapFor(usdc, owner.address)
      await age(swap, 16)
      const fresh = actionOf(await world.client.swap(swap.swap.id))
      const earlier = await signWith(owner.secret, firstAction(swap, fresh, 15))
      await gasless.authorize(swap, earlier, owner.address)
      await world.client.reaches(swap.swap.id, 'completed')
    })

    it('an authorization that could not be sent in time is expired, and may be signed again', async () => {
      const owner = await gasless.richOwner(usdc)
      const swap = await gasless.swapFor(usdc, owner.address)
      const signature = await signWith(owner.secret, actionOf(swap).typed_data)
      await gasless.whileHalted(async () => {
        await gasless.authorize(swap, signature, owner.address)
        await world.query('update gasless_authorization set valid_before = now() where swap_id = $1', [swap.swap.id])
        await gasless.reaches(swap, 'expired')
      })
      await gasless.authorize(swap, signature, owner.address)
      await world.client.reaches(swap.swap.id, 'completed')
    })

    it('a swap that has ended takes no signature', async () => {
      const owner = await gasless.richOwner(usdc)
      const swap = await gasless.swapFor(usdc, owner.address)
      await world.close(swap.swap.id, 'window')
      await world.client.reaches(swap.swap.id, 'expired')
      const answer = await gasless.authorize(
        swap,
        await signWith(owner.secret, actionOf(swap).typed_data),
        owner.address,
      )
      expect(answer.error?.message).toContain('expired')
    })

    it('a swap that is not gasless takes none either', async () => {
      const swap = await gasless.swapFor(usdc, world.stranger(), { use_gasless: false })
      const answer = await gasless.authorize(swap, '0x1234', world.stranger())
      expect(answer).toMatchObject({ status: 400, error: { code: 'VALIDATION_ERROR' } })
    })
  })
}
