/**
 * Row 21 of the safety table, end to end: signatures that are replayed, forged, late or overtaken never deposit twice.
 */
import { AuthorizingToken, Paymaster, PermitToken, TestToken } from '@causeway/contracts'
import type { Token } from '@causeway/core'
import { decodeFunctionData, encodeFunctionData, type Hex, parseSignature, serializeSignature } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { control, gaslessOwner, send, walletOn } from '../../support/chains/evm.ts'
import { FROM, gaslessIn, signWith, unitsFor } from '../../support/chains/gasless.ts'
import { actionOf, type World } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'

const GWEI = 10n ** 9n

export function signaturesThatCheat(shared: () => World): void {
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

  describe('row 21: attempts to cheat', () => {
    it('a signature handed in again is refused as already authorized, and deposits once', async () => {
      const owner = await gaslessOwner(world, usdc, 2n * unitsFor(usdc))
      const swap = await gasless.swapFor(usdc, owner.address)
      const signature = await signWith(owner.secret, actionOf(swap).typed_data)
      const answers = await Promise.all([1, 2, 3].map(() => gasless.authorize(swap, signature, owner.address)))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      for (const { error } of answers.filter(({ status }) => status !== 200)) {
        expect(error?.message).toContain('already authorized')
      }
      await world.client.reaches(swap.swap.id, 'completed')
      const again = await gasless.authorize(swap, signature, owner.address)
      expect(again).toMatchObject({ status: 400, error: { message: expect.stringContaining('already authorized') } })
      expect(await gasless.depositsFor(swap)).toHaveLength(1)
      expect(await world.balance(usdc, owner.address)).toBe(unitsFor(usdc))
    })

    it.each(['USDC', 'DAI'])('a %s signature for one swap is rejected for another', async (symbol) => {
      const token = world.token(FROM, symbol)
      const owner = await gaslessOwner(world, token, 2n * unitsFor(token))
      const first = await gasless.swapFor(token, owner.address)
      const second = await gasless.swapFor(token, owner.address)
      expect(actionOf(second).valid_before).not.toBe(actionOf(first).valid_before)
      const signature = await signWith(owner.secret, actionOf(first).typed_data)
      expect((await gasless.authorize(second, signature, owner.address)).data?.status).toBe('rejected')
      expect((await gasless.statusOf(second))?.status).toBe('rejected')
      await gasless.authorize(first, signature, owner.address)
      await world.client.reaches(first.swap.id, 'completed')
      expect(await world.balance(token, owner.address)).toBe(unitsFor(token))
      expect(await gasless.depositsFor(second)).toEqual([])
    })

    it('a permit that is on its way for one swap is not taken for another', async () => {
      const owner = await gaslessOwner(world, dai, 2n * unitsFor(dai))
      const [first, second] = [await gasless.swapFor(dai, owner.address), await gasless.swapFor(dai, owner.address)]
      await gasless.whileHalted(async () => {
        await gasless.authorize(first, await signWith(owner.secret, actionOf(first).typed_data), owner.address)
        const other = await gasless.authorize(
          second,
          await signWith(owner.secret, actionOf(second).typed_data),
          owner.address,
        )
        expect(other.error?.message).toContain('already authorized')
      })
      await world.client.reaches(first.swap.id, 'completed')
      // The nonce has advanced: a fresh action is valid again.
      const fresh = actionOf(await world.client.swap(second.swap.id))
      expect(fresh.nonce).not.toBe(actionOf(second).nonce)
      await gasless.authorize(second, await signWith(owner.secret, fresh.typed_data), owner.address)
      await world.client.reaches(second.swap.id, 'completed')
    })

    it('the wrong signer is rejected, and does not block the right one', async () => {
      const owner = await gasless.richOwner(usdc)
      const thief = await gasless.richOwner(usdc)
      const swap = await gasless.swapFor(usdc, owner.address)
      const { typed_data } = actionOf(swap)
      const stolen = await signWith(thief.secret, typed_data)
      expect((await gasless.authorize(swap, stolen, owner.address)).data?.status).toBe('rejected')
      expect((await gasless.authorize(swap, stolen, thief.address)).data?.status).toBe('rejected')
      expect(
        (await gasless.authorize(swap, await signWith(owner.secret, typed_data), thief.address)).data?.status,
      ).toBe('rejected')
      expect((await gasless.authorize(swap, '0x1234', owner.address)).data?.status).toBe('rejected')
      await gasless.authorize(swap, await signWith(owner.secret, typed_data), owner.address)
      await world.client.reaches(swap.swap.id, 'completed')
      expect(await world.balance(usdc, thief.address)).toBe(unitsFor(usdc))
    })

    it('too little money is insufficient, and the same signature goes through once it is there', async () => {
      const owner = await gaslessOwner(world, usdc, unitsFor(usdc) - 1n)
      const swap = await gasless.swapFor(usdc, owner.address)
      const signature = await signWith(owner.secret, actionOf(swap).typed_data)
      expect((await gasless.authorize(swap, signature, owner.address)).data).toEqual({
        status: 'insufficient',
        transaction: null,
      })
      expect((await gasless.statusOf(swap))?.status).toBe('insufficient')
      await world.devnet(FROM).fund(usdc, owner.address, 1n)
      await gasless.authorize(swap, signature, owner.address)
      await world.client.reaches(swap.swap.id, 'completed')
    })

    it('money that is gone before the broadcast is insufficient, and no gas is spent on it', async () => {
      const owner = await gasless.richOwner(usdc)
      const swap = await gasless.swapFor(usdc, owner.address)
      await gasless.whileHalted(async () => {
        const signature = await signWith(owner.secret, actionOf(swap).typed_data)
        expect((await gasless.authorize(swap, signature, owner.address)).data?.status).toBe('initiated')
        await world.devnet(FROM).fund(world.token(FROM, 'ETH'), owner.address, 10n ** 18n)
        await world.devnet(FROM).transfer(owner, usdc, world.stranger(), 1n)
      })
      expect((await gasless.reaches(swap, 'insufficient')).transaction).toBeNull()
      const [row] = await world.query<{ attempts: string }>(
        `select count(attempt.*) as attempts from gasless_authorization
       join slot_payout using (payout_id) join attempt using (slot_id) where swap_id = $1`,
        [swap.swap.id],
      )
      expect(row?.attempts).toBe('0')
      expect((await world.client.swap(swap.swap.id)).swap.status).toBe('user_transfer_pending')
    })

    it('a permit that was submitted before us still deposits, once', async () => {
      const owner = await gasless.richOwner(dai)
      const swap = await gasless.swapFor(dai, owner.address)
      const action = actionOf(swap)
      const signature = await signWith(owner.secret, action.typed_data)
      await gasless.whileHalted(async () => {
        await gasless.authorize(swap, signature, owner.address)
        const { r, s, v } = parseSignature(signature)
        const data = encodeFunctionData({
          abi: PermitToken.abi,
          functionName: 'permit',
          args: [
            owner.address,
            action.to_address as Hex,
            unitsFor(dai),
            BigInt(action.valid_before ?? 0),
            Number(v ?? 0n),
            r,
            s,
          ],
        })
        expect((await send(world, FROM, { to: dai.contract ?? '', data })).status).toBe('success')
      })
      await world.client.reaches(swap.swap.id, 'completed')
      expect(await gasless.depositsFor(swap)).toMatchObject([
        { units: `${unitsFor(dai)}`, from_address: owner.address },
      ])
    })

    it('a permit that reverted for its own swap takes the owner’s money for no other swap', async () => {
      const owner = await gaslessOwner(world, dai, unitsFor(dai))
      await world.devnet(FROM).fund(world.token(FROM, 'ETH'), owner.address, 10n ** 18n)
      const own = await gasless.swapFor(dai, owner.address)
      // A thief who watches /explorer creates the same swap in the same second, paid out to the thief.
      const thief = world.stranger()
      const stolen = await gasless.swapFor(dai, owner.address, { destination_address: thief })
      await world.query('update swap set created_at = (select created_at from swap where id = $1) where id = $2', [
        own.swap.id,
        stolen.swap.id,
      ])
      await control(world, FROM, 'evm_setAutomine', false)
      await control(world, FROM, 'evm_setIntervalMining', 0)
      await gasless.authorize(own, await signWith(owner.secret, actionOf(own).typed_data), owner.address)
      const hash = await eventually(async () => {
        const rows = await world.query<{ hash: Hex }>(
          `select attempt.hash from gasless_authorization join slot_payout using (payout_id) join attempt using (slot_id)
           where swap_id = $1 and sent_at is not null`,
          [own.swap.id],
        )
        return rows[0]?.hash
      }, 'the relay to be sent')
      // The owner spends the money elsewhere a moment before.
      const data = encodeFunctionData({
        abi: TestToken.abi,
        functionName: 'transfer',
        args: [world.stranger() as Hex, unitsFor(dai)],
      })
      const prices = { maxFeePerGas: 200n * GWEI, maxPriorityFeePerGas: 100n * GWEI }
      const wallet = walletOn(world, FROM, owner.secret)
      await wallet.sendTransaction({ to: dai.contract as Hex, data, gas: 100_000n, ...prices })
      await world.devnet(FROM).mine(FROM, 1)
      await control(world, FROM, 'evm_setAutomine', true)
      await control(world, FROM, 'evm_setIntervalMining', 1_000)
      await eventually(async () => {
        await world.devnet(FROM).mine(FROM, 8)
        return (await gasless.statusOf(own))?.status === 'rejected'
      }, 'the relay to have failed for good')
      await world.devnet(FROM).fund(dai, owner.address, unitsFor(dai))
      // Public on chain.
      const { input } = await walletOn(world, FROM).getTransaction({ hash })
      const { args } = decodeFunctionData({ abi: Paymaster.abi, data: input })
      const [, , v, r, s] = args as unknown as [unknown, bigint, number, Hex, Hex]
      const signature = serializeSignature({ r, s, v: BigInt(v) })
      // The deadline differs, even with the same creation time.
      expect((await gasless.authorize(stolen, signature, owner.address)).data?.status).toBe('rejected')
      // The nonce stays with its swap, even if the deadline were the same.
      const signed = await signWith(owner.secret, actionOf(await world.client.swap(stolen.swap.id)).typed_data)
      expect((await gasless.authorize(stolen, signed, owner.address)).error?.message).toContain('already authorized')
      expect(await world.balance(dai, owner.address)).toBe(unitsFor(dai))
    })

    it('a permit that was never broadcast is free for another swap', async () => {
      const owner = await gasless.richOwner(dai)
      await world.devnet(FROM).fund(world.token(FROM, 'ETH'), owner.address, 10n ** 18n)
      const first = await gasless.swapFor(dai, owner.address)
      const second = await gasless.swapFor(dai, owner.address)
      await gasless.whileHalted(async () => {
        await gasless.authorize(first, await signWith(owner.secret, actionOf(first).typed_data), owner.address)
        await world.devnet(FROM).transfer(owner, dai, world.stranger(), 1n)
      })
      await gasless.reaches(first, 'insufficient')
      await world.devnet(FROM).fund(dai, owner.address, 1n)
      await gasless.authorize(second, await signWith(owner.secret, actionOf(second).typed_data), owner.address)
      await world.client.reaches(second.swap.id, 'completed')
    })

    it('a token that stopped taking signatures rejects, and the money stays with its owner', async () => {
      const owner = await gasless.richOwner(usdc)
      const swap = await gasless.swapFor(usdc, owner.address)
      await gasless.whileHalted(async () => {
        await gasless.authorize(swap, await signWith(owner.secret, actionOf(swap).typed_data), owner.address)
        await control(world, FROM, 'hardhat_setCode', usdc.contract, TestToken.deployedBytecode)
      })
      await gasless.reaches(swap, 'rejected')
      await control(world, FROM, 'hardhat_setCode', usdc.contract, AuthorizingToken.deployedBytecode)
      expect(await world.balance(usdc, owner.address)).toBe(unitsFor(usdc))
    })
  })
}
