import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readCatalogue, withSubmissions } from './catalogue/catalogue.ts'
import { loadFamily, onlyFamilies } from './catalogue/chains.ts'
import { SERVICE_VARIABLES } from './config/variables.ts'
import { parseConfig } from './config.ts'

const GOOD = { DATABASE_URL: 'postgres://localhost/causeway', SIGNER: 'mnemonic', MNEMONIC: 'words' }
const SANDBOX = path.join(import.meta.dirname, '../../networks/sandbox')

describe('the configuration', () => {
  it('has a default for everything but the database and the keys', () => {
    expect(parseConfig(GOOD)).toMatchObject({
      port: 8080,
      roles: ['api', 'watch', 'work'],
      depositWindowMs: 21_600_000,
    })
  })

  it('names a field after its variable, with the unit of the parsed value last', () => {
    const camelCase = (name: string) => name.toLowerCase().replaceAll(/_(.)/g, (_, letter) => letter.toUpperCase())
    const renamed = Object.entries(SERVICE_VARIABLES)
      .map(([field, [variable]]) => ({ field, variable, plain: camelCase(variable).replace(/Seconds$/, 'Ms') }))
      .filter(({ field, plain }) => field !== plain)
      .map(({ field, variable }) => [variable, field])
    expect(renamed).toEqual([
      ['NETWORKS', 'networksFolder'],
      ['PAGES', 'pagesFolder'],
      ['RATE_LIMIT_READS', 'rateLimitReadsPerMinute'],
      ['RATE_LIMIT_CREATIONS', 'rateLimitCreationsPerMinute'],
    ])
  })

  it('lists every problem at once', () => {
    const parse = () =>
      parseConfig({ DATABASE_URL: 'mysql://x', PORT: 'eighty', ROLES: 'api,chef', NODES_X: 'nowhere' })
    for (const name of ['DATABASE_URL', 'PORT', 'ROLES', 'NODES_X']) expect(parse).toThrow(name)
  })

  it('requires the files of the keystore if that is the signer', () => {
    expect(() => parseConfig({ DATABASE_URL: GOOD.DATABASE_URL })).toThrow(/KEYSTORE_FILE.*\n.*KEYSTORE_PASSWORD_FILE/)
  })

  it('an empty variable in the environment does not override the file', () => {
    const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'causeway-config-')), 'settings')
    writeFileSync(file, 'MAX_SWAP_USD=500\n')
    expect(parseConfig({ ...GOOD, CONFIG_FILE: file, MAX_SWAP_USD: '' }).maxSwapUsd).toBe(500)
    expect(parseConfig({ ...GOOD, CONFIG_FILE: file, MAX_SWAP_USD: '700' }).maxSwapUsd).toBe(700)
  })

  it('reads a secret from a file of its own, and refuses two values or a file that is not there', () => {
    const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'causeway-config-')), 'secret')
    const { DATABASE_URL, ...rest } = GOOD
    writeFileSync(file, `${DATABASE_URL}\n`)
    expect(parseConfig({ ...rest, DATABASE_URL_FILE: file }).databaseUrl).toBe(DATABASE_URL)
    expect(() => parseConfig({ ...GOOD, DATABASE_URL_FILE: file })).toThrow('keep one of them')
    expect(() => parseConfig({ ...rest, DATABASE_URL_FILE: '/nowhere' })).toThrow('there is no file /nowhere')
    writeFileSync(file, 'https://one.example/key, https://two.example/key\n')
    expect(parseConfig({ ...GOOD, NODES_X_FILE: file }).nodes).toEqual({
      X: ['https://one.example/key', 'https://two.example/key'],
    })
  })

  it('reads private endpoints and keys of aggregators, also from files', () => {
    const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'causeway-config-')), 'secret')
    writeFileSync(file, 'eth_sendPrivateTransaction https://private.example/key\n')
    const given = { ...GOOD, PRIVATE_SUBMISSION_X_FILE: file, PRIVATE_SUBMISSION_Y: 'https://two.example' }
    const { privateSubmissions, aggregatorKeys } = parseConfig({ ...given, AGGREGATOR_KEY_ONEINCH: 'a key' })
    expect(privateSubmissions).toEqual({
      X: { method: 'eth_sendPrivateTransaction', url: 'https://private.example/key' },
      Y: { method: 'eth_sendRawTransaction', url: 'https://two.example' },
    })
    expect(aggregatorKeys).toEqual({ ONEINCH: 'a key' })
    for (const wrong of [
      'nowhere-secret-1',
      'eth_sendBundle https://x.example',
      'https://x.example more words',
      'ftp://x',
    ]) {
      expect(() => parseConfig({ ...GOOD, PRIVATE_SUBMISSION_X: wrong })).toThrow('PRIVATE_SUBMISSION_X')
      expect(() => parseConfig({ ...GOOD, PRIVATE_SUBMISSION_X: wrong })).not.toThrow(/secret-1|x\.example/)
    }
  })

  it('says that a setting is needed', () => {
    expect(() => parseConfig({})).toThrow('DATABASE_URL: is needed')
  })

  it('never repeats a value that could be a secret', () => {
    expect(() => parseConfig({ ...GOOD, NODES_X: 'not-an-address-with-key-123' })).not.toThrow(/key-123/)
  })
})

