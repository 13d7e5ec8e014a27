import { ApiError, type DepositRequest } from '@causeway/core'
import { getBase58Encoder } from '@solana/kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startChain, startProxy, type TestChain, tokenOf, walletAt } from './testbed.ts'

const SENDER = 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'
const MEMO_V1 = 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo'
const SYSTEM = '11111111111111111111111111111111'
const BLOCKHASH = '5vftMkHL72JaJG6ExQfGAsT2uGVHpRR7oTNUPMs68Y2N'

let chain: TestChain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.local.stop())

function requestOf(changes: Partial<DepositRequest> = {}): DepositRequest {
  const { network, treasury } = chain
  const base = { token: network.nativeToken, units: 258n, receiver: treasury, reference: 42n, sourceAddress: SENDER }
  return { ...base, ...changes }
}

const bytes = (base58: string): number[] => [...getBase58Encoder().encode(base58)]

it('a native deposit is these bytes, as the protocol writes them', async () => {
  const proxy = await startProxy(chain.url, ({ method }) =>
    method === 'getLatestBlockhash'
      ? { jsonrpc: '2.0', result: { context: { slot: 9 }, value: { blockhash: BLOCKHASH, lastValidBlockHeight: 9 } } }
      : undefined,
  )
  const adapter = await chain.open({ nodes: [proxy.url] })
  const { callData, toAddress, units, type } = await adapter.depositAction(requestOf())
  expect({ toAddress, units, type }).toEqual({ toAddress: chain.treasury, units: 258n, type: 'transfer' })
  const expected = [
    ...[1, ...new Array(64).fill(0)], // one signature, still empty
    ...[1, 0, 2], // one signer; of the others two are only read
    ...[4, ...bytes(SENDER), ...bytes(chain.treasury), ...bytes(SYSTEM), ...bytes(MEMO_V1)],
    ...bytes(BLOCKHASH),
    2, // instructions
    ...[2, 2, 0, 1, 12, ...[2, 0, 0, 0], ...[2, 1, 0, 0, 0, 0, 0, 0]], // transfer of 258 = 0x0102
    ...[3, 0, 2, 0x34, 0x32], // the memo: "42"
  ]
  expect([...Buffer.from(callData ?? '', 'base64')]).toEqual(expected)
  await proxy.stop()
})

it("a token deposit creates the receiver's account if missing, and carries the real amount", async () => {
  const token = tokenOf(chain.network, 'USDC')
  const adapter = await chain.open()
  const wallet = await walletAt(chain.local, 0)
  const stranger = '5vftMkHL72JaJG6ExQfGAsT2uGVHpRR7oTNUPMs68Y2N'
  const asked = requestOf({ token, units: 1_000_001n, receiver: stranger, sourceAddress: wallet.address })
  const action = await adapter.depositAction(asked)
  expect(action).toMatchObject({ toAddress: stranger, units: 1_000_001n })
  await chain.local.deposit(wallet, token, action)
  await chain.local.deposit(wallet, token, action)
  expect(await chain.local.balance(token, stranger)).toBe(2_000_002n)
})

it('a deposit without a sender is refused, and the field is named', async () => {
  const refused = await chain.adapter.depositAction(requestOf({ sourceAddress: null })).catch((error) => error)
  expect(refused).toBeInstanceOf(ApiError)
  expect(refused).toMatchObject({ code: 'VALIDATION_ERROR', metadata: { source_address: expect.any(String) } })
})

it('one blockhash serves all who ask in the same moment', async () => {
  let asked = 0
  const proxy = await startProxy(chain.url, ({ method }) => {
    if (method === 'getLatestBlockhash') asked += 1
  })
  const adapter = await chain.open({ nodes: [proxy.url] })
  await Promise.all(Array.from({ length: 20 }, () => adapter.depositAction(requestOf())))
  await adapter.depositAction(requestOf())
  expect(asked).toBe(1)
  await proxy.stop()
})

it('a node that never answers does not block the caller, and the next request asks again', async () => {
  let isDeaf = true
  const proxy = await startProxy(chain.url, () => (isDeaf ? new Promise(() => {}) : undefined))
  const adapter = await chain.open({ nodes: [proxy.url] })
  await expect(adapter.depositAction(requestOf())).rejects.toThrow('node')
  isDeaf = false
  expect((await adapter.depositAction(requestOf())).callData).not.toBeNull()
  await proxy.stop()
})
