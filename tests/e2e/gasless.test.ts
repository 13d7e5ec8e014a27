/** Deposits by signature alone, over HTTP and on real local chains: accounts without gas, and everyone who would cheat. */
import { AuthorizingToken, PermitToken, SigningWallet, TestToken } from '@causeway/contracts'
import type { Token } from '@causeway/core'
import { concat, encodeAbiParameters, encodeFunctionData, type Hex, keccak256, numberToHex, parseSignature } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { WireAction, WireSwap, WireTransaction } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { control, deploy, gaslessOwner, send } from '../support/evm.ts'
import { actionOf, startWorld, unitsOf, type World } from '../support/world.ts'

const FROM = 'BASE_SEPOLIA'
const TO = 'ETHEREUM_SEPOLIA'
const AMOUNT = 40

let world: World
let usdc: Token
let dai: Token

beforeAll(async () => {
  world = await startWorld()
  usdc = world.token(FROM, 'USDC')
  dai = world.token(FROM, 'DAI')
})
afterAll(() => world?.stop())

interface Owner {
  secret: Hex
  address: Hex
}

const route = (symbol: string) => ({
  source_network: FROM,
  source_token: symbol,
  destination_network: TO,
  destination_token: 'ETH',
})

function swapFor(token: Token, owner: string, body: Record<string, unknown> = {}): Promise<WireSwap> {
  return world.client.create({
    ...route(token.symbol),
    destination_address: world.stranger(),
    source_address: owner,
    amount: AMOUNT,
    use_gasless: true,
    ...body,
  })
}

/** As a wallet does it: the typed text of the action and nothing else. */
function signWith(secret: Hex, typedData: unknown): Promise<Hex> {
  return privateKeyToAccount(secret).signTypedData(
    typedData as Parameters<ReturnType<typeof privateKeyToAccount>['signTypedData']>[0],
  )
}

interface Status {
  status: string
  transaction: WireTransaction | null
}

async function authorize(swap: WireSwap, signature: Hex, signer: string) {
  const answer = await world.client.post(`/api/v2/swaps/${swap.swap.id}/authorize`, {
    signature,
    signer_address: signer,
  })
  return { ...answer, data: answer.data as Status | undefined }
}

const statusOf = async (swap: WireSwap) =>
  (await world.client.get(`/api/v2/swaps/${swap.swap.id}/authorize`)).data as Status | undefined

const reaches = (swap: WireSwap, status: string) =>
  eventually(async () => {
    const found = await statusOf(swap)
    if (found?.status === status) return found
    throw new Error(`it is ${found?.status}`)
  }, `${status} of the authorization`)

async function depositsFor(swap: WireSwap) {
  return world.query<{ units: string; from_address: string | null; tx_hash: string }>(
    "select units, from_address, tx_hash from deposit where swap_id = $1 and state <> 'gone'",
    [swap.swap.id],
  )
}

const unitsFor = (token: Token) => unitsOf(AMOUNT, token)
const richOwner = (token: Token): Promise<Owner> => gaslessOwner(world, token, unitsFor(token))

