import fc from 'fast-check'
import {
  type Address,
  concat,
  encodeAbiParameters,
  type Hex,
  keccak256,
  numberToHex,
  parseSignature,
  type TypedDataDomain,
} from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { AuthorizingToken, Depository, Paymaster, PermitToken, SigningWallet, TestToken } from './artifacts.ts'
import { type Bench, COIN, newAccount, openBench } from './testing.ts'

const relayer = newAccount()
const holder = newAccount()
const stranger = newAccount()
const treasury = newAccount().address
const LATER = 2n ** 40n
const AMOUNT = 1_000n

let bench: Bench
let depository: Address
let paymaster: Address
let usdc: Address
let dai: Address
let nextId = 1n
beforeAll(async () => {
  bench = await openBench([relayer, stranger])
  depository = await bench.deploy(Depository, [relayer.address, [treasury]])
  paymaster = await bench.deploy(Paymaster, [relayer.address, depository])
})
beforeEach(async () => {
  usdc = await bench.deploy(AuthorizingToken)
  dai = await bench.deploy(PermitToken)
  for (const [token, name] of [
    [usdc, 'USD Coin'],
    [dai, 'Dai'],
  ] as const) {
    await bench.run(relayer, { to: token, abi: TestToken.abi, name: 'init', args: [name, name, 6] })
    await bench.mint(token, holder.address, 10n * AMOUNT)
  }
})

const freshId = () => numberToHex(++nextId, { size: 32 })
const domain = (token: Address): TypedDataDomain => ({
  name: token === usdc ? 'USD Coin' : 'Dai',
  version: token === usdc ? '2' : '1',
  chainId: hardhat.id,
  verifyingContract: token,
})

interface Plan {
  id: Hex
  owner: Address
  receiver: Address
  amount: bigint
  validBefore: bigint
}

const planOf = (changes: Partial<Plan> = {}): Plan => ({
  id: freshId(),
  owner: holder.address,
  receiver: treasury,
  amount: AMOUNT,
  validBefore: LATER,
  ...changes,
})

const nonceOf = ({ id, receiver, validBefore }: Plan) =>
  keccak256(
    encodeAbiParameters([{ type: 'bytes32' }, { type: 'address' }, { type: 'uint256' }], [id, receiver, validBefore]),
  )

