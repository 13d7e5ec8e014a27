import {
  type Address,
  createPublicClient,
  createWalletClient,
  custom,
  getAddress,
  type Hex,
  numberToHex,
  parseEventLogs,
  toFunctionSelector,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { beforeAll, describe, expect, test } from 'vitest'
import { openLocalChain } from '../chains/evm/local/src/engine.ts'
import { BlockingToken, FalseToken, Forwarder, ForwarderFactory, SilentToken, TestToken } from './artifacts.ts'

const COIN: Address = '0x0000000000000000000000000000000000000000'
const operator = privateKeyToAccount(generatePrivateKey())
const stranger = privateKeyToAccount(generatePrivateKey())
const treasury = privateKeyToAccount(generatePrivateKey()).address

async function openClients() {
  const genesis = [operator, stranger].map(({ address }) => ({ address, balance: 10n ** 24n }))
  const chain = await openLocalChain({ chainId: BigInt(hardhat.id), autoMine: true, genesis, ownedKeys: [] })
  const transport = custom({ request: ({ method, params }) => chain.request(method, params) }, { retryCount: 0 })
  const reader = createPublicClient({ chain: hardhat, transport, pollingInterval: 1 })
  const wallet = createWalletClient({ chain: hardhat, transport, account: operator })
  return { chain, reader, wallet }
}

let clients: Awaited<ReturnType<typeof openClients>>
let factory: Address
let nextSalt = 0n
beforeAll(async () => {
  clients = await openClients()
  factory = await deploy(ForwarderFactory.abi, ForwarderFactory.bytecode, [treasury, '0xff'])
})

type DeployOptions = Parameters<Awaited<ReturnType<typeof openClients>>['wallet']['deployContract']>[0]

async function deploy(abi: DeployOptions['abi'], bytecode: Hex, args: readonly unknown[] = []): Promise<Address> {
  const { reader, wallet } = clients
  const hash = await wallet.deployContract({ abi, bytecode, args } as DeployOptions)
  const { contractAddress } = await reader.waitForTransactionReceipt({ hash })
  if (!contractAddress) throw new Error('nothing was deployed')
  return getAddress(contractAddress)
}

async function freshAddress(): Promise<{ salt: Hex; address: Address }> {
  const salt = numberToHex(++nextSalt, { size: 32 })
  return { salt, address: await addressOf(salt) }
}

const addressOf = (salt: Hex) =>
  clients.reader.readContract({ address: factory, abi: ForwarderFactory.abi, functionName: 'addressOf', args: [salt] })

async function send(to: Address, value: bigint): Promise<void> {
  const hash = await clients.wallet.sendTransaction({ to, value })
  await clients.reader.waitForTransactionReceipt({ hash })
}

async function newToken(bytecode: Hex = TestToken.bytecode): Promise<Address> {
  return deploy(TestToken.abi, bytecode)
}

async function mint(token: Address, to: Address, amount: bigint): Promise<void> {
  const call = { address: token, abi: TestToken.abi, functionName: 'mint', args: [to, amount] } as const
  await clients.reader.waitForTransactionReceipt({ hash: await clients.wallet.writeContract(call) })
}

const heldBy = (token: Address, owner: Address) =>
  token === COIN
    ? clients.reader.getBalance({ address: owner })
    : clients.reader.readContract({ address: token, abi: TestToken.abi, functionName: 'balanceOf', args: [owner] })

async function sweep(items: { salt: Hex; token: Address }[], account = operator) {
  const { reader, wallet } = clients
  const args = [items.map(({ salt }) => salt), items.map(({ token }) => token)] as const
  const hash = await wallet.writeContract({
    account,
    address: factory,
    abi: ForwarderFactory.abi,
    functionName: 'sweep',
    args,
  })
  const receipt = await reader.waitForTransactionReceipt({ hash })
  expect(receipt.status).toBe('success')
  return parseEventLogs({ abi: ForwarderFactory.abi, logs: receipt.logs }).map(({ eventName, args: values }) => ({
    event: eventName,
    ...values,
  }))
}

describe('a deposit address', () => {
  test('is known before deployment, takes coins and tokens, and is where the forwarder is deployed', async () => {
    const { salt, address } = await freshAddress()
    expect(await clients.reader.getCode({ address })).toBeUndefined()
    await send(address, 5n)
    await sweep([{ salt, token: COIN }])
    expect(await clients.reader.getCode({ address })).toMatch(/^0x[0-9a-f]+$/)
  })

  test('takes coins after deployment too, even with the 2300 gas of a transfer', async () => {
    const { salt, address } = await freshAddress()
    await sweep([{ salt, token: COIN }])
    await send(address, 7n)
    expect(await heldBy(COIN, address)).toBe(7n)
    const gas = await clients.reader.estimateGas({ account: operator, to: address, value: 1n })
    expect(gas).toBeLessThan(21_000n + 2_300n)
  })
})

describe('a sweep', () => {
  test('of coins sends all of them to the receiver', async () => {
    const { salt, address } = await freshAddress()
    const before = await heldBy(COIN, treasury)
    await send(address, 1_000n)
    expect(await sweep([{ salt, token: COIN }])).toEqual([{ event: 'Swept', salt, token: COIN, amount: 1_000n }])
    expect((await heldBy(COIN, treasury)) - before).toBe(1_000n)
    expect(await heldBy(COIN, address)).toBe(0n)
  })

  test('of several addresses and tokens is one transaction', async () => {
    const token = await newToken()
    const [first, second, third] = [await freshAddress(), await freshAddress(), await freshAddress()]
    await mint(token, first.address, 10n)
    await mint(token, second.address, 20n)
    await send(third.address, 30n)
    const before = await heldBy(COIN, treasury)
    await sweep([
      { salt: first.salt, token },
      { salt: second.salt, token },
      { salt: third.salt, token: COIN },
    ])
    expect(await heldBy(token, treasury)).toBe(30n)
    expect((await heldBy(COIN, treasury)) - before).toBe(30n)
  })

  test('of a token that returns nothing works', async () => {
    const token = await newToken(SilentToken.bytecode)
    const { salt, address } = await freshAddress()
    await mint(token, address, 11n)
    await sweep([{ salt, token }])
    expect(await heldBy(token, treasury)).toBe(11n)
  })

  test.each([
    ['reverts', BlockingToken.bytecode],
    ['answers false', FalseToken.bytecode],
  ])('continues if one token %s, and reports which', async (_, bytecode) => {
    const { reader, wallet } = clients
    const bad = await newToken(bytecode)
    const good = await newToken()
    const [first, second] = [await freshAddress(), await freshAddress()]
    await mint(bad, first.address, 10n)
    await mint(good, second.address, 20n)
    if (bytecode === BlockingToken.bytecode) {
      const block = {
        address: bad,
        abi: BlockingToken.abi,
        functionName: 'setBlocked',
        args: [treasury, true],
      } as const
      await reader.waitForTransactionReceipt({ hash: await wallet.writeContract(block) })
    }
    const events = await sweep([
      { salt: first.salt, token: bad },
      { salt: second.salt, token: good },
    ])
    expect(events).toEqual([
      { event: 'SweepFailed', salt: first.salt, token: bad },
      { event: 'Swept', salt: second.salt, token: good, amount: 20n },
    ])
    expect(await heldBy(bad, first.address)).toBe(10n)
    expect(await heldBy(good, treasury)).toBe(20n)
  })

  test('of an address that is not a token is a failed item, not a success', async () => {
    const { salt } = await freshAddress()
    expect(await sweep([{ salt, token: stranger.address }])).toEqual([
      { event: 'SweepFailed', salt, token: stranger.address },
    ])
  })

  test('twice is harmless', async () => {
    const { salt, address } = await freshAddress()
    await send(address, 9n)
    await sweep([
      { salt, token: COIN },
      { salt, token: COIN },
    ])
    const before = await heldBy(COIN, treasury)
    expect(await sweep([{ salt, token: COIN }])).toEqual([])
    expect(await heldBy(COIN, treasury)).toBe(before)
    await send(address, 4n)
    expect(await sweep([{ salt, token: COIN }])).toEqual([{ event: 'Swept', salt, token: COIN, amount: 4n }])
  })

  test('may be called by anyone, and still pays only the receiver', async () => {
    const { reader, wallet } = clients
    const token = await newToken()
    const { salt, address } = await freshAddress()
    await mint(token, address, 10n)
    await send(address, 6n)
    const before = await heldBy(COIN, treasury)
    await sweep([{ salt, token }], stranger)
    const flush = { account: stranger, address, abi: Forwarder.abi, functionName: 'flush', args: [COIN] } as const
    await reader.waitForTransactionReceipt({ hash: await wallet.writeContract(flush) })
    expect(await heldBy(token, treasury)).toBe(10n)
    expect((await heldBy(COIN, treasury)) - before).toBe(6n)
    expect(await heldBy(token, stranger.address)).toBe(0n)
  })

  test('with lists of different lengths is rejected', async () => {
    const args = [[numberToHex(1, { size: 32 })], []] as const
    const call = { address: factory, abi: ForwarderFactory.abi, functionName: 'sweep', args } as const
    await expect(clients.reader.simulateContract(call)).rejects.toThrow(toFunctionSelector('LengthMismatch()'))
  })
})
