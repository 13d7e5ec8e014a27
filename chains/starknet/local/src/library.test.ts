/**
 * The double behaves like a node for the unmodified public library: it accepts its signed transactions and answers its
 * reads.
 */
import { Account, CallData, ec, hash, RpcProvider, Signer, stark, type TypedData, typedData } from 'starknet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../../../tests/support/runner/eventually.ts'
import { secretOf } from './accounts.ts'
import { STRK, testNetwork } from './test-network.ts'
import { drain, draw, payment, startChain, statusOf, type TestChain, tokenOf } from './testbed.ts'

const network = testNetwork()
const usdc = tokenOf(network, 'USDC')
let chain: TestChain
let provider: RpcProvider
beforeAll(async () => {
  chain = await startChain(network)
  // Asks the node for its version, and throws at one that the library does not support.
  provider = await RpcProvider.create({ nodeUrl: chain.url })
})
afterAll(() => chain?.local.stop())

const accountOf = (address: string, secret: string) => new Account({ provider, address, signer: new Signer(secret) })
const landed = (hash: string) => provider.waitForTransaction(hash, { retryInterval: 20 })

test('a wallet that executes call_data unchanged makes a deposit that is sighted exactly', async () => {
  const { adapter, user, treasury } = chain
  const { next } = await drain(adapter, null)
  const request = { token: usdc, units: 25_000_000n, receiver: treasury, reference: 4_242n, sourceAddress: null }
  const { callData } = await adapter.depositAction(request)
  const { transaction_hash } = await accountOf(user.address, user.secret).execute(JSON.parse(callData ?? ''))
  const receipt = await landed(transaction_hash)
  expect(receipt.isSuccess()).toBe(true)
  expect((await drain(adapter, next)).sightings).toMatchObject([
    { reference: 4_242n, amount: { units: 25_000_000n }, refundableSender: user.address, to: treasury },
  ])
})

test("bytes signed by the adapter are accepted from the library under the adapter's hash", async () => {
  const { adapter, treasury, other } = chain
  const drawn = await draw(adapter, payment(treasury, [other.address, usdc, 5n], [other.address, chain.native, 7n]))
  const wire = JSON.parse(drawn.signed.bytes)
  const bounds = wire.resource_bounds
  const known = await provider.channel.invoke(
    { contractAddress: wire.sender_address, calldata: wire.calldata, signature: wire.signature },
    {
      ...{ version: '0x3', nonce: wire.nonce, tip: 0n, paymasterData: [], accountDeploymentData: [] },
      ...{ nonceDataAvailabilityMode: 0, feeDataAvailabilityMode: 0 },
      resourceBounds: Object.fromEntries(
        Object.entries(bounds as Record<string, Record<string, string>>).map(([name, one]) => [
          name,
          { max_amount: BigInt(one.max_amount ?? 0), max_price_per_unit: BigInt(one.max_price_per_unit ?? 0) },
        ]),
      ),
    } as never,
  )
  expect(BigInt(known.transaction_hash)).toBe(BigInt(drawn.signed.hash))
  await landed(known.transaction_hash)
  expect(await statusOf(adapter, drawn)).toMatchObject({ state: 'included' })
})

test('an account is deployed by its own money, and pays from its second nonce on', async () => {
  const secret = secretOf('a new account')
  const key = ec.starkCurve.getStarkKey(secret)
  const classHash = '0x5b4b537eaa2399e3aa99c4e2e0208ebd6c71bc1467938cd52c798c601e43564'
  const constructorCalldata = CallData.compile({ publicKey: key })
  const address = hash.calculateContractAddressFromHash(key, classHash, constructorCalldata, 0)
  await chain.local.fund(chain.native, `0x${BigInt(address).toString(16).padStart(64, '0')}`, 10n ** 19n)
  await expect(provider.getNonceForAddress(address)).rejects.toThrow('Contract not found')
  const account = accountOf(address, secret)
  const deployed = await account.deployAccount({ classHash, constructorCalldata, addressSalt: key })
  await landed(deployed.transaction_hash)
  expect(BigInt(await provider.getNonceForAddress(address))).toBe(1n)
  const call = { contractAddress: STRK, entrypoint: 'transfer', calldata: [chain.other.address, '0x5', '0x0'] }
  const { transaction_hash } = await account.execute([call])
  expect((await landed(transaction_hash)).isSuccess()).toBe(true)
})

