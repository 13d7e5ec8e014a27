/** A compromised API process holds no wallet key: only the quote key, and addresses that other processes derived. */
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseConfig, SANDBOX_MNEMONIC, type Service, startService } from '@causeway/server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { family } from '../../../chains/simulated/local/src/index.ts'
import { openChains } from '../../../server/src/catalogue/chains.ts'
import { addToAddressPool } from '../../../server/src/flow/run/address-pool.ts'
import { readOnlySigner, recordingSigner } from '../../../server/src/keys/public-keys/public-key-store.ts'
import { addWriter } from '../../../server/src/store/journal/writers.ts'
import { setBranch } from '../../../server/src/store/watch/address-branch.ts'
import { testSigner } from '../../support/chains/signer.ts'
import { startDatabase, type TestDatabase } from '../../support/database/database.ts'
import { startServices, type TestServices } from '../../support/service/services.ts'

const QUOTE_KEY_FILE = path.join(mkdtempSync(path.join(os.tmpdir(), 'causeway-quote-')), 'quote.pem')
writeFileSync(QUOTE_KEY_FILE, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))
const SETTINGS = { NETWORKS: 'networks/testnet', LOG_LEVEL: 'silent', PORT: '0', INTERNAL_PORT: '0', ROLES: 'api' }

let database: TestDatabase
let services: TestServices
beforeAll(async () => {
  database = await startDatabase()
  services = await startServices(database.url)
})
afterAll(async () => {
  await services.stop()
  await database.stop()
})

it('the API role needs the quote key and no other', () => {
  const settings = { ...SETTINGS, DATABASE_URL: database.url }
  expect(() => parseConfig({ ...settings, QUOTE_KEY_FILE })).not.toThrow()
  expect(() => parseConfig(settings)).toThrow('QUOTE_KEY_FILE alone: ROLES=api needs no other key')
  expect(() => parseConfig({ ...settings, QUOTE_KEY_FILE, ROLES: 'api,work' })).toThrow('KEYSTORE_FILE')
})

it('it starts after a process with keys, knows the same wallets, and says so if none has started', async () => {
  const url = await database.createDatabase()
  const keyless = parseConfig({ ...SETTINGS, DATABASE_URL: url, QUOTE_KEY_FILE })
  await expect(startService(keyless)).rejects.toThrow('start a process that holds keys once (ROLES=watch,work)')
  const withKeys = { ...SETTINGS, DATABASE_URL: url, SIGNER: 'mnemonic', MNEMONIC: SANDBOX_MNEMONIC }
  const treasuries = async (service: Service) => {
    const found = [...service.services.chains].map(([name, { treasury }]) => [name, treasury])
    await service.stop()
    return found
  }
  // These networks have no nodes: nothing will be offered.
  const options = { offeringTimeoutMs: 0 }
  const known = await treasuries(await startService(parseConfig(withKeys), options))
  expect(known.length).toBeGreaterThan(3)
  expect(await treasuries(await startService(keyless, options))).toEqual(known)
})

it('gives out prepared deposit addresses, then none, and signs nothing', async () => {
  const { catalogue, log } = services
  const open = (signer: Parameters<typeof openChains>[2]) => openChains(catalogue, async () => family, signer, log)
  const holder = recordingSigner(testSigner('services'), services.database)
  const own = (await open(holder)).get('ALPHA')
  if (!own) throw new Error('ALPHA is a network')
  // Nothing is stored before the keys are known to be the right ones.
  await expect(open(readOnlySigner(services.database))).rejects.toThrow('no process with keys has written down')
  await holder.begin()
  const made = new Map<string, number>()
  const [writer, branch] = [randomUUID(), 7]
  await addWriter(services.database, writer, false, false)
  await setBranch(services.database, writer, branch)
  await addToAddressPool(services, own, made, 3)
  const signer = readOnlySigner(services.database)
  const answering = (await open(signer)).get('ALPHA')
  expect(answering?.treasury).toBe(own.treasury)
  for (const index of [1, 2, 3]) {
    expect(await answering?.depositAddresses?.derive(index, branch)).toBe(
      await own.depositAddresses?.derive(index, branch),
    )
  }
  await expect(answering?.depositAddresses?.derive(9, branch)).rejects.toMatchObject({ name: 'RetryLater' })
  await expect(signer.sign({ curve: 'ed25519', path: 'm' }, new Uint8Array(32), { quote: '' })).rejects.toThrow(
    'a process without keys was asked to sign',
  )
})
