import { AuthorizingToken, LyingToken, PermitToken, TestToken } from '@causeway/contracts'
import { type Address, Insufficient, PayoutImpossible, RetryLater } from '@causeway/core'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openChain } from '../../src/chain.ts'
import { standardOf } from '../../src/depositing/probe.ts'
import { openNode } from '../../src/node/node.ts'
import { control, startChain, startProxy, testNetwork, tokenOf, USDC, watching } from './testbed.ts'

const DAI = '0x8ee7b7c9A0AA2e1F4E5D0a7d3c4A5B6C7d8e9F01'
const network = testNetwork({}, { USDC, DAI })
const LATER = Math.floor(Date.now() / 1000) + 1_800

let chain: Awaited<ReturnType<typeof startChain>>
beforeAll(async () => {
  chain = await startChain(network)
  await chain.local.fund(network.nativeToken, chain.treasury, 10n ** 18n)
  await chain.adapter.contractSurvey?.surveyContracts()
})
afterAll(() => chain?.local.stop())

const owner = privateKeyToAccount(generatePrivateKey())

const request = (symbol: string, reference = 1_000_001n, units = 500n) => ({
  token: tokenOf(network, symbol),
  units,
  receiver: chain.treasury,
  reference,
  owner: owner.address as Address,
  validBefore: LATER,
})

async function signed(wanted: ReturnType<typeof request>): Promise<Hex> {
  const action = await chain.adapter.gasless?.depositAction(wanted)
  return owner.signTypedData(action?.signing?.typedData as Parameters<typeof owner.signTypedData>[0])
}

async function orderFor(wanted: ReturnType<typeof request>) {
  const verdict = await chain.adapter.gasless?.authorize(wanted, await signed(wanted))
  if (verdict?.state !== 'valid') throw new Error(`it is ${verdict?.state}`)
  return { kind: 'transfers' as const, account: chain.treasury, transfers: [], call: verdict.call }
}

/** Deploys nothing: writes the code directly to a possible token address. */
async function probe(code: string, name = 'Some Coin') {
  const address = `0x${'5e'.repeat(20)}` as Hex
  await control(chain.node, 'hardhat_setCode', address, code)
  await control(chain.node, 'hardhat_setStorageAt', address, '0x3', shortString(name))
  const node = openNode(chain.url, { timeoutMs: 5_000, batchSize: 100 })
  return standardOf(openChain(network, chain.signer, chain.treasury, chain.log), node, address)
}

/** A string of up to 31 bytes in storage format. */
function shortString(text: string): Hex {
  const bytes = Buffer.alloc(32)
  bytes.write(text)
  bytes[31] = text.length * 2
  return `0x${bytes.toString('hex')}`
}

describe('signing standards of a token are tested, not assumed', () => {
  test('authorizations, and those of contract wallets', async () => {
    expect(await probe(AuthorizingToken.deployedBytecode)).toMatchObject({
      kind: 'eip3009',
      forContracts: true,
      domain: { name: 'Some Coin', version: '2' },
    })
  })

  test('permits', async () => {
    expect(await probe(PermitToken.deployedBytecode)).toMatchObject({ kind: 'erc2612', domain: { version: '1' } })
  })

  test.each([
    ['a plain token', TestToken.deployedBytecode],
    ['a token that lies', LyingToken.deployedBytecode],
    // PUSH1 32, PUSH1 0, RETURN: returns a word for every call and never reverts.
    ['a contract that says yes to everything', '0x60206000f3'],
    ['nothing at all', '0x'],
  ])('%s takes none', async (_, code) => {
    expect(await probe(code)).toBeNull()
  })

  test('a node that fails is not an answer: earlier facts stay', async () => {
    const proxy = await startProxy(chain.url, () => ({ jsonrpc: '2.0', id: 0, error: { code: 429, message: 'quota' } }))
    const adapter = await chain.open({ nodes: [proxy.url] })
    await expect(adapter.contractSurvey?.surveyContracts()).rejects.toThrow(RetryLater)
    expect(adapter.gasless?.supports(tokenOf(network, 'USDC'))).toBe(false)
    await proxy.stop()
  })

  test('no node is called while an API request waits', async () => {
    const proxy = await startProxy(chain.url, () => undefined)
    const adapter = await chain.open({ nodes: [proxy.url] })
    await adapter.contractSurvey?.surveyContracts()
    const before = { ...proxy.counts }
    expect(adapter.gasless?.supports(tokenOf(network, 'USDC'))).toBe(true)
    expect(adapter.depository?.accepts(network.nativeToken)).toBe(true)
    expect(adapter.walletContracts?.byName()).toEqual({ evm_oracle_contract: null, evm_multicall_contract: null })
    await adapter.depository?.depositAction({ ...request('USDC'), sourceAddress: null })
    await adapter.gasless?.depositAction(request('USDC'))
    expect(proxy.counts).toEqual(before)
    await proxy.stop()
  })
})

