/**
 * The same calls against a real node if `TON_RPC_URL` names one (a toncenter-compatible mainnet endpoint). It only
 * reads. Without it the local chain is used, so both are asked the same.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { jettonUnits, openJettons } from '../../src/jetton.ts'
import { accountState, blockAtLt, blockHeader, getMethod, masterchainInfo } from '../../src/node/calls.ts'
import { type Node, openNode } from '../../src/node/node.ts'
import { openHistory } from '../../src/scanning/history.ts'
import { devnet } from './index.ts'
import { testNetwork, USDT } from './test-network.ts'

const LIVE = process.env.TON_RPC_URL
/** A busy account; on the local chain the faucet's minter, which has minted for every test account. */
const BUSY = USDT

let node: Node
let stop = async () => {}
beforeAll(async () => {
  const network = testNetwork()
  const local = LIVE ? null : await devnet.start({ networks: [network], treasuries: {} })
  if (local) stop = local.stop
  node = openNode(LIVE ?? local?.nodes[network.name] ?? '', { timeoutMs: 20_000, requestsPerSecond: LIVE ? 1 : 0 })
})
afterAll(() => stop())

test('a node reports its network, its head and its clock', async () => {
  const { head, zeroState } = await node.ask(masterchainInfo())
  expect(zeroState).toMatch(/^[A-Za-z0-9+/]{43}=$/)
  expect(head.hash).toMatch(/^[0-9a-f]{64}$/)
  const { time } = await node.ask(blockHeader(head.number))
  expect(Math.abs(time - Date.now() / 1_000)).toBeLessThan(600)
})

test('an account’s past links up, and every transaction has its block', async () => {
  const { last, head, codeHash } = await node.ask(accountState(BUSY))
  expect(codeHash).toMatch(/^[0-9a-f]{64}$/)
  let passed = 0
  for await (const { lt, hash } of openHistory().walk(node, BUSY, last)) {
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    if (passed === 0) expect((await node.ask(blockAtLt(lt))).number).toBeLessThanOrEqual(head.number + 5n)
    if (++passed === 15) break
  }
  expect(passed).toBeGreaterThanOrEqual(10)
})

test('a master names its wallets, a wallet its units, and an address without a contract says so', async () => {
  const jettons = openJettons()
  const nobody = 'EQAREREREREREREREREREREREREREREREREREREREREREeYT'
  const wallet = await jettons.walletOf(node, USDT, nobody)
  expect(wallet).toMatch(/^EQ/)
  expect(wallet).not.toBe(await jettons.walletOf(node, USDT, USDT))
  expect(await jettonUnits(node, wallet)).toBe(0n)
  expect((await node.ask(getMethod(wallet, 'get_wallet_data', []))).exitCode).not.toBe(0)
})
