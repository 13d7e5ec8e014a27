import { BlockingToken, FalseToken } from '@causeway/contracts'
import { type Address, type Order, PayoutImpossible, RetryLater, type Signer, type Token } from '@causeway/core'
import { encodeFunctionData, type Hex, parseTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { openChain } from '../../src/chain.ts'
import { nextSlot, sign } from '../../src/paying/pay.ts'
import {
  accountOf,
  control,
  sendAs,
  startChain,
  startProxy,
  testLog,
  testNetwork,
  tokenOf,
  USDC,
  watching,
} from './testbed.ts'

const FALSE = '0xaA8E23Fb1079EA71e0a56F48a2aA51851D8433D0'
const BLOCKING = '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d'
const network = testNetwork({}, { USDC, FALSE, BLOCKING })
const native = network.nativeToken
const usdc = tokenOf(network, 'USDC')
const RECIPIENT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const ETHER = 10n ** 18n

let chain: Awaited<ReturnType<typeof startChain>>
beforeAll(async () => {
  chain = await startChain(network)
  const { local, node, treasury } = chain
  await control(node, 'hardhat_setCode', FALSE, FalseToken.deployedBytecode)
  await control(node, 'hardhat_setCode', BLOCKING, BlockingToken.deployedBytecode)
  for (const token of network.tokens) await local.fund(token, treasury, 10n ** BigInt(token.decimals) * 100n)
})
beforeEach(() => control(chain.node, 'evm_setAutomine', true))
afterAll(() => chain.local.stop())

function payment(token: Token, units: bigint, to: Address = RECIPIENT): Order {
  return { kind: 'transfers', account: chain.treasury, transfers: [{ to, amount: { token, units } }] }
}

async function signed(order: Order, taken: string[][] = []) {
  const draft = await chain.adapter.prepare(order, null)
  const slot = await chain.adapter.nextSlot(order, draft, taken)
  return { order, slot, draft, ...(await chain.adapter.sign(order, slot, draft)) }
}

function statusOf({ hash, slot }: { hash: string; slot: readonly string[] }) {
  return chain.adapter.status({ hash, slot, account: chain.treasury }, nothingSigned)
}

const reasonOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)

describe('signing', () => {
  test('gives the same bytes as another implementation for the same transaction and key', async () => {
    // A vector from the tests of ethereumjs, signed independently.
    const account = privateKeyToAccount('0x8f2a55949038a9610f50fb23b5883af3b4ecb3c3bb792cbcefbd1542c692be63')
    const publicKey = Buffer.from(account.publicKey.slice(2), 'hex')
    const compressed = Buffer.concat([Buffer.of(2 + ((publicKey[64] ?? 0) % 2)), publicKey.subarray(1, 33)])
    const signer = {
      publicKey: async () => compressed,
      sign: async (_: unknown, digest: Uint8Array) => {
        const hash = `0x${Buffer.from(digest).toString('hex')}` as const
        const signature = Buffer.from((await account.sign({ hash })).slice(2), 'hex')
        return Buffer.concat([signature.subarray(0, 64), Buffer.of((signature[64] ?? 0) - 27)])
      },
    }
    const other = openChain(testNetwork({ chainId: '7822' }), signer, account.address, testLog())
    const to = '0x000000000000000000000000000000000000aaaa'
    const transfers = [{ to, amount: { token: native, units: 43_203_529n } }]
    const draft = JSON.stringify({ gas: '35552', nonce: '0', maxFeePerGas: '121212', maxPriorityFeePerGas: '75853' })
    const result = await sign(other, { kind: 'transfers', account: account.address, transfers }, ['819'], draft)
    expect(result.bytes).toBe(
      '0x02f870821e8e8203338301284d8301d97c828ae094000000000000000000000000000000000000aaaa8402933bc980c080a0d067f2167008c59219652f91cbf8788dbca5f771f6e91e2b7657e85b78b472e0a01d305af9fe81fdba43f0dfcd400ed24dcace0a7e30d4e85701dcaaf484cd079e',
    )
  })

  test('refuses a signature of another key and an account that is not ours', async () => {
    const order = payment(native, 1n)
    const draft = await chain.adapter.prepare(order, null)
    const { signer } = chain
    const elsewhere: Signer = {
      ...signer,
      sign: (key, digest, intent) => signer.sign({ ...key, path: "m/44'/60'/0'/0/1" }, digest, intent),
    }
    const wrong = openChain(network, elsewhere, chain.treasury, testLog())
    await expect(sign(wrong, order, ['0'], draft)).rejects.toThrow(/another key/)
    await expect(chain.adapter.sign({ ...order, account: RECIPIENT }, ['0'], draft)).rejects.toThrow(/not our treasury/)
  })
})

