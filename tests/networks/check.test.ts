/** Compares the network files with pinned packages, offline; and tests that errors are found. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { getAddress, isAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import { NetworkFile } from '../../server/src/catalogue/network-file.ts'
import { startServer } from '../support/chains/samples.ts'
import { askChain } from './ask.ts'
import { openBooks } from './books.ts'
import { checkFile } from './check.ts'
import { type DraftOptions, draft } from './draft.ts'
import { REAL, ROOT, readFiles } from './files.ts'
import { loadRows } from './load.ts'

const books = openBooks()
const wrongs = (file: NetworkFile) =>
  checkFile(file, books).flatMap(({ state, text }) => (state === 'wrong' ? [text] : []))

function fileOf(name: string): NetworkFile {
  const found = readFiles('mainnet').find((file) => file.name === name)
  if (!found) throw new Error(`no file ${name}`)
  return structuredClone(found)
}

function tokenOf(file: NetworkFile, symbol: string): NetworkFile['tokens'][number] {
  const found = file.tokens.find((token) => token.symbol === symbol)
  if (!found) throw new Error(`no ${symbol}`)
  return found
}

describe.each(REAL)('networks/%s', (environment) => {
  test.each(readFiles(environment).map((file) => [file.name, file] as const))(
    '%s is as the packages say',
    (_, file) => {
      expect(wrongs(file)).toEqual([])
    },
  )

  test('every EVM file names Multicall3 if viem/chains knows it, in checksummed form', () => {
    const evm = readFiles(environment).filter(({ type }) => type === 'evm')
    for (const { name, chain_id, settings } of evm) {
      const known = books.chains(Number(chain_id)).flatMap(({ contracts }) => contracts?.multicall3?.address ?? [])
      expect(settings.multicall, name).toBe(known[0] && getAddress(known[0]))
    }
  })

  test('every address of an EVM network names the packages that confirm it', () => {
    const tokens = readFiles(environment).flatMap(({ type, tokens }) => (type === 'evm' ? tokens : []))
    const bare = tokens.filter(({ contract, confirmed_by: by }) => contract !== null && (by ?? []).length === 0)
    expect(bare).toEqual([])
  })
})

test('mainnet has seventy networks, and every token address has a source and is checksummed', () => {
  const files = readFiles('mainnet')
  expect(files.length).toBeGreaterThanOrEqual(70)
  const ids = files.flatMap(({ type, chain_id }) => (chain_id === null ? [] : [`${type} ${chain_id}`]))
  expect(new Set(ids).size).toBe(ids.length)
  for (const { name, tokens } of files) {
    for (const { symbol, contract, confirmed_by: by = [], source } of tokens) {
      if (contract === null) continue
      expect(by.length > 0 || source !== undefined, `${name} ${symbol}`).toBe(true)
      if (isAddress(contract, { strict: false })) expect(contract, `${name} ${symbol}`).toBe(getAddress(contract))
    }
  }
})

describe('what is wrong is found', () => {
  const spoilt = (spoil: (file: NetworkFile) => unknown, name = 'ARBITRUM_MAINNET') => {
    const file = fileOf(name)
    spoil(file)
    return wrongs(file).join('; ')
  }

  test.each<[string, (file: NetworkFile) => unknown, RegExp]>([
    [
      'an address with one wrong digit',
      (file) => (tokenOf(file, 'USDC').contract = '0xaf88d065e77c8cC2239327C5EDb3A432268e5832'),
      /USDC is not at 0xaf88d065e77c8cC2239327C5EDb3A432268e5832 by viem\/tokens/,
    ],
    ['decimals', (file) => (tokenOf(file, 'USDC').decimals = 18), /USDC has 6 decimals by viem\/tokens, not 18/],
    ['a chain id of nobody', (file) => (file.chain_id = '42162'), /viem\/chains knows no chain 42162/],
    ['a chain id of another chain', (file) => (file.chain_id = '56'), /chain 56 is BNB Smart Chain with BNB \(18\)/],
    ['a token under the name of another', (file) => (tokenOf(file, 'USDC').symbol = 'USDT'), /is USDC, .*not USDT/],
    ['a token that no package confirms', (file) => delete tokenOf(file, 'USDC').confirmed_by, /names no package/],
    [
      'a package that is not asked',
      (file) => (tokenOf(file, 'USDC').confirmed_by = ['somebody']),
      /somebody is no package that is asked/,
    ],
    ['a node that is known to be poor', (file) => file.nodes.push('https://eth.drpc.org'), /takes batches of three/],
    ['another multicall', (file) => (file.settings.multicall = `0x${'1'.repeat(40)}`), /multicall is at 0xca11/i],
  ])('%s', (_, spoil, message) => {
    expect(spoilt(spoil)).toMatch(message)
  })

  test('a fee model without the chain’s separate charge', () => {
    expect(spoilt((file) => delete file.settings.fee_model, 'BASE_MAINNET')).toMatch(/fee_model must be op_stack/)
  })

  test("the ERC-20 face of Celo's coin, although packages list it", () => {
    const face = '0x471EcE3750Da237f93B8E339c536989b8978a438'
    const by = ['@uniswap/default-token-list']
    const added = spoilt((file) => {
      const token = { ...tokenOf(file, 'USDC'), symbol: 'CELO.e', contract: face, decimals: 18, confirmed_by: by }
      file.tokens.push(token)
    }, 'CELO_MAINNET')
    expect(added).toMatch(/second face/)
  })
})

describe('the chain itself', () => {
  const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`
  const text = `0x${'20'.padStart(64, '0')}${'4'.padStart(64, '0')}${Buffer.from('USDC').toString('hex').padEnd(64, '0')}`

  /** A node of Arbitrum that knows only one token. */
  async function asked(changes: { chainId?: string; code?: string; decimals?: number }) {
    const node = await startServer(async (body) => {
      const { method, params } = JSON.parse(body) as { method: string; params: [{ data: string }] }
      const answers: Record<string, string> = {
        eth_chainId: changes.chainId ?? '0xa4b1',
        eth_getCode: changes.code ?? '0x60',
        eth_call: params[0]?.data === '0x313ce567' ? word(changes.decimals ?? 6) : text,
      }
      return { body: { jsonrpc: '2.0', id: 1, result: answers[method] } }
    })
    const file = fileOf('ARBITRUM_MAINNET')
    const findings = await askChain({ ...file, nodes: [node.url], tokens: [tokenOf(file, 'USDC')] })
    await node.stop()
    return findings?.map(({ state, text }) => `${state}: ${text}`)
  }

  test('is asked for its number, and for code, symbol and decimals of tokens', async () => {
    expect(await asked({})).toEqual(['right: 127.0.0.1 is on chain 42161'])
    expect(await asked({ chainId: '0x1' })).toEqual(['wrong: 127.0.0.1 is on chain 1'])
    expect(await asked({ decimals: 18 })).toContain('wrong: USDC has 18 decimals on the chain')
    expect((await asked({ code: '0x' }))?.at(-1)).toMatch(/^wrong: USDC: nothing stands at 0xaf88/)
  })

  test('without an answering node nothing is checked, which is neither right nor wrong', async () => {
    expect(await askChain({ ...fileOf('ARBITRUM_MAINNET'), nodes: ['http://127.0.0.1:9'] })).toBe(null)
  })
})

