import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { getBase58Encoder } from '@solana/kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { walletFrom } from './accounts.ts'
import { draw, startChain, type TestChain, walletAt } from './testbed.ts'

const run = promisify(execFile)
const SCRIPT = path.join(import.meta.dirname, '../../src/setup.ts')

let chain: TestChain
let folder: string
beforeAll(async () => {
  chain = await startChain()
  folder = mkdtempSync(path.join(os.tmpdir(), 'causeway-solana-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await chain.local.stop()
})

it('the nonce accounts that it makes serve payouts, and a second run leaves them alone', async () => {
  const operator = await walletAt(chain.local, 3)
  const file = path.join(folder, 'keypair.json')
  writeFileSync(file, JSON.stringify([...getBase58Encoder().encode(operator.secret)]))
  const args = ['--node', chain.url, '--treasury', chain.treasury, '--keypair', file, '--count', '3']
  const { stdout } = await run(process.execPath, [SCRIPT, ...args])
  expect(stdout.match(/made/g)).toHaveLength(3)
  const [, settings = ''] = /"settings": (.*)/.exec(stdout) ?? []
  expect(JSON.parse(settings)).toEqual({ nonce_base: operator.address, nonce_accounts: 3 })
  expect((await run(process.execPath, [SCRIPT, ...args])).stdout.match(/is there/g)).toHaveLength(3)

  const adapter = await chain.open({ settings: JSON.parse(settings) })
  const { address: to } = await walletFrom('recipient of the set-up')
  const token = chain.network.nativeToken
  const transfers = [{ to, amount: { token, units: 5_000_000n } }]
  const { signed, slot } = await draw({ ...chain, adapter }, { kind: 'transfers', account: chain.treasury, transfers })
  await adapter.broadcast(signed)
  expect(await adapter.status({ hash: signed.hash, slot, account: chain.treasury }, nothingSigned)).toMatchObject({
    state: 'included',
  })
  expect((await adapter.balance(to, token)).units).toBe(5_000_000n)
})