describe('slots', () => {
  const draft = JSON.stringify({ gas: '1', nonce: '7', maxFeePerGas: '1', maxPriorityFeePerGas: '1' })

  test("is the chain's next nonce if no newer one is allocated", () => {
    expect(nextSlot(draft, [])).toEqual(['7'])
    expect(nextSlot(draft, [['3'], ['5']])).toEqual(['7'])
  })

  test('is never one that is allocated, in whatever order they are given', () => {
    expect(nextSlot(draft, [['9'], ['8'], ['7']])).toEqual(['10'])
    expect(nextSlot(draft, [['6']])).toEqual(['7'])
  })

  test('a released nonce is allocated again, or every later payout would be blocked', () => {
    expect(nextSlot(draft, [['9'], ['10'], ['7']])).toEqual(['8'])
  })
})

describe('prepare', () => {
  test('a recipient that the token rejects cannot be paid, and the error says why', async () => {
    const { node, local } = chain
    const args = [RECIPIENT, true] as const
    const data = encodeFunctionData({ abi: BlockingToken.abi, functionName: 'setBlocked', args })
    await sendAs(node, accountOf(local, 0).address, { to: BLOCKING, data })
    const token = tokenOf(network, 'BLOCKING')
    const refused = await reasonOf(chain.adapter.prepare(payment(token, 5n), null))
    expect(refused).toBeInstanceOf(PayoutImpossible)
    expect(String(refused)).toContain('account is blocked')
    expect(await chain.adapter.prepare(payment(token, 5n, accountOf(local, 1).address), null)).toContain('gas')
  })

  test('a token that answers false cannot be paid', async () => {
    const refused = await reasonOf(chain.adapter.prepare(payment(tokenOf(network, 'FALSE'), 5n), null))
    expect(refused).toBeInstanceOf(PayoutImpossible)
    expect(String(refused)).toContain('answers false')
  })

  test('a recipient whose code refuses the coin cannot be paid', async () => {
    const refused = await reasonOf(chain.adapter.prepare(payment(native, 5n, USDC), null))
    expect(refused).toBeInstanceOf(PayoutImpossible)
  })

  test('a recipient whose code never ends cannot be paid', async () => {
    const endless = '0x00000000000000000000000000000000000e9d1e'
    // JUMPDEST PUSH1 0 JUMP
    await control(chain.node, 'hardhat_setCode', endless, '0x5b600056')
    const to = chain.adapter.parseAddress(endless) ?? ''
    expect(await reasonOf(chain.adapter.prepare(payment(native, 5n, to), null))).toBeInstanceOf(PayoutImpossible)
  })

  test.each([
    ['of a token', usdc, 101n * 10n ** 6n],
    ['of the coin', native, 101n * ETHER],
    ['for the gas', native, 100n * ETHER],
  ])('too little %s is for later, not for never', async (_, token, units) => {
    expect(await reasonOf(chain.adapter.prepare(payment(token, units), null))).toBeInstanceOf(RetryLater)
  })

  test('gas above the ceiling is for later', async () => {
    const adapter = await chain.open({ settings: { max_fee_gwei: 0.5 } })
    expect(String(await reasonOf(adapter.prepare(payment(native, 1n), null)))).toContain('above the ceiling')
  })

  test('a replacement that cannot be simulated any more is never reported as unpayable', async () => {
    const token = tokenOf(network, 'BLOCKING')
    const to = accountOf(chain.local, 2).address
    const first = await signed(payment(token, 5n, to))
    const data = encodeFunctionData({ abi: BlockingToken.abi, functionName: 'setBlocked', args: [to as Hex, true] })
    await sendAs(chain.node, accountOf(chain.local, 0).address, { to: BLOCKING, data })
    expect(await reasonOf(chain.adapter.prepare(first.order, first))).toBeInstanceOf(RetryLater)
  })
})

