import fc from 'fast-check'
import { type Address, encodeFunctionData, type Hex, numberToHex } from 'viem'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  BlockingToken,
  Depository,
  FalseToken,
  FeeToken,
  LyingToken,
  ReentrantReceiver,
  ReentrantToken,
  SilentToken,
  TestToken,
} from './artifacts.ts'
import { type Bench, COIN, newAccount, openBench } from './testing.ts'

const owner = newAccount()
const depositor = newAccount()
const stranger = newAccount()
const treasury = newAccount()
const ID = numberToHex(1_000_001, { size: 32 })

let bench: Bench
let depository: Address
beforeAll(async () => {
  bench = await openBench([owner, depositor, stranger, treasury])
})
beforeEach(async () => {
  depository = await bench.deploy(Depository, [owner.address, [treasury.address]])
})

const call = (name: string, args: readonly unknown[] = [], value = 0n, account = owner) =>
  bench.run(account, { to: depository, abi: Depository.abi, name, args, value })
const depositNative = (value: bigint, receiver: Address = treasury.address, account = depositor) =>
  call('depositNative', [ID, receiver], value, account)
const depositERC20 = (token: Address, amount: bigint, receiver: Address = treasury.address, account = depositor) =>
  call('depositERC20', [ID, token, receiver, amount], 0n, account)

/** A token that the depositor holds and has approved. */
async function approved(bytecode: Hex, amount: bigint): Promise<Address> {
  const token = await bench.deploy({ abi: TestToken.abi, bytecode })
  await bench.mint(token, depositor.address, amount)
  await bench.approve(depositor, token, depository, amount)
  return token
}

const read = (functionName: 'getWhitelistedAddresses' | 'paused' | 'owner' | 'pendingOwner') =>
  bench.reader.readContract({ address: depository, abi: Depository.abi, functionName })
const deposited = (token: Address, amount: bigint, receiver: Address = treasury.address) => [
  { name: 'Deposited', args: { id: ID, token, receiver, amount } },
]

describe('coins', () => {
  test('reach the receiver in the same call and are announced', async () => {
    const before = await bench.balance(COIN, treasury.address)
    const { failure, events } = await depositNative(1_000n)
    expect(failure).toBeNull()
    expect(events).toEqual(deposited(COIN, 1_000n))
    expect((await bench.balance(COIN, treasury.address)) - before).toBe(1_000n)
    expect(await bench.balance(COIN, depository)).toBe(0n)
  })

  test('zero is ZeroAmount', async () => {
    expect((await depositNative(0n)).failure).toBe('ZeroAmount')
  })

  test('to any other address than a receiver is NotWhitelisted', async () => {
    expect((await depositNative(1n, stranger.address)).failure).toBe('NotWhitelisted')
    expect((await depositNative(1n, COIN)).failure).toBe('NotWhitelisted')
  })

  test('from a receiver to itself is InvalidReceiver: nothing would have moved', async () => {
    expect((await depositNative(1n, treasury.address, treasury)).failure).toBe('InvalidReceiver')
  })

  test('a receiver that refuses them is TransferFailed', async () => {
    const receiver = await bench.deploy(ReentrantReceiver)
    await call('addToWhitelist', [receiver])
    await bench.run(owner, { to: receiver, abi: ReentrantReceiver.abi, name: 'refuse', args: [true] })
    expect((await depositNative(5n, receiver)).failure).toBe('TransferFailed')
    expect(await bench.balance(COIN, depository)).toBe(0n)
  })

  test('a receiver that re-enters is blocked', async () => {
    const receiver = await bench.deploy(ReentrantReceiver)
    await call('addToWhitelist', [receiver])
    const data = encodeFunctionData({
      abi: Depository.abi,
      functionName: 'depositNative',
      args: [ID, treasury.address],
    })
    await bench.run(owner, { to: receiver, abi: ReentrantReceiver.abi, name: 'prepare', args: [depository, data] })
    const { events } = await depositNative(5n, receiver)
    expect(events).toEqual(deposited(COIN, 5n, receiver))
    const reader = { address: receiver, abi: ReentrantReceiver.abi } as const
    expect(await bench.reader.readContract({ ...reader, functionName: 'wasCalled' })).toBe(true)
    expect(await bench.reader.readContract({ ...reader, functionName: 'wentThrough' })).toBe(false)
  })

  test('cannot be sent to the contract in any other way', async () => {
    const request = { from: depositor.address, to: depository, value: '0x1', gas: '0xfffff' }
    await expect(bench.chain.request('eth_call', [request, 'latest'])).rejects.toThrow(/revert/)
    await expect(bench.chain.request('eth_call', [{ ...request, data: '0x12345678' }, 'latest'])).rejects.toThrow(
      /revert/,
    )
  })
})