test('a signature of another key or for another chain is refused', async () => {
  const { user } = chain
  const call = [{ contractAddress: STRK, entrypoint: 'transfer', calldata: [chain.other.address, '0x5', '0x0'] }]
  const evil = accountOf(user.address, secretOf('somebody else'))
  await expect(evil.execute(call)).rejects.toThrow('Account validation failed')
  class Elsewhere extends RpcProvider {
    override async getChainId() {
      return '0x534e5f4d41494e' as never
    }
  }
  const stranger = new Account({
    provider: new Elsewhere({ nodeUrl: chain.url }),
    address: user.address,
    signer: user.secret,
  })
  await expect(stranger.execute(call)).rejects.toThrow('Account validation failed')
})

test('events, balances, blocks and estimates read as the library expects them', async () => {
  const name = hash.getSelectorFromName('Transfer')
  const filter = {
    address: STRK,
    from_block: { block_number: 0 },
    to_block: 'latest' as const,
    keys: [[name]],
    chunk_size: 100,
  }
  const { events } = await eventually(async () => {
    const first = await provider.getEvents(filter)
    return first.continuation_token
      ? provider.getEvents({ ...filter, continuation_token: first.continuation_token })
      : first
  })
  expect(events.length).toBeGreaterThan(0)
  const held = await provider.callContract({
    contractAddress: STRK,
    entrypoint: 'balanceOf',
    calldata: [chain.treasury],
  })
  expect(BigInt(held[0] ?? 0)).toBe(await chain.local.balance(chain.native, chain.treasury))
  const block = await provider.getBlockWithReceipts('latest')
  expect(block.transactions).toBeInstanceOf(Array)
  const account = accountOf(chain.user.address, chain.user.secret)
  const call = { contractAddress: STRK, entrypoint: 'transfer', calldata: [chain.other.address, '0x5', '0x0'] }
  expect((await account.estimateInvokeFee([call])).overall_fee).toBeGreaterThan(0n)
  await expect(provider.getEvents({ ...filter, chunk_size: 100_000 })).rejects.toThrow('page size')
})

test('a text that a wallet signed is proven by the account itself', async () => {
  const text =
    'Send the money of my swap back to this address.\n\nAddress: 0x1\nNetwork: STARKNET_SEPOLIA\nSwap: 5f2b8a4e'
  const data: TypedData = {
    types: {
      StarknetDomain: ['name', 'version', 'chainId', 'revision'].map((name) => ({ name, type: 'shortstring' })),
      Message: [{ name: 'lines', type: 'string*' }],
    },
    primaryType: 'Message',
    domain: { name: 'Causeway', version: '1', chainId: 'SN_SEPOLIA', revision: '1' },
    message: { lines: text.split('\n').filter((line) => line !== '') },
  }
  const { address, secret } = chain.user
  const signature = JSON.stringify(stark.formatSignature(await accountOf(address, secret).signMessage(data)))
  expect(typedData.getMessageHash(data, address)).toMatch(/^0x/)
  const claims = (claim: object) => chain.adapter.messages?.verify({ address, text, signature, ...claim })
  expect(await claims({})).toBe(true)
  expect(await claims({ text: `${text}!` })).toBe(false)
  expect(await claims({ address: chain.other.address })).toBe(false)
  expect(await claims({ address: `0x01${'2'.repeat(62)}` })).toBe(false)
  for (const broken of ['', '[]', '["x"]', '{}', '[1]', `["0x${'f'.repeat(64)}","0x1"]`]) {
    expect(await claims({ signature: broken }), broken).toBe(false)
  }
})