describe('a relay', () => {
  test.each(['USDC', 'DAI'])('of %s is sent by the treasury and belongs to the owner', async (symbol) => {
    const token = tokenOf(network, symbol)
    await chain.local.fund(token, owner.address, 500n)
    const wanted = request(symbol, symbol === 'USDC' ? 1_000_002n : 1_000_003n)
    const order = await orderFor(wanted)
    const draft = await chain.adapter.prepare(order, null)
    const slot = await chain.adapter.nextSlot(order, draft, [])
    const bytes = await chain.adapter.sign(order, slot, draft)
    await chain.adapter.broadcast(bytes)
    const found = await chain.adapter.inspect(bytes.hash, watching(chain.treasury))
    expect(found).toMatchObject({
      state: 'included',
      sightings: [
        { refundableSender: owner.address, to: chain.treasury, reference: wanted.reference, amount: { units: 500n } },
      ],
    })
    // The same order again is refused before signing, and a replacement of a transaction that may be mined waits.
    await chain.local.fund(token, owner.address, 500n)
    await expect(chain.adapter.prepare(order, null)).rejects.toThrow(PayoutImpossible)
    await expect(chain.adapter.prepare(order, bytes)).rejects.toThrow(RetryLater)
  })

  test('can only be a call to one of our contracts', async () => {
    const { call, ...order } = await orderFor(request('DAI', 1_000_009n, 0n))
    const steals = call.replace(/"to":"0x[0-9a-fA-F]{40}"/, `"to":"${USDC}"`)
    await expect(chain.adapter.prepare({ ...order, call: steals }, null)).rejects.toThrow('not ours')
    await expect(chain.adapter.sign({ ...order, call: steals }, ['0'], '{}')).rejects.toThrow('not ours')
  })

  test('of money that is no longer there is Insufficient', async () => {
    const token = tokenOf(network, 'USDC')
    const units = (await chain.local.balance(token, owner.address)) + 1n
    await chain.local.fund(token, owner.address, 1n)
    const order = await orderFor(request('USDC', 1_000_004n, units))
    const other = await orderFor(request('USDC', 1_000_005n, units))
    const draft = await chain.adapter.prepare(order, null)
    const slot = await chain.adapter.nextSlot(order, draft, [])
    await chain.adapter.broadcast(await chain.adapter.sign(order, slot, draft))
    await expect(chain.adapter.prepare(other, null)).rejects.toThrow(Insufficient)
  })
})

describe('a signature', () => {
  test('is accepted with v as wallets write it, and rejected with a high s', async () => {
    const token = tokenOf(network, 'USDC')
    await chain.local.fund(token, owner.address, 500n)
    const wanted = request('USDC', 1_000_006n)
    const good = await signed(wanted)
    const v = Number.parseInt(good.slice(-2), 16)
    const low = `${good.slice(0, -2)}${(v - 27).toString(16).padStart(2, '0')}`
    expect(await chain.adapter.gasless?.authorize(wanted, low)).toMatchObject({ state: 'valid' })
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const high = order - BigInt(`0x${good.slice(66, 130)}`)
    const mirrored = `${good.slice(0, 66)}${high.toString(16).padStart(64, '0')}${(v === 27 ? 28 : 27).toString(16)}`
    expect(await chain.adapter.gasless?.authorize(wanted, mirrored)).toMatchObject({ state: 'rejected' })
    expect(await chain.adapter.gasless?.authorize(wanted, '0x')).toMatchObject({ state: 'rejected' })
  })

  test('is for this swap, this amount, this receiver and this time only', async () => {
    const wanted = request('USDC', 1_000_007n)
    const good = await signed(wanted)
    for (const other of [
      { ...wanted, reference: 1_000_008n },
      { ...wanted, units: 499n },
      { ...wanted, receiver: owner.address },
      { ...wanted, validBefore: LATER + 1 },
    ]) {
      expect(await chain.adapter.gasless?.authorize(other, good)).toMatchObject({ state: 'rejected' })
    }
  })
})