describe('a payout', () => {
  test.each([native, usdc])('of $symbol arrives exactly, at the reported fee', async (token) => {
    const { adapter, local, treasury } = chain
    const before = await local.balance(token, RECIPIENT)
    const coins = await local.balance(native, treasury)
    const attempt = await signed(payment(token, 12_345n))
    expect(await statusOf(attempt)).toEqual({ state: 'unknown' })
    await adapter.broadcast(attempt)
    const status = await statusOf(attempt)
    expect(status).toMatchObject({ state: 'included', confirmations: 1 })
    expect((await local.balance(token, RECIPIENT)) - before).toBe(12_345n)
    const fee = status.state === 'included' ? status.feeUnits : 0n
    const spent = token === native ? 12_345n : 0n
    expect(coins - (await local.balance(native, treasury))).toBe(spent + fee)
    // One gwei of base fee and one of tip.
    expect(fee % (2n * 10n ** 9n)).toBe(0n)
  })

  test('sent twice, also after it landed, is paid once and no failure', async () => {
    const { adapter, local, node } = chain
    const before = await local.balance(native, RECIPIENT)
    await control(node, 'evm_setAutomine', false)
    const attempt = await signed(payment(native, 100n))
    await adapter.broadcast(attempt)
    await adapter.broadcast(attempt)
    expect(await statusOf(attempt)).toEqual({ state: 'pending' })
    await local.mine(network.name, 1)
    await adapter.broadcast(attempt)
    await local.mine(network.name, 1)
    expect((await local.balance(native, RECIPIENT)) - before).toBe(100n)
  })

  test('a rejected send is fine if the node has the transaction, and is retried if not', async () => {
    const words = 'the tx has not the correct nonce'
    const proxy = await startProxy(chain.url, ({ id, method }) =>
      method === 'eth_sendRawTransaction' ? { jsonrpc: '2.0', id, error: { code: -32000, message: words } } : undefined,
    )
    const through = await chain.open({ nodes: [proxy.url] })
    const attempt = await signed(payment(native, 100n))
    expect(await reasonOf(through.broadcast(attempt))).toBeInstanceOf(RetryLater)
    await chain.adapter.broadcast(attempt)
    await through.broadcast(attempt)
    await proxy.stop()
  })

  test('whose nonces come out of order waits in the mempool and lands whole', async () => {
    const { adapter, local } = chain
    const before = await local.balance(native, RECIPIENT)
    const first = await signed(payment(native, 1n))
    const second = await signed(payment(native, 2n), [[...first.slot]])
    await adapter.broadcast(second)
    await adapter.broadcast(first)
    await local.mine(network.name, 1)
    expect((await local.balance(native, RECIPIENT)) - before).toBe(3n)
  })

  test('that the node will not take for its price is for later', async () => {
    const attempt = await signed(payment(native, 1n))
    const draft = JSON.stringify({ ...JSON.parse(attempt.draft), gas: '20000' })
    const starved = await chain.adapter.sign(attempt.order, attempt.slot, draft)
    expect(await reasonOf(chain.adapter.broadcast(starved))).toBeInstanceOf(RetryLater)
  })

  test('that runs out of gas is reverted, with the fee it cost', async () => {
    const attempt = await signed(payment(usdc, 1n))
    const draft = JSON.stringify({ ...JSON.parse(attempt.draft), gas: '25000' })
    const starved = { ...attempt, ...(await chain.adapter.sign(attempt.order, attempt.slot, draft)) }
    await chain.adapter.broadcast(starved)
    expect(await statusOf(starved)).toMatchObject({ state: 'reverted', feeUnits: 25_000n * 2n * 10n ** 9n })
  })
})