describe('the catalogue', () => {
  it('takes node addresses from the environment, and refuses those of an unknown network', async () => {
    const catalogue = await readCatalogue(SANDBOX, { BASE_SEPOLIA: ['http://127.0.0.1:1'] }, loadFamily)
    expect(catalogue.network('BASE_SEPOLIA').nodes).toEqual(['http://127.0.0.1:1'])
    await expect(readCatalogue(SANDBOX, { NOWHERE: ['http://127.0.0.1:1'] }, loadFamily)).rejects.toThrow(
      'NODES_NOWHERE',
    )
  })

  it('adds private endpoints to networks with exchanges only', async () => {
    const catalogue = await readCatalogue(SANDBOX, {}, loadFamily)
    const endpoint = { method: 'eth_sendRawTransaction' as const, url: 'https://private.example' }
    const added = withSubmissions(catalogue, { ARBITRUM_SEPOLIA: endpoint })
    expect(added.network('ARBITRUM_SEPOLIA').privateSubmission).toEqual(endpoint)
    expect(added.network('ETHEREUM_SEPOLIA').privateSubmission).toBeUndefined()
    for (const name of ['NOWHERE', 'BITCOIN_TESTNET'])
      expect(() => withSubmissions(catalogue, { [name]: endpoint })).toThrow(`PRIVATE_SUBMISSION_${name}`)
  })

  it('leaves out networks of families that are not selected; an unknown family is refused', async () => {
    const { families } = parseConfig({ ...GOOD, FAMILIES: 'bitcoin, ton' })
    const left: string[] = []
    const catalogue = await readCatalogue(SANDBOX, {}, onlyFamilies(families), (_, reason) => left.push(reason))
    expect(catalogue.networks.map(({ name }) => name)).toEqual(['BITCOIN_TESTNET', 'TON_TESTNET'])
    expect(left).toContain('FAMILIES leaves evm out')
    expect(() => parseConfig({ ...GOOD, FAMILIES: 'evm,bitcoins' })).toThrow('FAMILIES')
    expect(() => parseConfig({ ...GOOD, FAMILIES: ',' })).toThrow('FAMILIES')
  })

  it('names the file and the field of every error', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'causeway-networks-'))
    const network = JSON.parse(readFileSync(path.join(SANDBOX, 'BASE_SEPOLIA.json'), 'utf8'))
    network.tokens[1].contract = '0x1234'
    await writeFile(path.join(folder, 'A.json'), JSON.stringify(network))
    await writeFile(path.join(folder, 'B.json'), JSON.stringify({ ...network, final_depth: 0, confirmations: [] }))
    const read = readCatalogue(folder, {}, loadFamily)
    await expect(read).rejects.toThrow(
      /A\.json: USDC: 0x1234 is no address[\s\S]*B\.json: confirmations[\s\S]*B\.json: final_depth/,
    )
  })
})