describe('tokens', () => {
  test('go from the depositor to the receiver and are announced', async () => {
    const token = await approved(TestToken.bytecode, 500n)
    const { events } = await depositERC20(token, 300n)
    expect(events).toEqual(deposited(token, 300n))
    expect(await bench.balance(token, treasury.address)).toBe(300n)
    expect(await bench.balance(token, depositor.address)).toBe(200n)
    expect(await bench.balance(token, depository)).toBe(0n)
  })

  test('that take a fee emit the amount that arrived', async () => {
    const token = await approved(FeeToken.bytecode, 100n)
    expect((await depositERC20(token, 100n)).events).toEqual(deposited(token, 90n))
    expect(await bench.balance(token, treasury.address)).toBe(90n)
  })

  test('that return nothing work', async () => {
    const token = await approved(SilentToken.bytecode, 100n)
    expect((await depositERC20(token, 100n)).events).toEqual(deposited(token, 100n))
  })

  test('that return false revert', async () => {
    const token = await approved(FalseToken.bytecode, 100n)
    expect((await depositERC20(token, 100n)).failure).toBe('SafeERC20FailedOperation')
  })

  test('that only emit a transfer are TransferFailed', async () => {
    const token = await approved(LyingToken.bytecode, 100n)
    expect((await depositERC20(token, 100n)).failure).toBe('TransferFailed')
  })

  test('that reject the receiver revert with their own reason', async () => {
    const token = await approved(BlockingToken.bytecode, 100n)
    const args = [treasury.address, true]
    await bench.run(owner, { to: token, abi: BlockingToken.abi, name: 'setBlocked', args })
    expect((await depositERC20(token, 100n)).failure).toBe('account is blocked')
  })

  test('that re-enter are blocked, and no deposit is credited twice', async () => {
    const token = await bench.deploy(ReentrantToken)
    await bench.mint(token, depositor.address, 100n)
    await bench.approve(depositor, token, depository, 100n)
    const args = [ID, token, treasury.address, 50n] as const
    const data = encodeFunctionData({ abi: Depository.abi, functionName: 'depositERC20', args })
    await bench.run(owner, { to: token, abi: ReentrantToken.abi, name: 'prepare', args: [depository, data] })
    expect((await depositERC20(token, 50n)).events).toEqual(deposited(token, 50n))
    const reader = { address: token, abi: ReentrantToken.abi } as const
    expect(await bench.reader.readContract({ ...reader, functionName: 'wasCalled' })).toBe(true)
    expect(await bench.reader.readContract({ ...reader, functionName: 'wentThrough' })).toBe(false)
    expect(await bench.balance(token, treasury.address)).toBe(50n)
  })

  test('without approval, or with too little, revert', async () => {
    const token = await approved(TestToken.bytecode, 100n)
    await bench.approve(depositor, token, depository, 99n)
    expect((await depositERC20(token, 100n)).failure).not.toBeNull()
    expect(await bench.balance(token, treasury.address)).toBe(0n)
  })

  test('reject a zero amount, no token, another receiver, and the contract itself', async () => {
    const token = await approved(TestToken.bytecode, 100n)
    expect((await depositERC20(token, 0n)).failure).toBe('ZeroAmount')
    expect((await depositERC20(COIN, 1n)).failure).toBe('ZeroAddress')
    expect((await depositERC20(token, 1n, stranger.address)).failure).toBe('NotWhitelisted')
    expect((await depositERC20(token, 1n, treasury.address, treasury)).failure).toBe('InvalidReceiver')
    expect((await depositERC20(stranger.address, 1n)).failure).not.toBeNull()
  })

  test('cannot be taken from an account that did not call', async () => {
    const token = await approved(TestToken.bytecode, 100n)
    expect((await depositERC20(token, 100n, treasury.address, stranger)).failure).not.toBeNull()
    expect(await bench.balance(token, depositor.address)).toBe(100n)
  })
})