function signAuthorization(plan: Plan, signer: PrivateKeyAccount = holder): Promise<Hex> {
  return signer.signTypedData({
    domain: domain(usdc),
    primaryType: 'ReceiveWithAuthorization',
    types: {
      ReceiveWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    message: {
      from: plan.owner,
      to: paymaster,
      value: plan.amount,
      validAfter: 0n,
      validBefore: plan.validBefore,
      nonce: nonceOf(plan),
    },
  })
}

async function signPermit(plan: Plan, nonce: bigint, signer: PrivateKeyAccount = holder): Promise<Hex> {
  return signer.signTypedData({
    domain: domain(dai),
    primaryType: 'Permit',
    types: {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    message: { owner: plan.owner, spender: paymaster, value: plan.amount, nonce, deadline: plan.validBefore },
  })
}

const depositOf = ({ id, owner, receiver, amount }: Plan, token: Address) => ({ id, token, receiver, owner, amount })

const byAuthorization = (plan: Plan, signature: Hex, account = relayer) =>
  bench.run(account, {
    to: paymaster,
    abi: ERRORS,
    name: 'depositWithAuthorization',
    args: [depositOf(plan, usdc), 0n, plan.validBefore, signature],
  })

function byPermit(plan: Plan, signature: Hex, account = relayer) {
  const { r, s, v } = parseSignature(signature)
  const args = [depositOf(plan, dai), plan.validBefore, Number(v), r, s]
  return bench.run(account, { to: paymaster, abi: ERRORS, name: 'depositWithPermit', args })
}

/** Its own errors, and those that come from the Depository. */
const ERRORS = [
  ...Paymaster.abi,
  ...Depository.abi.filter(
    ({ type, ...rest }) =>
      type === 'error' && 'name' in rest && !Paymaster.abi.some((own) => 'name' in own && own.name === rest.name),
  ),
]

async function expectNothingHeld(): Promise<void> {
  for (const token of [COIN, usdc, dai]) {
    for (const contract of [paymaster, depository]) expect(await bench.balance(token, contract)).toBe(0n)
  }
}

describe('an authorization', () => {
  test('is taken, deposited and announced in one call, for an owner without coins', async () => {
    const plan = planOf()
    const { failure, events } = await byAuthorization(plan, await signAuthorization(plan))
    expect(failure).toBeNull()
    expect(events).toEqual([
      { name: 'Relayed', args: { id: plan.id, token: usdc, owner: holder.address, amount: AMOUNT } },
    ])
    expect(await bench.balance(usdc, treasury)).toBe(AMOUNT)
    expect(await bench.balance(COIN, holder.address)).toBe(0n)
    await expectNothingHeld()
  })

  test('cannot be used twice', async () => {
    const plan = planOf()
    const signature = await signAuthorization(plan)
    await byAuthorization(plan, signature)
    expect((await byAuthorization(plan, signature)).failure).toBe('AlreadyDeposited')
    expect(await bench.balance(usdc, treasury)).toBe(AMOUNT)
  })

  test.each([
    ['another swap', { id: numberToHex(77n, { size: 32 }) }],
    ['another amount', { amount: AMOUNT + 1n }],
    ['another time', { validBefore: LATER + 1n }],
    ['another owner', { owner: stranger.address }],
  ])('cannot be used for %s', async (_, changes) => {
    const plan = planOf()
    const { failure } = await byAuthorization({ ...plan, ...changes }, await signAuthorization(plan))
    expect(failure).toBe('invalid signature')
  })

  test('for another receiver is rejected, even if signed', async () => {
    const plan = planOf({ receiver: stranger.address })
    expect((await byAuthorization(plan, await signAuthorization(plan))).failure).toBe('NotWhitelisted')
    expect(await bench.balance(usdc, holder.address)).toBe(10n * AMOUNT)
  })

  test('that has expired is rejected', async () => {
    const plan = planOf({ validBefore: 1n })
    expect((await byAuthorization(plan, await signAuthorization(plan))).failure).toBe('authorization is expired')
  })

  test('cannot be used without us: the token checks the payee', async () => {
    const plan = planOf()
    const { r, s, v } = parseSignature(await signAuthorization(plan))
    const args = [holder.address, paymaster, AMOUNT, 0n, LATER, nonceOf(plan), Number(v), r, s]
    const direct = { to: usdc, abi: AuthorizingToken.abi, name: 'receiveWithAuthorization', args }
    expect((await bench.run(stranger, direct)).failure).toBe('caller must be the payee')
  })

  test('may come from a contract wallet', async () => {
    const wallet = await bench.deploy(SigningWallet, [holder.address])
    await bench.mint(usdc, wallet, AMOUNT)
    const plan = planOf({ owner: wallet })
    const signature = concat(['0xabcd', await signAuthorization(plan)])
    expect((await byAuthorization(plan, signature)).failure).toBeNull()
    expect(await bench.balance(usdc, treasury)).toBe(AMOUNT)
  })

  test('has the nonce that the contract returns', async () => {
    const plan = planOf()
    const { id, receiver, validBefore } = plan
    const args = [id, receiver, validBefore] as const
    const told = await bench.reader.readContract({
      address: paymaster,
      abi: Paymaster.abi,
      functionName: 'nonceOf',
      args,
    })
    expect(told).toBe(nonceOf(plan))
  })
})

describe('a permit', () => {
  test('is taken, deposited and announced in one call', async () => {
    const plan = planOf()
    const { events } = await byPermit(plan, await signPermit(plan, 0n))
    expect(events).toEqual([
      { name: 'Relayed', args: { id: plan.id, token: dai, owner: holder.address, amount: AMOUNT } },
    ])
    expect(await bench.balance(dai, treasury)).toBe(AMOUNT)
    await expectNothingHeld()
  })

  test('that was submitted by another account still works', async () => {
    const plan = planOf()
    const signature = await signPermit(plan, 0n)
    const { r, s, v } = parseSignature(signature)
    const args = [holder.address, paymaster, AMOUNT, LATER, Number(v), r, s]
    await bench.run(stranger, { to: dai, abi: PermitToken.abi, name: 'permit', args })
    expect((await byPermit(plan, signature)).failure).toBeNull()
    expect(await bench.balance(dai, treasury)).toBe(AMOUNT)
  })

  test('cannot deposit twice for a swap, even with a remaining allowance', async () => {
    const plan = planOf()
    const signature = await signPermit(plan, 0n)
    await byPermit(plan, signature)
    const more = { ...plan, amount: 5n * AMOUNT }
    const { r, s, v } = parseSignature(await signPermit(more, 1n))
    const args = [holder.address, paymaster, more.amount, LATER, Number(v), r, s]
    await bench.run(stranger, { to: dai, abi: PermitToken.abi, name: 'permit', args })
    expect((await byPermit(plan, signature)).failure).toBe('AlreadyDeposited')
    expect(await bench.balance(dai, treasury)).toBe(AMOUNT)
  })

  test('of another owner, or used up, moves nothing', async () => {
    const plan = planOf()
    expect((await byPermit(plan, await signPermit(plan, 0n, stranger))).failure).not.toBeNull()
    const used = await signPermit(plan, 0n)
    await byPermit(plan, used)
    expect((await byPermit({ ...plan, id: freshId() }, used)).failure).not.toBeNull()
    expect(await bench.balance(dai, treasury)).toBe(AMOUNT)
  })

  test('that has expired is rejected, even if its allowance exists', async () => {
    const plan = planOf({ validBefore: 1n })
    await expect(byPermit(plan, await signPermit(plan, 0n))).resolves.toMatchObject({ failure: 'Expired' })
  })
})

describe('permissions', () => {
  test('only the relayer may call', async () => {
    const plan = planOf()
    expect((await byAuthorization(plan, await signAuthorization(plan), stranger)).failure).toBe('NotRelayer')
    expect((await byPermit(plan, await signPermit(plan, 0n), stranger)).failure).toBe('NotRelayer')
  })

  test('it cannot be deployed without a relayer or a Depository', async () => {
    expect(await bench.deployFailure(Paymaster, [COIN, depository])).toBe('ZeroAddress')
    expect(await bench.deployFailure(Paymaster, [relayer.address, COIN])).toBe('ZeroAddress')
  })

  test('a paused Depository pauses it too', async () => {
    const plan = planOf()
    const signature = await signAuthorization(plan)
    await bench.run(relayer, { to: depository, abi: Depository.abi, name: 'pause' })
    expect((await byAuthorization(plan, signature)).failure).toBe('EnforcedPause')
    await bench.run(relayer, { to: depository, abi: Depository.abi, name: 'unpause' })
    expect((await byAuthorization(plan, signature)).failure).toBeNull()
  })
})

test('nothing stays in the contract, and what arrives is what the owners paid', async () => {
  const step = fc.record({
    amount: fc.bigInt({ min: 0n, max: 3n * AMOUNT }),
    isPermit: fc.boolean(),
    isHonest: fc.integer({ min: 0, max: 3 }).map((number) => number > 0),
    repeats: fc.boolean(),
  })
  let nonce = 0n
  await fc.assert(
    fc.asyncProperty(step, async ({ amount, isPermit, isHonest, repeats }) => {
      const token = isPermit ? dai : usdc
      await bench.mint(token, holder.address, amount)
      const plan = planOf({ amount })
      const signer = isHonest ? holder : stranger
      const signature = isPermit ? await signPermit(plan, nonce, signer) : await signAuthorization(plan, signer)
      const before = [await bench.balance(token, holder.address), await bench.balance(token, treasury)] as const
      const relay = () => (isPermit ? byPermit(plan, signature) : byAuthorization(plan, signature))
      const { failure } = await relay()
      if (failure === null && isPermit) nonce += 1n
      if (repeats) expect((await relay()).failure).not.toBeNull()
      const lost = before[0] - (await bench.balance(token, holder.address))
      const gained = (await bench.balance(token, treasury)) - before[1]
      expect(gained).toBe(lost)
      expect(gained).toBe(isHonest ? amount : 0n)
      expect(failure === null).toBe(isHonest && amount > 0n)
      await expectNothingHeld()
    }),
    { numRuns: 50 },
  )
})

test('the gas of a relay is as stated in contracts/README.md', async () => {
  const first = planOf()
  await byAuthorization(first, await signAuthorization(first))
  const plan = planOf()
  const authorized = await byAuthorization(plan, await signAuthorization(plan))
  const permitted = planOf()
  await byPermit(permitted, await signPermit(permitted, 0n))
  const again = planOf()
  const permits = await byPermit(again, await signPermit(again, 1n))
  expect(Math.abs(Number(authorized.gasUsed) - 143_100)).toBeLessThan(800)
  expect(Math.abs(Number(permits.gasUsed) - 145_200)).toBeLessThan(800)
})
