/** The operator's command deploys the treasury's account, once, and another account pays for it. */
import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { family } from '@causeway/starknet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testSigner } from '../../../../tests/support/chains/signer.ts'
import { draw, payment, startChain, statusOf, type TestChain } from './testbed.ts'

const run = promisify(execFile)
const SETUP = new URL('../../src/setup.ts', import.meta.url).pathname
let chain: TestChain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain?.local.stop())

test('an account that is not there pays nothing; the command makes it, and then it does', async () => {
  const signer = testSigner('another treasury')
  const adapter = await family.open({ network: chain.adapter.network, signer, log: chain.log })
  await chain.local.fund(chain.native, adapter.treasury, 10n ** 19n)
  const order = payment(adapter.treasury, [chain.other.address, chain.native, 5n])
  const refused = await adapter.prepare(order, null).catch((error: Error) => error.message)
  const key = /with the key (0x[0-9a-f]+)/.exec(String(refused))?.[1] ?? ''
  const secret = path.join(mkdtempSync(path.join(tmpdir(), 'causeway-setup-')), 'secret')
  writeFileSync(secret, chain.user.secret)
  const look = [SETUP, '--node', chain.url, '--key', key]
  expect((await run(process.execPath, look)).stdout).toBe(`${adapter.treasury}  is not there yet\n`)
  const made = await run(process.execPath, [...look, '--account', chain.user.address, '--secret', secret])
  expect(made.stdout).toContain(`${adapter.treasury}  made`)
  expect(made.stdout + made.stderr).not.toContain(chain.user.secret.slice(2))
  expect((await run(process.execPath, look)).stdout).toBe(`${adapter.treasury}  is there\n`)
  const drawn = await draw(adapter, order)
  expect(drawn.slot, 'nonce 0 is still free').toEqual(['0'])
  await adapter.broadcast(drawn.signed)
  await chain.mine(1)
  expect(await statusOf(adapter, drawn)).toMatchObject({ state: 'included' })
})
