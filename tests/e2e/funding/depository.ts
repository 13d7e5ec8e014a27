/** Deposits through the Depository, over HTTP and on real local chains: what matches, what reverts, what is ignored. */
import { Batcher, Depository, FeeToken, TestToken } from '@causeway/contracts'
import type { Token } from '@causeway/core'
import {
  decodeErrorResult,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  keccak256,
  numberToHex,
  toBytes,
} from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { control, deploy, send, settleOn, walletOn } from '../../support/chains/evm.ts'
import { actionOf, unitsOf, type World } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { admin } from '../../support/service/accounts.ts'
import type { WireAction, WireSwap } from '../../support/service/client.ts'

export function depositsByDepository(shared: () => World): void {
  const FROM = 'ARBITRUM_SEPOLIA'
  const TO = 'OPTIMISM_SEPOLIA'

  let world: World
  let eth: Token
  let usdt: Token
  let treasury: Hex

  beforeAll(() => {
    world = shared()
    eth = world.token(FROM, 'ETH')
    usdt = world.token(FROM, 'USDT')
    treasury = world.sandbox.treasuries[FROM] as Hex
  })

  function swapFor(body: Record<string, unknown> = {}): Promise<WireSwap> {
    return world.client.create({
      source_network: FROM,
      source_token: 'USDT',
      destination_network: TO,
      destination_token: 'ETH',
      destination_address: world.stranger(),
      amount: 50,
      use_depository: true,
      ...body,
    })
  }

  const approval = (spender: string, amount: bigint) =>
    encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender as Hex, amount] })

  const depositCall = (swap: WireSwap, changes: { receiver?: Hex; reference?: bigint; units?: bigint } = {}) =>
    encodeFunctionData({
      abi: Depository.abi,
      functionName: 'depositERC20',
      args: [
        numberToHex(changes.reference ?? BigInt(swap.swap.metadata.sequence_number), { size: 32 }),
        usdt.contract as Hex,
        changes.receiver ?? treasury,
        changes.units ?? 50_000_000n,
      ],
    })

  async function depositsOf(hash: string) {
    return world.query<{ index: number; units: string; token: string; swap_id: string | null; from_address: string }>(
      'select index, units, token, swap_id, from_address from deposit where tx_hash = $1 order by index',
      [hash],
    )
  }

  async function expectIgnored(swap: WireSwap): Promise<void> {
    await settleOn(world, FROM)
    const { swap: found } = await world.client.swap(swap.swap.id)
    expect(found).toMatchObject({ status: 'user_transfer_pending', transactions: [] })
  }

  describe('the deposit action', () => {
    it('of a coin carries the value, and its call data decodes to its arguments', async () => {
      const swap = await swapFor({ source_token: 'ETH', amount: 0.1 })
      const action = actionOf(swap)
      expect(action).toMatchObject({ type: 'transfer', amount: 0.1, amount_in_base_units: '100000000000000000' })
      const { functionName, args } = decodeFunctionData({ abi: Depository.abi, data: action.call_data as Hex })
      expect(functionName).toBe('depositNative')
      expect(args).toEqual(action.encoded_args)
      expect(action.encoded_args).toEqual([
        numberToHex(swap.swap.metadata.sequence_number, { size: 32 }),
        getAddress(treasury),
      ])
      expect(Number(action.gas_limit)).toBeGreaterThan(40_000)
    })

    it('of a token carries nothing, and its call data decodes to its arguments', async () => {
      const action = actionOf(await swapFor())
      expect(action).toMatchObject({ type: 'transfer', amount: 0, amount_in_base_units: '0' })
      const { functionName, args } = decodeFunctionData({ abi: Depository.abi, data: action.call_data as Hex })
      expect(functionName).toBe('depositERC20')
      const [id, token, receiver, amount] = action.encoded_args
      expect(args).toEqual([id, token, receiver, BigInt(amount ?? '')])
      expect([token, receiver, amount]).toEqual([usdt.contract, getAddress(treasury), numberToHex(50_000_000n)])
      expect(action.gas_limit).toMatch(/^\d+$/)
    })

    it('goes to one address on every local chain', async () => {
      const addresses = await Promise.all(
        world.sandbox.catalogue.networks
          .filter(({ type }) => type === world.sandbox.catalogue.network(FROM).type)
          .map(async ({ name }) => {
            const to = name === TO ? FROM : TO
            const swap = await swapFor({ source_network: name, destination_network: to })
            return actionOf(swap).to_address
          }),
      )
      expect(addresses.length).toBeGreaterThan(3)
      expect(new Set(addresses).size).toBe(1)
    })

    it('is refused where both methods are asked for', async () => {
      const answer = await world.client.post('/api/v2/swaps', {
        source_network: FROM,
        source_token: 'USDT',
        destination_network: TO,
        destination_token: 'ETH',
        destination_address: world.stranger(),
        amount: 50,
        use_depository: true,
        use_deposit_address: true,
      })
      expect(answer).toMatchObject({ status: 400, error: { code: 'CONFLICTING_FUNDING_METHODS' } })
    })
  })

  describe('sent as it is', () => {
    const gasOf = (action: WireAction) => BigInt(action.gas_limit ?? 0)

    it.each([
      ['ETH', 0.1],
      ['USDT', 50],
      ['USDC', 50],
      ['DAI', 50],
    ])('%s is matched, counted once, paid, and fits the gas limit', async (symbol, amount) => {
      const token = world.token(FROM, symbol)
      const recipient = world.stranger()
      const swap = await swapFor({ source_token: symbol, amount, destination_address: recipient })
      const action = actionOf(swap)
      const hash = await world.deposit(token, action, { account: 2 })
      const { gasUsed } = await walletOn(world, FROM).getTransactionReceipt({ hash: hash as Hex })
      expect(gasUsed).toBeLessThan(gasOf(action))
      expect(gasUsed * 3n).toBeGreaterThan(gasOf(action))
      const done = await world.client.reaches(swap.swap.id, 'completed')
      const deposits = await depositsOf(hash)
      expect(deposits).toMatchObject([{ swap_id: swap.swap.id, from_address: world.account(FROM, 2).address }])
      expect(BigInt(deposits[0]?.units ?? 0)).toBe(unitsOf(amount, token))
      expect(await world.balance(world.token(TO, 'ETH'), recipient)).toBe(
        unitsOf(done.quote.receive_amount, world.token(TO, 'ETH')),
      )
    })
  })

  describe('altered', () => {
    it('a deposit without approval reverts', async () => {
      const swap = await swapFor()
      const { to_address, call_data } = actionOf(swap)
      const { status } = await send(world, FROM, { to: to_address, data: call_data ?? '0x' })
      expect(status).toBe('reverted')
      await expectIgnored(swap)
    })

    it('a deposit to another receiver reverts with NotWhitelisted', async () => {
      const swap = await swapFor()
      const { to_address } = actionOf(swap)
      await send(world, FROM, { to: usdt.contract ?? '', data: approval(to_address, 50_000_000n) })
      const data = depositCall(swap, { receiver: world.stranger() as Hex })
      const { status } = await send(world, FROM, { to: to_address, data })
      expect(status).toBe('reverted')
      const call = walletOn(world, FROM).call({ to: to_address as Hex, data })
      const error: unknown = await call.catch((reason: unknown) => reason)
      expect(JSON.stringify(error, (_, value) => (typeof value === 'bigint' ? `${value}` : value))).toContain(
        keccak256(toBytes('NotWhitelisted()')).slice(0, 10),
      )
      const name = decodeErrorResult({
        abi: Depository.abi,
        data: keccak256(toBytes('NotWhitelisted()')).slice(0, 10) as Hex,
      })
      expect(name.errorName).toBe('NotWhitelisted')
      await expectIgnored(swap)
    })

    it('a deposit with another id is kept, and is unmatched', async () => {
      const swap = await swapFor()
      const { to_address } = actionOf(swap)
      await send(world, FROM, { to: usdt.contract ?? '', data: approval(to_address, 100_000_000n) })
      const unknown = await send(world, FROM, {
        to: to_address,
        data: depositCall(swap, { reference: 2n ** 200n + 5n }),
      })
      expect(unknown.status).toBe('success')
      await expectIgnored(swap)
      expect(await depositsOf(unknown.transactionHash)).toMatchObject([{ units: '50000000', swap_id: null }])
    })
  })

  describe('what only looks like it', () => {
    it('row 16: Deposited of a contract that is not ours is no deposit', async () => {
      const swap = await swapFor({ source_token: 'ETH', amount: 0.1 })
      const owner = world.account(FROM, 0).address
      const fake = await deploy(world, FROM, Depository, [owner, [world.account(FROM, 5).address]])
      const id = numberToHex(swap.swap.metadata.sequence_number, { size: 32 })
      const data = encodeFunctionData({
        abi: Depository.abi,
        functionName: 'depositNative',
        args: [id, world.account(FROM, 5).address as Hex],
      })
      expect((await send(world, FROM, { to: fake, data, value: 10n ** 17n })).status).toBe('success')
      // The same with our treasury as the receiver: the money is ours then, but unmatched.
      const own = await deploy(world, FROM, Depository, [owner, [treasury]])
      const real = encodeFunctionData({ abi: Depository.abi, functionName: 'depositNative', args: [id, treasury] })
      const sent = await send(world, FROM, { to: own, data: real, value: 10n ** 17n })
      expect(sent.status).toBe('success')
      await expectIgnored(swap)
      expect(await depositsOf(sent.transactionHash)).toEqual([])
    })

    it('row 18: two deposits for two swaps in one transaction are two credits, each its own', async () => {
      const [first, second] = [await swapFor(), await swapFor()]
      const to = actionOf(first).to_address as Hex
      const batcher = await deploy(world, FROM, Batcher)
      await world.devnet(FROM).transfer(world.account(FROM, 0), usdt, batcher, 150_000_000n)
      const token = usdt.contract as Hex
      const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [treasury, 50_000_000n] })
      const calls = [
        { to: token, value: 0n, data: approval(to, 100_000_000n) },
        { to, value: 0n, data: depositCall(first) },
        // A plain transfer in between is seen, and is unmatched.
        { to: token, value: 0n, data: transfer },
        { to, value: 0n, data: depositCall(second) },
      ]
      const data = encodeFunctionData({ abi: Batcher.abi, functionName: 'run', args: [calls] })
      const { transactionHash } = await send(world, FROM, { to: batcher, data })
      await world.client.reaches(first.swap.id, 'completed')
      await world.client.reaches(second.swap.id, 'completed')
      expect(await depositsOf(transactionHash)).toMatchObject([
        { units: '50000000', swap_id: first.swap.id, from_address: null },
        { units: '50000000', swap_id: null },
        { units: '50000000', swap_id: second.swap.id },
      ])
    })

    it('row 17: of a fee-on-transfer token only what arrived is credited', async () => {
      const swap = await swapFor()
      await control(world, FROM, 'hardhat_setCode', usdt.contract, FeeToken.deployedBytecode)
      const hash = await world.deposit(usdt, actionOf(swap))
      const credited = await eventually(async () => {
        const [row] = await world.query<{ units: string }>(
          "select units from deposit where tx_hash = $1 and state = 'confirmed'",
          [hash],
        )
        return row?.units
      }, 'the deposit to be confirmed')
      await control(world, FROM, 'hardhat_setCode', usdt.contract, TestToken.deployedBytecode)
      expect(credited).toBe('45000000')
    })

    it('coins through a contract in between are credited, and not refunded to their relayer', async () => {
      const swap = await swapFor({ source_token: 'ETH', amount: 0.1 })
      const { to_address, call_data } = actionOf(swap)
      const batcher = await deploy(world, FROM, Batcher)
      const calls = [{ to: to_address as Hex, value: 10n ** 17n, data: call_data as Hex }]
      const data = encodeFunctionData({ abi: Batcher.abi, functionName: 'run', args: [calls] })
      const { transactionHash } = await send(world, FROM, { to: batcher, data, value: 10n ** 17n })
      await world.client.reaches(swap.swap.id, 'completed')
      expect(await depositsOf(transactionHash)).toMatchObject([
        { units: '100000000000000000', swap_id: swap.swap.id, from_address: null, token: 'native' },
      ])
      expect(eth.contract).toBeNull()
    })
  })

  describe('the operator', () => {
    const run = (...words: string[]) => {
      const { service } = world.sandbox
      if (!service) throw new Error('no service')
      return admin(service.services, 'depository', ...words, '--network', FROM)
    }
    const quoteWith = (flag: string) =>
      world.client.get(
        `/api/v2/quote?${new URLSearchParams({
          source_network: FROM,
          source_token: 'USDT',
          destination_network: TO,
          destination_token: 'ETH',
          amount: '50',
          [flag]: 'true',
        })}`,
      )
    const isPaused = async (value: boolean) =>
      eventually(async () => new RegExp(`paused +${value}`).test(await run('status')), `paused to be ${value}`)

    it('reads the on-chain state', async () => {
      const shown = await run('status')
      expect(shown).toMatch(new RegExp(`receivers +${treasury}`))
      expect(shown).toMatch(/treasury_is_receiver +true/)
      expect(await run('deploy')).toBe('nothing is to be done')
    })

    it('tries a change without making it', async () => {
      const shown = await run('pause', '--dry-run')
      expect(shown).toContain('dry run: it would go through')
      expect(shown).toContain(encodeFunctionData({ abi: Depository.abi, functionName: 'pause' }))
      const refused = await run('rotate', '--from', world.stranger(), '--to', world.stranger(), '--dry-run')
      expect(refused).toContain('the chain would refuse it')
      const ordered = await world.query("select 1 from payout where kind = 'admin'")
      expect(ordered).toEqual([])
      expect(await run('status')).toMatch(/paused +false/)
    })

    it('pauses it: then it is not offered, until it goes on', async () => {
      await run('pause')
      await isPaused(true)
      await eventually(async () => (await quoteWith('use_depository')).error?.code === 'UNSUPPORTED_DEPOSITORY')
      await run('unpause')
      await isPaused(false)
      await eventually(async () => (await quoteWith('use_depository')).status === 200)
      const rows = await world.query<{ kind: string; state: string }>(
        "select kind, state from payout where kind = 'admin'",
      )
      expect(rows).toEqual([
        { kind: 'admin', state: 'confirmed' },
        { kind: 'admin', state: 'confirmed' },
      ])
    })

    it('replaces the receiver, and puts it back', async () => {
      const other = getAddress(world.stranger())
      await run('rotate', '--from', treasury, '--to', other)
      await eventually(async () => /treasury_is_receiver +false/.test(await run('status')))
      await eventually(async () => (await quoteWith('use_depository')).error?.code === 'UNSUPPORTED_DEPOSITORY')
      await run('rotate', '--from', other, '--to', treasury)
      await eventually(async () => (await quoteWith('use_depository')).status === 200)
    })

    it('rejects unknown arguments', async () => {
      await expect(run('rotate', '--from', 'nobody', '--to', treasury)).rejects.toThrow('--from is no address')
      await expect(run('rotate', '--from', treasury)).rejects.toThrow('--to is needed')
    })
  })

  it('encoded arguments are those of the ABI, word for word', async () => {
    const action = actionOf(await swapFor())
    const [id, token, receiver, amount] = action.encoded_args as [Hex, Hex, Hex, Hex]
    const words = encodeAbiParameters(
      [{ type: 'bytes32' }, { type: 'address' }, { type: 'address' }, { type: 'uint256' }],
      [id, token, receiver, BigInt(amount)],
    )
    expect(action.call_data?.slice(10)).toBe(words.slice(2))
  })
}