describe('a draft', () => {
  const options: DraftOptions = {
    name: 'INK_MAINNET',
    feeModel: null,
    finality: 'sequencer',
    blockSeconds: 2,
    maxFeeGwei: 10,
    maxTipGwei: 2,
    rank: 9,
    date: '2026-11-15T00:00:00Z',
  }
  const chain = (name: string) => {
    const found = books.chainNamed(name)
    if (!found) throw new Error(`no chain ${name}`)
    return found
  }

  test.each(['ink', 'gnosis', 'zksync', 'celo', 'bscTestnet'])(
    'of %s is a file that the service reads and the check likes',
    (name) => {
      const { file } = draft(chain(name), books, options)
      expect(NetworkFile.parse(file)).toEqual(file)
      const known = name === 'zksync' ? { ...file, settings: { ...file.settings, fee_model: 'zksync' } } : file
      expect(wrongs(known)).toEqual([])
    },
  )

  test('knows the fee model of the OP stack, and lists no second face of the native coin', () => {
    expect(draft(chain('ink'), books, options).file.settings).toMatchObject({
      fee_model: 'op_stack',
      native_scan: 'balances',
    })
    const symbols = draft(chain('celo'), books, options).file.tokens.map(({ symbol }) => symbol)
    expect(symbols).toEqual(['CELO', 'USDC', 'USDT', 'WETH'])
  })
})

test('docs/nodes.md has the load of every EVM network of mainnet, as the files are', () => {
  const text = readFileSync(path.join(ROOT, '../docs/nodes.md'), 'utf8')
  const rows = loadRows(readFiles('mainnet'))
  expect(rows.length).toBeGreaterThanOrEqual(40)
  expect(text.split('\n').filter((line) => / \d+(\.\d+)? s \| \w+ \| \d+ \| /.test(line))).toEqual(rows)
})