describe('the receivers', () => {
  test('are listed, added, removed and replaced by the owner, each with its event', async () => {
    const account = stranger.address
    expect(await read('getWhitelistedAddresses')).toEqual([treasury.address])
    expect((await call('addToWhitelist', [account])).events).toEqual([
      { name: 'AddressWhitelisted', args: { addr: account } },
    ])
    expect(await read('getWhitelistedAddresses')).toEqual([treasury.address, account])
    const newAddress = depositor.address
    expect((await call('updateWhitelistedAddress', [treasury.address, newAddress])).events).toEqual([
      { name: 'AddressUpdatedInWhitelist', args: { oldAddr: treasury.address, newAddr: newAddress } },
    ])
    expect(await read('getWhitelistedAddresses')).toEqual([newAddress, account])
    expect((await call('removeFromWhitelist', [newAddress])).events).toEqual([
      { name: 'AddressRemovedFromWhitelist', args: { addr: newAddress } },
    ])
    expect(await read('getWhitelistedAddresses')).toEqual([account])
    const isWhitelisted = (address: Address) =>
      bench.reader.readContract({
        address: depository,
        abi: Depository.abi,
        functionName: 'isWhitelisted',
        args: [address],
      })
    expect([await isWhitelisted(account), await isWhitelisted(treasury.address)]).toEqual([true, false])
    expect((await depositNative(1n)).failure).toBe('NotWhitelisted')
  })

  test.each([
    ['addToWhitelist', [COIN], 'ZeroAddress'],
    ['addToWhitelist', [treasury.address], 'AlreadyWhitelisted'],
    ['removeFromWhitelist', [stranger.address], 'NotWhitelisted'],
    ['updateWhitelistedAddress', [treasury.address, treasury.address], 'SameAddress'],
    ['updateWhitelistedAddress', [treasury.address, COIN], 'ZeroAddress'],
    ['updateWhitelistedAddress', [stranger.address, owner.address], 'NotWhitelisted'],
  ])('%s(%j) is %s', async (name, args, error) => {
    expect((await call(name, args)).failure).toBe(error)
  })

  test('the contract itself cannot be one, and none can be added twice', async () => {
    expect((await call('addToWhitelist', [depository])).failure).toBe('InvalidReceiver')
    expect((await call('updateWhitelistedAddress', [treasury.address, depository])).failure).toBe('InvalidReceiver')
    await call('addToWhitelist', [stranger.address])
    expect((await call('updateWhitelistedAddress', [treasury.address, stranger.address])).failure).toBe(
      'AlreadyWhitelisted',
    )
  })

  test('behave as a set under any sequence of changes', async () => {
    const accounts = Array.from({ length: 5 }, () => newAccount().address)
    const step = fc.record({ add: fc.boolean(), at: fc.nat({ max: accounts.length - 1 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        depository = await bench.deploy(Depository, [owner.address, []])
        const model = new Set<Address>()
        for (const { add, at } of steps) {
          const account = accounts[at] as Address
          const { failure } = await call(add ? 'addToWhitelist' : 'removeFromWhitelist', [account])
          expect(failure === null).toBe(model.has(account) !== add)
          if (add) model.add(account)
          else model.delete(account)
          const listed = (await read('getWhitelistedAddresses')) as Address[]
          expect(listed).toHaveLength(model.size)
          expect(new Set(listed)).toEqual(model)
        }
      }),
      { numRuns: 15 },
    )
  })
})

describe('permissions', () => {
  test.each([
    ['addToWhitelist', [stranger.address]],
    ['removeFromWhitelist', [treasury.address]],
    ['updateWhitelistedAddress', [treasury.address, stranger.address]],
    ['pause', []],
    ['unpause', []],
    ['transferOwnership', [stranger.address]],
    ['renounceOwnership', []],
  ])('%s is for the owner only', async (name, args) => {
    expect((await call(name, args, 0n, stranger)).failure).toBe('OwnableUnauthorizedAccount')
  })

  test('another owner has to accept', async () => {
    await call('transferOwnership', [stranger.address])
    expect([await read('owner'), await read('pendingOwner')]).toEqual([owner.address, stranger.address])
    expect((await call('acceptOwnership', [], 0n, depositor)).failure).toBe('OwnableUnauthorizedAccount')
    await call('acceptOwnership', [], 0n, stranger)
    expect(await read('owner')).toBe(stranger.address)
    expect((await call('pause')).failure).toBe('OwnableUnauthorizedAccount')
  })

  test('a pause stops deposits and nothing else, until it is lifted', async () => {
    const token = await approved(TestToken.bytecode, 100n)
    await call('pause')
    expect((await depositNative(1n)).failure).toBe('EnforcedPause')
    expect((await depositERC20(token, 1n)).failure).toBe('EnforcedPause')
    expect((await call('addToWhitelist', [stranger.address])).failure).toBeNull()
    await call('unpause')
    expect((await depositNative(1n)).failure).toBeNull()
    expect((await depositERC20(token, 1n)).failure).toBeNull()
  })

  test('it cannot be deployed without an owner, with a zero receiver, or with one twice', async () => {
    expect(await bench.deployFailure(Depository, [COIN, [treasury.address]])).toBe('ZeroAddress')
    expect(await bench.deployFailure(Depository, [owner.address, [COIN]])).toBe('ZeroAddress')
    const twice = [treasury.address, treasury.address]
    expect(await bench.deployFailure(Depository, [owner.address, twice])).toBe('AlreadyWhitelisted')
  })
})

describe('invariants', () => {
  test('the contract holds nothing, and every event is money that moved', async () => {
    const token = await approved(TestToken.bytecode, 10n ** 30n)
    const dear = await approved(FeeToken.bytecode, 10n ** 30n)
    const second = newAccount().address
    await call('addToWhitelist', [second])
    const amount = fc.bigInt({ min: 0n, max: 10n ** 20n })
    const step = fc.record({
      token: fc.constantFrom<Address>(COIN, token, dear),
      receiver: fc.constantFrom(treasury.address, second, stranger.address),
      amount,
      id: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map((number) => numberToHex(number, { size: 32 })),
      togglesPause: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
    })
    let isPaused = false
    await fc.assert(
      fc.asyncProperty(step, async ({ token: of, receiver, amount: units, id, togglesPause }) => {
        if (togglesPause) {
          await call(isPaused ? 'unpause' : 'pause')
          isPaused = !isPaused
        }
        const before = await bench.balance(of, receiver)
        const { failure, events } =
          of === COIN
            ? await call('depositNative', [id, receiver], units, depositor)
            : await call('depositERC20', [id, of, receiver, units], 0n, depositor)
        const moved = (await bench.balance(of, receiver)) - before
        const isFine = !isPaused && units > 0n && receiver !== stranger.address
        expect(failure === null).toBe(isFine)
        expect(events).toEqual(isFine ? [{ name: 'Deposited', args: { id, token: of, receiver, amount: moved } }] : [])
        if (!isFine) expect(moved).toBe(0n)
        for (const held of [COIN, token, dear]) expect(await bench.balance(held, depository)).toBe(0n)
      }),
      { numRuns: 120 },
    )
  })
})

test('the gas of a deposit is as stated in contracts/README.md', async () => {
  const token = await approved(TestToken.bytecode, 1_000n)
  await depositNative(1n)
  await depositERC20(token, 1n)
  const native = await depositNative(1n)
  const tokens = await depositERC20(token, 1n)
  // Zero bytes in an address make a call slightly cheaper.
  expect(Math.abs(Number(native.gasUsed) - 40_600)).toBeLessThan(400)
  expect(Math.abs(Number(tokens.gasUsed) - 55_100)).toBeLessThan(400)
})