/** Keeps the treasury from sending while `work` runs. */
async function whileHalted(work: () => Promise<void>): Promise<void> {
  const treasury = world.sandbox.treasuries[FROM]
  await world.query("insert into wallet_halt (network, account, reason) values ($1, $2, 'test')", [FROM, treasury])
  await work()
  await world.query('delete from wallet_halt where network = $1 and account = $2', [FROM, treasury])
}

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
    const [dear, cheap] = [await swapFor(usdc, owner), await swapFor(usdc, owner, { use_gasless: false })]
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
    const owner = await richOwner(token)
    const recipient = world.stranger()
    const swap = await swapFor(token, owner.address, { destination_address: recipient, use_depository: true })
    const action = actionOf(swap)
    expect(action).toMatchObject({ type: 'sign', call_data: null, amount: AMOUNT, valid_after: 0 })
    expect(action.typed_data).toMatchObject({ primaryType, types: { EIP712Domain: expect.any(Array) } })
    const left = (action.valid_before ?? 0) - Date.now() / 1000
    expect(left).toBeGreaterThan(29 * 60)
    expect(left).toBeLessThan(31 * 60)
    expect((await world.client.get(`/api/v2/swaps/${swap.swap.id}/authorize`)).status).toBe(404)

    const { status, data } = await authorize(swap, await signWith(owner.secret, action.typed_data), owner.address)
    expect(status).toBe(200)
    expect(['initiated', 'published']).toContain(data?.status)
    const done = await reaches(swap, 'completed')
    expect(done.transaction).toMatchObject({ type: 'input', status: 'completed', from: owner.address, amount: AMOUNT })
    const ended = await world.client.reaches(swap.swap.id, 'completed')
    const [deposit, ...more] = await depositsFor(swap)
    expect(more).toEqual([])
    expect(deposit).toMatchObject({ units: `${unitsFor(token)}`, from_address: owner.address })
    expect(deposit?.tx_hash).toBe(done.transaction?.transaction_hash)
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
    const swap = await swapFor(usdc, wallet)
    const signature = await signWith(key.secret, actionOf(swap).typed_data)
    const whole = prefix ? concat([prefix as Hex, signature]) : signature
    expect((await authorize(swap, whole, wallet)).data?.status).not.toBe('rejected')
    await world.client.reaches(swap.swap.id, 'completed')
    // Paying a contract back may not reach the person behind it.
    expect(await depositsFor(swap)).toMatchObject([{ units: `${unitsFor(usdc)}`, from_address: null }])
  })

  it('may not be a contract wallet where the token takes permits', async () => {
    const key = await gaslessOwner(world, dai, 0n)
    const wallet = await deploy(world, FROM, SigningWallet, [key.address])
    await world.devnet(FROM).fund(dai, wallet, unitsFor(dai))
    const swap = await swapFor(dai, wallet)
    const signature = await signWith(key.secret, actionOf(swap).typed_data)
    expect((await authorize(swap, signature, wallet)).data?.status).toBe('rejected')
  })
})

