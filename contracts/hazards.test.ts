/** Tokens and chains with unusual behaviour: every hazard of the table in README.md, tested. */
import { encodePacked, getAddress, type Hex, keccak256, numberToHex } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  Depository,
  FeeToken,
  Forwarder,
  ForwarderFactory,
  HookDepositor,
  HookToken,
  LyingToken,
  TronToken,
} from './artifacts.ts'
import { type Bench, COIN, newAccount, openBench } from './testing.ts'

const operator = newAccount()
const treasury = newAccount().address
const SALT = numberToHex(1, { size: 32 })
let bench: Bench
beforeAll(async () => {
  bench = await openBench([operator])
})

const factoryOf = (prefix: Hex = '0xff') => bench.deploy(ForwarderFactory, [treasury, prefix])

const addressOf = (factory: Hex, salt: Hex) =>
  bench.reader.readContract({ address: factory, abi: ForwarderFactory.abi, functionName: 'addressOf', args: [salt] })

const sweep = (factory: Hex, token: Hex) =>
  bench.run(operator, { to: factory, abi: ForwarderFactory.abi, name: 'sweep', args: [[SALT], [token]] })

describe('a sweep is judged by the remaining balance', () => {
  test('a token that moves the money and returns false is swept (USDT on Tron)', async () => {
    const factory = await factoryOf()
    const token = await bench.deploy(TronToken)
    const address = await addressOf(factory, SALT)
    await bench.mint(token, address, 70n)
    const { events } = await sweep(factory, token)
    expect(events).toEqual([{ name: 'Swept', args: { salt: SALT, token, amount: 70n } }])
    expect(await bench.balance(token, treasury)).toBe(70n)
    expect(await bench.balance(token, address)).toBe(0n)
  })

  test('a token that returns true and moves nothing is not a success', async () => {
    const factory = await factoryOf()
    const token = await bench.deploy(LyingToken)
    await bench.mint(token, await addressOf(factory, SALT), 70n)
    expect((await sweep(factory, token)).events).toEqual([{ name: 'SweepFailed', args: { salt: SALT, token } }])
  })

  test('for a token with a fee, `Swept` has what left the address', async () => {
    const factory = await factoryOf()
    const token = await bench.deploy(FeeToken)
    await bench.mint(token, await addressOf(factory, SALT), 70n)
    const { events } = await sweep(factory, token)
    expect(events).toEqual([{ name: 'Swept', args: { salt: SALT, token, amount: 70n } }])
    expect(await bench.balance(token, treasury)).toBe(63n)
  })
})

describe('a factory', () => {
  test('is not deployed without a receiver: its sweeps would burn the money', async () => {
    expect(await bench.deployFailure(ForwarderFactory, [COIN, '0xff'])).toBe('ZeroAddress')
  })

  test.each(['0x00', '0x42', '0xfe'])(
    'is not deployed with the prefix %s: it could not compute its addresses',
    async (prefix) => {
      expect(await bench.deployFailure(ForwarderFactory, [treasury, prefix])).toBe('UnknownPrefix')
    },
  )

  test.each(['0xff', '0x41'] as const)('computes its addresses with the prefix %s', async (prefix) => {
    const factory = await factoryOf(prefix)
    const hash = keccak256(
      encodePacked(['bytes1', 'address', 'bytes32', 'bytes32'], [prefix, factory, SALT, keccak256(Forwarder.bytecode)]),
    )
    expect(await addressOf(factory, SALT)).toBe(getAddress(`0x${hash.slice(26)}`))
  })
})

test('other money that arrives during a deposit is not in `Deposited`', async () => {
  const depository = await bench.deploy(Depository, [operator.address, [treasury]])
  const token = await bench.deploy(HookToken)
  const cheat = await bench.deploy(HookDepositor)
  await bench.mint(token, cheat, 501n)
  const outcome = await bench.run(operator, {
    to: cheat,
    abi: HookDepositor.abi,
    name: 'deposit',
    args: [depository, token, treasury, 1n, 500n],
  })
  expect(outcome.failure).toBeNull()
  expect(await bench.balance(token, treasury)).toBe(501n)
  const logs = await bench.reader.getContractEvents({
    address: depository,
    abi: Depository.abi,
    eventName: 'Deposited',
  })
  expect(logs.map(({ args }) => args.amount)).toEqual([1n])
})

test('the whitelist functions have the names that clients know', () => {
  const names = Object.fromEntries(
    Depository.abi.flatMap((item) =>
      item.type === 'function' && item.name.includes('hitelist')
        ? [[item.name, item.inputs.map(({ name }) => name)]]
        : [],
    ),
  )
  expect(names).toMatchObject({
    addToWhitelist: ['addr'],
    removeFromWhitelist: ['addr'],
    updateWhitelistedAddress: ['oldAddr', 'newAddr'],
    isWhitelisted: ['addr'],
    getWhitelistedAddresses: [],
  })
})