describe('a replacement', () => {
  async function replaced(first: Awaited<ReturnType<typeof signed>>) {
    const draft = await chain.adapter.prepare(first.order, first)
    return { ...first, draft, ...(await chain.adapter.sign(first.order, first.slot, draft)) }
  }

  test('of the next one only, offers an eighth more in both numbers, in the same slot, and one lands', async () => {
    const { adapter, local, node } = chain
    const before = await local.balance(native, RECIPIENT)
    await control(node, 'evm_setAutomine', false)
    const first = await signed(payment(native, 50n))
    await adapter.broadcast(first)
    // A fee bump of a payout behind it would only cost more.
    const behind = await adapter.sign(first.order, [`${BigInt(first.slot[0] ?? '') + 1n}`], first.draft)
    expect(String(await reasonOf(adapter.prepare(first.order, behind)))).toContain(`waits for the account's`)
    const second = await replaced(first)
    const [old, raised] = [first, second].map(({ bytes }) => parseTransaction(bytes as Hex))
    expect(raised?.nonce).toBe(old?.nonce)
    expect([old?.maxFeePerGas, old?.maxPriorityFeePerGas]).toEqual([3_000_000_000n, 1_000_000_000n])
    expect([raised?.maxFeePerGas, raised?.maxPriorityFeePerGas]).toEqual([3_375_000_000n, 1_125_000_000n])
    await adapter.broadcast(second)
    await local.mine(network.name, 1)
    expect((await statusOf(second)).state).toBe('included')
    expect(await statusOf(first)).toEqual({ state: 'unknown' })
    await local.mine(network.name, network.finalDepth)
    expect(await statusOf(first)).toMatchObject({ state: 'dead' })
    await adapter.broadcast(first)
    await local.mine(network.name, 1)
    expect((await local.balance(native, RECIPIENT)) - before).toBe(50n)
  })

  test('above the ceiling is not signed', async () => {
    const first = await signed(payment(native, 50n))
    const adapter = await chain.open({ settings: { max_fee_gwei: 3.2 } })
    expect(String(await reasonOf(adapter.prepare(first.order, first)))).toContain('above the ceiling')
  })
})

describe('dead', () => {
  /** A transfer that was signed and never sent, whose nonce something else has used at final depth. */
  async function deadTransfer() {
    const order = payment(native, 1n)
    const lost = await signed(order)
    const rival = { ...lost, ...(await chain.adapter.sign(payment(native, 2n), lost.slot, lost.draft)) }
    await chain.adapter.broadcast(rival)
    return { lost, rival }
  }

  test('is reported at final depth and not a block earlier', async () => {
    const { lost } = await deadTransfer()
    const states = []
    for (let depth = 1; depth <= network.finalDepth; depth++) {
      states.push((await statusOf(lost)).state)
      await chain.local.mine(network.name, 1)
    }
    expect(states).toEqual(Array(network.finalDepth).fill('unknown'))
    expect((await statusOf(lost)).state).toBe('dead')
  })

  test('is not reported while another node cannot be asked, or disagrees', async () => {
    const { lost, rival } = await deadTransfer()
    await chain.local.mine(network.name, network.finalDepth)
    const sent = { hash: lost.hash, slot: lost.slot, account: chain.treasury }
    const withDead = await chain.open({ nodes: [chain.url, 'http://127.0.0.1:9'] })
    expect(await reasonOf(withDead.status(sent, nothingSigned))).toBeInstanceOf(RetryLater)
    const knowing = await startProxy(chain.url, (wire) => {
      if (wire.method === 'eth_getTransactionByHash' && wire.params[0] === lost.hash) wire.params[0] = rival.hash
    })
    const withKnowing = await chain.open({ nodes: [chain.url, knowing.url] })
    expect(await withKnowing.status(sent, nothingSigned)).toEqual({ state: 'unknown' })
    await knowing.stop()
  })

  test('is not reported by a node that has pruned the state of old blocks', async () => {
    const { lost } = await deadTransfer()
    await chain.local.mine(network.name, network.finalDepth)
    const pruned = await startProxy(chain.url, ({ id, method, params }) =>
      method === 'eth_getTransactionCount' && params[1] !== 'latest'
        ? { id, error: { code: -32000, message: 'missing trie node' } }
        : undefined,
    )
    const adapter = await chain.open({ nodes: [pruned.url] })
    const sent = { hash: lost.hash, slot: lost.slot, account: chain.treasury }
    expect(await adapter.status(sent, nothingSigned)).toEqual({ state: 'unknown' })
    await pruned.stop()
  })
})

