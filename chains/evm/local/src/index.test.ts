import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Devnet } from '@causeway/core'
import { hexToString } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contractCall, header } from '../../src/node/calls.ts'
import { openNode } from '../../src/node/node.ts'
import { devnet } from './index.ts'
import { accountOf, control, testNetwork, tokenOf } from './testbed.ts'

const networks = [
  testNetwork(),
  testNetwork({ name: 'ETHEREUM_MAINNET', chainId: '1' }, { USDC: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48' }),
]
const TREASURY = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

let local: Devnet
beforeAll(async () => {
  const treasuries = Object.fromEntries(networks.map(({ name }) => [name, TREASURY]))
  local = await devnet.start({ networks, treasuries })
})
afterAll(() => local.stop())

const nodeOf = (name: string) => openNode(local.nodes[name] ?? '', { timeoutMs: 5_000, batchSize: 100 })

async function headOf(name: string) {
  const [head] = await nodeOf(name).ask([header('latest')])
  if (!head) throw new Error('no head')
  return head
}

describe('the local chains', () => {
  test('are separate chains with their own ids and the listed tokens at the listed contracts', async () => {
    expect(await control(nodeOf('ETHEREUM_SEPOLIA'), 'eth_chainId')).toBe('0xaa36a7')
    expect(await control(nodeOf('ETHEREUM_MAINNET'), 'eth_chainId')).toBe('0x1')
    const usdc = networks[1] ? tokenOf(networks[1], 'USDC').contract : null
    const [symbol] = await nodeOf('ETHEREUM_MAINNET').ask([contractCall({ to: usdc ?? '', data: '0x95d89b41' })])
    expect(hexToString(symbol as `0x${string}`)).toContain('USDC')
  })

  test('have ten funded accounts with the usual keys', async () => {
    expect(local.accounts).toHaveLength(10)
    expect(local.accounts[0]).toEqual({
      address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      secret: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
    })
    for (const network of networks) {
      for (const { address } of local.accounts) {
        expect(await local.balance(network.nativeToken, address)).toBe(10_000n * 10n ** 18n)
        expect(await local.balance(tokenOf(network, 'USDC'), address)).toBe(1_000_000n * 10n ** 6n)
      }
    }
  })

  test('give any amount of any token, on top of the balance', async () => {
    for (const token of networks.flatMap(({ tokens }) => tokens)) {
      const before = await local.balance(token, TREASURY)
      await local.fund(token, TREASURY, 7n)
      await local.fund(token, TREASURY, 5n)
      expect((await local.balance(token, TREASURY)) - before).toBe(12n)
    }
  })

  test('make blocks automatically', async () => {
    const { number } = await headOf('ETHEREUM_SEPOLIA')
    await expect
      .poll(async () => (await headOf('ETHEREUM_SEPOLIA')).number, { timeout: 10_000 })
      .toBeGreaterThan(number)
  })

  test('take many transfers of one account at once', async () => {
    const [network] = networks
    if (!network) throw new Error('no network')
    const usdc = tokenOf(network, 'USDC')
    const before = await local.balance(usdc, TREASURY)
    const hashes = await Promise.all(
      Array.from({ length: 10 }, () => local.transfer(accountOf(local, 3), usdc, TREASURY, 1n)),
    )
    expect(new Set(hashes).size).toBe(10)
    expect((await local.balance(usdc, TREASURY)) - before).toBe(10n)
  })

  test('a reorg drops its transactions, keeps gifts and adds one block', async () => {
    const [network] = networks
    if (!network) throw new Error('no network')
    const { name, nativeToken } = network
    await control(nodeOf(name), 'evm_setIntervalMining', 0)
    await local.mine(name, 3)
    const old = await headOf(name)
    const before = await local.balance(nativeToken, TREASURY)
    await local.transfer(accountOf(local, 4), nativeToken, TREASURY, 1_000n)
    await local.fund(nativeToken, TREASURY, 5n)
    await local.reorg(name, 2)
    const [replaced] = await nodeOf(name).ask([header(old.number)])
    expect(replaced?.hash).not.toBe(old.hash)
    expect((await headOf(name)).number).toBe(old.number + 2n)
    expect((await local.balance(nativeToken, TREASURY)) - before).toBe(5n)
    // The reorg reset the sender's nonce too.
    await local.transfer(accountOf(local, 4), nativeToken, TREASURY, 1n)
  })

  test('are not so sure of their newest blocks', async () => {
    const name = 'ETHEREUM_MAINNET'
    const node = nodeOf(name)
    await control(node, 'evm_setIntervalMining', 0)
    await local.mine(name, 5)
    const { number } = await headOf(name)
    const heights = await Promise.all(
      ['safe', 'finalized'].map(async (tag) => {
        const block = (await control(node, 'eth_getBlockByNumber', tag, false)) as { number: string }
        return number - BigInt(block.number)
      }),
    )
    expect(heights).toEqual([2n, 4n])
  })
})

test('local chains end with the program that started them', async () => {
  const program = `
    import { devnet } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)}
    const network = ${JSON.stringify(testNetwork())}
    const local = await devnet.start({ networks: [network], treasuries: {} })
    process.send(local.nodes[network.name])
    setInterval(() => {}, 1000)`
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [nodeUrl] = (await once(parent, 'message')) as [string]
  const node = openNode(nodeUrl, { timeoutMs: 1_000, batchSize: 1 })
  expect(await control(node, 'eth_chainId')).toBe('0xaa36a7')
  parent.kill('SIGKILL')
  await expect.poll(() => control(node, 'eth_chainId').catch(() => 'gone'), { timeout: 10_000 }).toBe('gone')
})