describe('row 21: whoever would cheat', () => {
  it('a signature handed in again is refused as already authorized, and deposits once', async () => {
    const owner = await gaslessOwner(world, usdc, 2n * unitsFor(usdc))
    const swap = await swapFor(usdc, owner.address)
    const signature = await signWith(owner.secret, actionOf(swap).typed_data)
    const answers = await Promise.all([1, 2, 3].map(() => authorize(swap, signature, owner.address)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { error } of answers.filter(({ status }) => status !== 200)) {
      expect(error?.message).toContain('already authorized')
    }
    await world.client.reaches(swap.swap.id, 'completed')
    const again = await authorize(swap, signature, owner.address)
    expect(again).toMatchObject({ status: 400, error: { message: expect.stringContaining('already authorized') } })
    expect(await depositsFor(swap)).toHaveLength(1)
    expect(await world.balance(usdc, owner.address)).toBe(unitsFor(usdc))
  })

  it.each(['USDC', 'DAI'])('a %s signature for one swap is rejected for another', async (symbol) => {
    const token = world.token(FROM, symbol)
    const owner = await gaslessOwner(world, token, 2n * unitsFor(token))
    const first = await swapFor(token, owner.address)
    // Another second, another deadline: a permit of the same second is held off by its nonce.
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    const second = await swapFor(token, owner.address)
    const signature = await signWith(owner.secret, actionOf(first).typed_data)
    expect((await authorize(second, signature, owner.address)).data?.status).toBe('rejected')
    expect((await statusOf(second))?.status).toBe('rejected')
    await authorize(first, signature, owner.address)
    await world.client.reaches(first.swap.id, 'completed')
    expect(await world.balance(token, owner.address)).toBe(unitsFor(token))
    expect(await depositsFor(second)).toEqual([])
  })

  it('a permit that is on its way for one swap is not taken for another', async () => {
    const owner = await gaslessOwner(world, dai, 2n * unitsFor(dai))
    const [first, second] = [await swapFor(dai, owner.address), await swapFor(dai, owner.address)]
    await whileHalted(async () => {
      await authorize(first, await signWith(owner.secret, actionOf(first).typed_data), owner.address)
      const other = await authorize(second, await signWith(owner.secret, actionOf(second).typed_data), owner.address)
      expect(other.error?.message).toContain('already authorized')
    })
    await world.client.reaches(first.swap.id, 'completed')
    // The nonce has moved on: a fresh action is good again.
    const fresh = actionOf(await world.client.swap(second.swap.id))
    expect(fresh.nonce).not.toBe(actionOf(second).nonce)
    await authorize(second, await signWith(owner.secret, fresh.typed_data), owner.address)
    await world.client.reaches(second.swap.id, 'completed')
  })

  it('the wrong signer is rejected, and does not stand in the way of the right one', async () => {
    const owner = await richOwner(usdc)
    const thief = await richOwner(usdc)
    const swap = await swapFor(usdc, owner.address)
    const { typed_data } = actionOf(swap)
    const stolen = await signWith(thief.secret, typed_data)
    expect((await authorize(swap, stolen, owner.address)).data?.status).toBe('rejected')
    expect((await authorize(swap, stolen, thief.address)).data?.status).toBe('rejected')
    expect((await authorize(swap, await signWith(owner.secret, typed_data), thief.address)).data?.status).toBe(
      'rejected',
    )
    expect((await authorize(swap, '0x1234', owner.address)).data?.status).toBe('rejected')
    await authorize(swap, await signWith(owner.secret, typed_data), owner.address)
    await world.client.reaches(swap.swap.id, 'completed')
    expect(await world.balance(usdc, thief.address)).toBe(unitsFor(usdc))
  })

  it('too little money is insufficient, and the same signature goes through once it is there', async () => {
    const owner = await gaslessOwner(world, usdc, unitsFor(usdc) - 1n)
    const swap = await swapFor(usdc, owner.address)
    const signature = await signWith(owner.secret, actionOf(swap).typed_data)
    expect((await authorize(swap, signature, owner.address)).data).toEqual({
      status: 'insufficient',
      transaction: null,
    })
    expect((await statusOf(swap))?.status).toBe('insufficient')
    await world.devnet(FROM).fund(usdc, owner.address, 1n)
    await authorize(swap, signature, owner.address)
    await world.client.reaches(swap.swap.id, 'completed')
  })

  it('money that is gone before the broadcast is insufficient, and no gas is spent on it', async () => {
    const owner = await richOwner(usdc)
    const swap = await swapFor(usdc, owner.address)
    await whileHalted(async () => {
      const signature = await signWith(owner.secret, actionOf(swap).typed_data)
      expect((await authorize(swap, signature, owner.address)).data?.status).toBe('initiated')
      await world.devnet(FROM).fund(world.token(FROM, 'ETH'), owner.address, 10n ** 18n)
      await world.devnet(FROM).transfer(owner, usdc, world.stranger(), 1n)
    })
    expect((await reaches(swap, 'insufficient')).transaction).toBeNull()
    const [row] = await world.query<{ attempts: string }>(
      `select count(attempt.*) as attempts from gasless_authorization
       join slot_payout using (payout_id) join attempt using (slot_id) where swap_id = $1`,
      [swap.swap.id],
    )
    expect(row?.attempts).toBe('0')
    expect((await world.client.swap(swap.swap.id)).swap.status).toBe('user_transfer_pending')
  })

  it('a permit that somebody handed in before us still deposits, once', async () => {
    const owner = await richOwner(dai)
    const swap = await swapFor(dai, owner.address)
    const action = actionOf(swap)
    const signature = await signWith(owner.secret, action.typed_data)
    await whileHalted(async () => {
      await authorize(swap, signature, owner.address)
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
    expect(await depositsFor(swap)).toMatchObject([{ units: `${unitsFor(dai)}`, from_address: owner.address }])
  })

  it('a token that stopped taking signatures rejects, and the money stays with its owner', async () => {
    const owner = await richOwner(usdc)
    const swap = await swapFor(usdc, owner.address)
    await whileHalted(async () => {
      await authorize(swap, await signWith(owner.secret, actionOf(swap).typed_data), owner.address)
      await control(world, FROM, 'hardhat_setCode', usdc.contract, TestToken.deployedBytecode)
    })
    await reaches(swap, 'rejected')
    await control(world, FROM, 'hardhat_setCode', usdc.contract, AuthorizingToken.deployedBytecode)
    expect(await world.balance(usdc, owner.address)).toBe(unitsFor(usdc))
  })
})

describe('time', () => {
  /** As if the swap had been made so long ago. */
  const age = (swap: WireSwap, minutes: number) =>
    world.query(`update swap set created_at = created_at - make_interval(mins => $2) where id = $1`, [
      swap.swap.id,
      minutes,
    ])

  /** The first action of a swap that is older now, as it was given out then. */
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
    const owner = await richOwner(usdc)
    const swap = await swapFor(usdc, owner.address)
    const signed = actionOf(swap)
    await age(swap, 60)
    const { data } = await world.client.get(`/api/v2/swaps/${swap.swap.id}/deposit_actions`)
    const [fresh] = data as WireAction[]
    if (!fresh) throw new Error('no action')
    expect(fresh.valid_before).toBe(signed.valid_before)
    const late = await signWith(owner.secret, firstAction(swap, fresh, 60))
    const answer = await authorize(swap, late, owner.address)
    expect(answer).toMatchObject({ status: 400, error: { message: expect.stringContaining('expired') } })
    await authorize(swap, await signWith(owner.secret, fresh.typed_data), owner.address)
    await world.client.reaches(swap.swap.id, 'completed')
  })

  it('the action before the newest is still good', async () => {
    const owner = await richOwner(usdc)
    const swap = await swapFor(usdc, owner.address)
    await age(swap, 16)
    const fresh = actionOf(await world.client.swap(swap.swap.id))
    const earlier = await signWith(owner.secret, firstAction(swap, fresh, 15))
    await authorize(swap, earlier, owner.address)
    await world.client.reaches(swap.swap.id, 'completed')
  })

  it('an authorization that could not be sent in time is expired, and may be signed again', async () => {
    const owner = await richOwner(usdc)
    const swap = await swapFor(usdc, owner.address)
    const signature = await signWith(owner.secret, actionOf(swap).typed_data)
    await whileHalted(async () => {
      await authorize(swap, signature, owner.address)
      await world.query('update gasless_authorization set valid_before = now() where swap_id = $1', [swap.swap.id])
      await reaches(swap, 'expired')
    })
    await authorize(swap, signature, owner.address)
    await world.client.reaches(swap.swap.id, 'completed')
  })

  it('a swap that has ended takes no signature', async () => {
    const owner = await richOwner(usdc)
    const swap = await swapFor(usdc, owner.address)
    await world.close(swap.swap.id, 'window')
    await world.client.reaches(swap.swap.id, 'expired')
    const answer = await authorize(swap, await signWith(owner.secret, actionOf(swap).typed_data), owner.address)
    expect(answer.error?.message).toContain('expired')
  })

  it('a swap that is not gasless takes none either', async () => {
    const swap = await swapFor(usdc, world.stranger(), { use_gasless: false })
    const answer = await authorize(swap, '0x1234', world.stranger())
    expect(answer).toMatchObject({ status: 400, error: { code: 'VALIDATION_ERROR' } })
  })
})