describe('a sweep', () => {
  async function sources(...indexes: number[]) {
    return Promise.all(
      indexes.map(async (index) => ({ index, address: (await chain.adapter.depositAddresses?.derive(index)) ?? '' })),
    )
  }

  test.each([native, usdc])('brings the $symbol of several addresses home, and is no deposit', async (token) => {
    const { adapter, local, treasury } = chain
    const from = await sources(1, 2, 3)
    const ours = watching(treasury, ...from.map(({ address }) => address))
    const start = await adapter.scan(null, ours)
    for (const { address, index } of from)
      await local.transfer(accountOf(local, 0), token, address, BigInt(index) * 100n)
    const seen = await adapter.scan(start.next, ours)
    expect(seen.sightings.map(({ to, amount, reference }) => [to, amount.units, reference])).toEqual(
      from.map(({ address, index }) => [address, BigInt(index) * 100n, null]),
    )
    const before = await local.balance(token, treasury)
    const attempt = await signed({ kind: 'sweep', account: treasury, token, sources: from })
    await adapter.broadcast(attempt)
    const status = await statusOf(attempt)
    const fee = status.state === 'included' && token === native ? status.feeUnits : 0n
    expect((await local.balance(token, treasury)) - before + fee).toBe(600n)
    expect((await adapter.scan(seen.next, ours)).sightings).toEqual([])
    expect(await reasonOf(adapter.prepare(attempt.order, null))).toBeInstanceOf(PayoutImpossible)
  })

  test('costs less than the estimate', async () => {
    const { adapter, local, treasury } = chain
    const from = await sources(11, 12, 13, 14)
    for (const { address } of from) await local.transfer(accountOf(local, 0), usdc, address, 5n)
    const attempt = await signed({ kind: 'sweep', account: treasury, token: usdc, sources: from })
    await adapter.broadcast(attempt)
    const status = await statusOf(attempt)
    const { sweep } = await adapter.fees()
    expect(status.state).toBe('included')
    const each = status.state === 'included' ? status.feeUnits / 4n : sweep
    expect(each).toBeLessThan(sweep)
    expect(each).toBeGreaterThan(sweep / 2n)
  })

  test('waits if the factory is not deployed', async () => {
    const [nowhere] = await sources(21)
    if (!nowhere) throw new Error('no source')
    const proxy = await startProxy(chain.url, ({ id, method }) =>
      method === 'eth_call' ? { id, result: '0x' } : undefined,
    )
    const adapter = await chain.open({ nodes: [proxy.url] })
    const order: Order = { kind: 'sweep', account: chain.treasury, token: native, sources: [nowhere] }
    expect(String(await reasonOf(adapter.prepare(order, null)))).toContain('not deployed')
    await proxy.stop()
  })

  test('of zero, or of more than fits, is a bug', async () => {
    const many = await sources(...Array.from({ length: 65 }, (_, i) => i + 1))
    const order = { kind: 'sweep', account: chain.treasury, token: native } as const
    await expect(chain.adapter.prepare({ ...order, sources: [] }, null)).rejects.toThrow(/1 to 64/)
    await expect(chain.adapter.prepare({ ...order, sources: many }, null)).rejects.toThrow(/1 to 64/)
  })
})

test('money goes nowhere that would lose it', () => {
  const { adapter, treasury } = chain
  for (const address of [USDC, FALSE, '0x000000000000000000000000000000000000dEaD']) {
    expect(adapter.isUnpayable(address)).toBe(true)
  }
  expect(adapter.isUnpayable(treasury)).toBe(false)
  expect(adapter.isUnpayable(RECIPIENT)).toBe(false)
})
