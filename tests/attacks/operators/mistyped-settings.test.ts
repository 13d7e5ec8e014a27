/**
 * Attacks A7, O7 and O13: a mistyped setting is reported clearly at the start and never taken for another one: a wrong
 * name, a missing value, a file of the wrong kind, or one source, node or chain under two names.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readCampaigns } from '../../../server/src/catalogue/campaigns.ts'
import { readCatalogue } from '../../../server/src/catalogue/catalogue.ts'
import { loadFamily } from '../../../server/src/catalogue/chains.ts'
import { readExchanges } from '../../../server/src/catalogue/exchanges.ts'
import { readRouteRules } from '../../../server/src/catalogue/routes.ts'
import { unsafeLines } from '../../../server/src/config/unsafe.ts'
import { type Config, ConfigError, parseConfig } from '../../../server/src/config.ts'
import { createLog } from '../../../server/src/observe/log.ts'
import { openPrices } from '../../../server/src/prices/open.ts'
import { startService } from '../../../server/src/service.ts'

const ROOT = path.join(import.meta.dirname, '../../..')
const NOWHERE = 'postgres://nobody@127.0.0.1:1/nothing'
const PHRASE = 'test test test test test test test test test test test junk'
const GOOD = { DATABASE_URL: NOWHERE, SIGNER: 'mnemonic', MNEMONIC: PHRASE, NETWORKS: 'networks/testnet' }
const folder = () => mkdtempSync(path.join(os.tmpdir(), 'causeway-mistyped-'))
const written = (text: string) => {
  const file = path.join(folder(), 'file.json')
  writeFileSync(file, text)
  return file
}

describe('a name', () => {
  it('in lower case is an error that names the similar setting', () => {
    for (const [name, meant] of [
      ['max_swap_usd', 'MAX_SWAP_USD'],
      ['Service_Fee_Bps', 'SERVICE_FEE_BPS'],
      ['allow_privat_webhooks', 'ALLOW_PRIVATE_WEBHOOKS'],
    ]) {
      expect(() => parseConfig({ ...GOOD, [`${name}`]: '1' })).toThrow(`${name}: is no setting; did you mean ${meant}?`)
    }
    expect(() =>
      parseConfig({ ...GOOD, host: 'x', port: '1', roles: 'x', http_proxy: 'x', npm_port: '1' }),
    ).not.toThrow()
  })

  it('of nodes that is nearly one does not leave a network with the nodes of its file', () => {
    const url = 'https://rpc.example'
    for (const name of ['NODE_ETHEREUM_SEPOLIA', 'NODES_ETHEREUM_SEPOLIA'.toLowerCase(), 'NODESETHEREUM_SEPOLIA'])
      expect(() => parseConfig({ ...GOOD, [name]: url }), name).toThrow('did you mean NODES_ETHEREUM_SEPOLIA?')
    expect(parseConfig({ ...GOOD, NODES_ETHEREUM_SEPOLIA: url }).nodes).toEqual({ ETHEREUM_SEPOLIA: [url] })
    const ordinary = { NODE_ENV: 'production', NODE_OPTIONS: '-x', NODE_PATH: '/x', NODE_EXTRA_CA_CERTS: '/x' }
    expect(() => parseConfig({ ...GOOD, ...ordinary })).not.toThrow()
  })

  it('in a file of settings counts in the same way, and such a file names no other', () => {
    const mistaken = written('NODE_ETHEREUM_SEPOLIA=https://rpc.example\n')
    expect(() => parseConfig({ ...GOOD, CONFIG_FILE: mistaken })).toThrow('NODE_ETHEREUM_SEPOLIA is no setting')
    const nested = written(`CONFIG_FILE=${mistaken}\n`)
    expect(() => parseConfig({ ...GOOD, CONFIG_FILE: nested })).toThrow('a file of settings names no other one')
  })
})

describe('a value', () => {
  it('that is empty says nothing: it is not zero, in the environment or in a file', () => {
    const usual = parseConfig(GOOD)
    const empty = { SERVICE_FEE_BPS: '', MIN_SWAP_USD: ' ', QUOTE_DEVIATION_BPS: '', TRUST_PROXY: '', PRICES: '' }
    expect(parseConfig({ ...GOOD, ...empty })).toEqual(usual)
    expect(usual).toMatchObject({ serviceFeeBps: 10, quoteDeviationBps: undefined })
    const file = written('SERVICE_FEE_BPS=\nQUOTE_DEVIATION_BPS=""\n')
    expect(parseConfig({ ...GOOD, CONFIG_FILE: file })).toMatchObject({
      serviceFeeBps: 10,
      quoteDeviationBps: undefined,
    })
    expect(() => parseConfig({ ...GOOD, DATABASE_URL: '' })).toThrow('DATABASE_URL')
  })

  it('with a folder in place of a file, or a file in place of a folder, is reported', () => {
    const place = folder()
    for (const name of ['ROUTES_FILE', 'SCREENING_FILE', 'KEYSTORE_FILE', 'QUOTE_KEY_FILE', 'SIGNER_TOKEN_FILE'])
      expect(() => parseConfig({ ...GOOD, [name]: place }), name).toThrow(`${name}: ${place} is no file`)
    const file = written('{}')
    expect(() => parseConfig({ ...GOOD, NETWORKS: file })).toThrow(`NETWORKS: ${file} is no folder`)
  })
})

describe('a file that is no JSON', () => {
  const BROKEN = '[\n  {\n    "secret": x\n'
  it('is named, and nothing of it is repeated', async () => {
    const file = written(BROKEN)
    const networks = folder()
    writeFileSync(path.join(networks, 'X.json'), BROKEN)
    const config: Config = { ...parseConfig(GOOD), prices: ['a'], priceSourcesFile: file }
    const catalogue = await readCatalogue(path.join(ROOT, 'networks/sandbox'), {}, loadFamily)
    const readers: (() => unknown)[] = [
      () => readCatalogue(networks, {}, loadFamily),
      () => readRouteRules(file, { files: [], networks: catalogue.networks, known: [] }),
      () => readExchanges(file),
      () => readCampaigns(file, catalogue, new Map()),
      () => openPrices(config, createLog('silent'), () => new Date()),
    ]
    for (const read of readers) {
      const error = await Promise.resolve()
        .then(read)
        .catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(ConfigError)
      expect(String(error)).toMatch(/json is not JSON: a comma, quote or bracket is missing, or one too many$/)
    }
  })
})

describe('a route that is closed', () => {
  const rules = async (...ends: object[]) => {
    const catalogue = await readCatalogue(path.join(ROOT, 'networks/sandbox'), {}, loadFamily)
    const file = written(JSON.stringify(ends.map((source) => ({ source, closed: true }))))
    const [usdc, eth] = [tokenOf(catalogue, 'ETHEREUM_SEPOLIA', 'USDC'), tokenOf(catalogue, 'BASE_SEPOLIA', 'ETH')]
    return {
      closed: () =>
        readRouteRules(file, { files: ['TRON_NILE'], networks: catalogue.networks, known: [] })(usdc, eth)?.closed ===
        true,
      usdc,
    }
  }
  const tokenOf = (catalogue: Awaited<ReturnType<typeof readCatalogue>>, network: string, symbol: string) => {
    const token = catalogue.network(network).tokens.find((one) => one.symbol === symbol)
    if (!token) throw new Error(`no ${symbol}`)
    return token
  }

  it('with an unknown name is reported, and does not stay open', async () => {
    for (const end of [{ network: 'ETHEREUM_SEPOLA' }, { network: 'ETHEREUM_SEPOLIA', token: 'USDX' }])
      expect((await rules(end)).closed).toThrow(/0\.source\.(network|token): there is no/)
    expect((await rules({ network: 'TRON_NILE', token: 'TRX' })).closed()).toBe(false)
  })

  it('is closed in whatever capitals it is written', async () => {
    const { usdc } = await rules()
    const contract = usdc.contract?.toLowerCase()
    for (const end of [{ network: 'ethereum_sepolia' }, { token: 'usdc' }, { token: contract }])
      expect((await rules(end)).closed(), JSON.stringify(end)).toBe(true)
  })
})

describe('one under two names', () => {
  it('a node at two ports, or with a dot behind its name, does not agree with itself', () => {
    const lines = (...nodes: string[]) =>
      unsafeLines(
        {
          ...{ signer: 'keystore', prices: ['a', 'b', 'c'], allowPrivateWebhooks: false, hasOutflowLimit: true },
          ...{ publicWallets: [], networks: [{ name: 'X', nodes }] },
        },
        [],
      )
    expect(lines('https://rpc.example:8545/a', 'https://rpc.example:8546/b')).toHaveLength(1)
    expect(lines('https://rpc.example/a', 'https://RPC.example./b')).toHaveLength(1)
    expect(lines('https://rpc.example/a', 'wss://rpc.example/a')).toHaveLength(1)
    expect(lines('https://rpc.example/a', 'https://other.example/a')).toEqual([])
    // Two programs on this machine are both the operator's own.
    expect(lines('http://127.0.0.1:8545', 'http://127.0.0.1:9545')).toEqual([])
  })

  it('a price source does not vote twice', () => {
    const source = (name: string, host: string) => ({
      ...{ name, url: `https://${host}/p?ids={ids}`, path: '{id}.usd', ids: { ETH: 'x' } },
    })
    const open = (...hosts: string[]) => {
      const names = hosts.map((_, n) => `source${n}`)
      const file = written(JSON.stringify(hosts.map((host, n) => source(`source${n}`, host))))
      const config: Config = { ...parseConfig(GOOD), prices: names, priceSourcesFile: file }
      return () => openPrices(config, createLog('silent'), () => new Date())
    }
    expect(open('a.example', 'b.example', 'c.example')).not.toThrow()
    expect(open('a.example', 'b.example', 'A.example:8443')).toThrow('source0 and source2 are one source')
  })

  it.each(['ETHEREUM_SEPOLIA', 'TON_TESTNET', 'BITCOIN_TESTNET', 'SOLANA_DEVNET'])(
    'a chain in two files (%s) does not start: each would hand out its slots',
    async (name) => {
      const networks = path.join(folder(), 'testnet')
      mkdirSync(networks)
      const original = path.join(ROOT, `networks/testnet/${name}.json`)
      cpSync(original, path.join(networks, `${name}.json`))
      const file = JSON.parse(readFileSync(original, 'utf8'))
      writeFileSync(path.join(networks, 'TWIN.json'), JSON.stringify({ ...file, name: 'TWIN' }))
      const nodes = { [`NODES_${name}`]: 'https://rpc.example', NODES_TWIN: 'https://rpc.example' }
      const started = startService(parseConfig({ ...GOOD, ...nodes, NETWORKS: networks, LOG_LEVEL: 'silent' }))
      await expect(started).rejects.toThrow(`would be good on ${name} too`)
    },
  )
})
