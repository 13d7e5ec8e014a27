import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import type { Order, Signer } from '@causeway/core'
import { afterEach, describe, expect, it } from 'vitest'
import { devnet } from '../../../../chains/evm/local/src/index.ts'
import { nothingSigned } from '../../../../tests/support/chains/nothing-signed.ts'
import { bareEnvironment } from '../../../../tests/support/processes/environment.ts'
import { eventually } from '../../../../tests/support/runner/eventually.ts'
import { loadFamily } from '../../catalogue/chains.ts'
import { parseConfig } from '../../config.ts'
import { openSigner } from '../backends/signer.ts'
import { sealKeystore } from '../keystore/keystore.ts'
import { orderSource } from '../orders/source.ts'
import { QUOTE_KEY } from '../quotes/quote-key.ts'
import {
  ACCOUNT,
  ALICE,
  BOB,
  DATABASE,
  draftAt,
  ETHER,
  makeFolder,
  NETWORK,
  orderSigning,
  PHRASE,
  payment,
  policyFile,
  quiet,
  TOKEN,
  testCatalogue,
} from '../testing.ts'

const PROGRAM = path.join(import.meta.dirname, 'signer-server.ts')
const PASSWORD = 'correct horse battery'
/** Each start of a process opens a keystore, which takes long on purpose, and longer on a busy machine. */
const SLOW_MS = 180_000

const running: ChildProcess[] = []
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
})

/** Writes the files that an operator would write. */
function setUp() {
  const { folder, networks } = makeFolder()
  const files = {
    KEYSTORE_FILE: ['keystore.json', sealKeystore(PHRASE, PASSWORD)],
    KEYSTORE_PASSWORD_FILE: ['password.txt', `${PASSWORD}\n`],
    SIGNER_TOKEN_FILE: ['token.txt', `${TOKEN}\n`],
    SIGNER_POLICY_FILE: ['policy.json', JSON.stringify(policyFile())],
  } as const
  const env: Record<string, string> = {
    ...bareEnvironment(),
    NETWORKS: networks,
    SIGNER_PORT: '0',
    SIGNER_JOURNAL_FOLDER: path.join(folder, 'journal'),
  }
  for (const [name, [file, text]] of Object.entries(files)) {
    writeFileSync(path.join(folder, file), text)
    env[name] = path.join(folder, file)
  }
  return { folder, networks, env }
}

async function start(env: Record<string, string>): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [PROGRAM], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  running.push(child)
  for await (const line of createInterface(child.stdout)) {
    const { msg, port } = JSON.parse(line)
    if (msg !== 'signer started') continue
    child.stdout.resume()
    return { child, url: `http://127.0.0.1:${port}` }
  }
  throw new Error('the signer did not start')
}

async function kill(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await ended
}

/** Opens the signer as the service does: from its configuration. */
function connect(env: Record<string, string>, url: string, more: Record<string, string> = {}): Promise<Signer> {
  const { SIGNER_TOKEN_FILE } = env
  const database = { DATABASE_URL: 'postgres://localhost/causeway' }
  return openSigner(parseConfig({ ...database, SIGNER: 'remote', SIGNER_URL: url, SIGNER_TOKEN_FILE, ...more }))
}

/** The service's client for orders. The first one claims the journal. */
async function ordersAt(env: Record<string, string>, url: string) {
  const { SIGNER_TOKEN_FILE } = env
  const database = { DATABASE_URL: 'postgres://localhost/causeway' }
  const config = parseConfig({ ...database, SIGNER: 'remote', SIGNER_URL: url, SIGNER_TOKEN_FILE })
  const source = orderSource(config, DATABASE, { now: () => new Date(), adapterOf: never, onBroken: never })
  const orders = (await source.open()) ?? (await source.create(DATABASE))
  return { orders, sign: orderSigning(orders) }
}

function never(): never {
  throw new Error('the keys are elsewhere')
}

const command = (env: Record<string, string>, ...args: string[]) =>
  promisify(execFile)(process.execPath, [PROGRAM, ...args], { env }).catch((error: Error & { stderr: string }) => error)

describe('the signer process', () => {
  it(
    'returns the same bytes after it was killed and restarted, and refuses another order in the slot',
    async () => {
      const { env, networks, folder } = setUp()
      const { eth } = await testCatalogue(networks)
      const first = await start(env)
      const before = await ordersAt(env, first.url)
      const { hash, bytes } = await before.sign(NETWORK, payment(eth, ETHER), ['4'], draftAt(1))
      const attempt = { attempt: 0, purpose: 'new' } as const
      await kill(first.child, 'SIGKILL')
      await expect(before.sign(NETWORK, payment(eth, ETHER), ['4'], draftAt(1), attempt)).rejects.toMatchObject({
        name: 'SignerUnavailable',
      })

      const second = await start(env)
      const after = await ordersAt(env, second.url)
      await expect(after.sign(NETWORK, payment(eth, ETHER, BOB), ['4'], draftAt(1))).rejects.toThrow(
        'signed for another order',
      )
      const again = await after.sign(NETWORK, payment(eth, ETHER), ['4'], draftAt(3), attempt)
      expect([again.hash, again.bytes]).toEqual([hash, bytes])
      expect((await after.sign(NETWORK, payment(eth, ETHER), ['4'], draftAt(2))).hash).not.toBe(hash)

      expect(await command(env, 'journal', 'prune')).toMatchObject({ stderr: expect.stringContaining('two signers') })
      expect(await command(env, 'journal', 'status')).toMatchObject({ stdout: expect.stringContaining('running') })
      expect(await command(env, 'resume')).toMatchObject({ stdout: expect.stringContaining('signing continues') })
      expect(existsSync(path.join(folder, 'journal/resume'))).toBe(true)
      await kill(second.child, 'SIGTERM')
      expect(await command(env, 'journal', 'prune')).toMatchObject({
        stdout: expect.stringContaining('nothing is removed'),
      })
      expect(await command(env, 'journal', 'repair')).toMatchObject({ stderr: expect.stringContaining('JOURNAL_COPY') })
    },
    SLOW_MS,
  )

  it('checks its configuration, prints its wallets, and shows help', async () => {
    const { env } = setUp()
    expect(await command(env, 'check')).toMatchObject({ stdout: expect.stringContaining(ACCOUNT) })
    expect(await command({}, '--help')).toMatchObject({ stdout: expect.stringContaining('SIGNER_POLICY_FILE') })
    expect(await command({ SIGNER: 'remote' })).toMatchObject({
      stderr: expect.stringContaining('SIGNER_JOURNAL_FOLDER'),
    })
    expect(await command(env, 'sing')).toMatchObject({ stderr: expect.stringContaining('no command sing') })
  })

  it('leaves quotes to a key beside the service if one is set', async () => {
    const { env, folder } = setUp()
    const { privateKey } = generateKeyPairSync('ed25519')
    const file = path.join(folder, 'quote.pem')
    writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }))
    const nowhere = 'http://127.0.0.1:9'
    const signer = await connect(env, nowhere, { QUOTE_KEY_FILE: file })
    expect(await signer.sign(QUOTE_KEY, Buffer.from('words'), { quote: 'words' })).toHaveLength(64)
    expect(await signer.publicKey(QUOTE_KEY)).toHaveLength(32)
    writeFileSync(file, 'nothing')
    await expect(connect(env, nowhere, { QUOTE_KEY_FILE: file })).rejects.toThrow('not an ed25519 private key')
  })

  it('is reached by https or on this machine only, unless configured otherwise', async () => {
    const { env } = setUp()
    expect(() => connect(env, 'http://10.0.0.7:8790')).toThrow('must be https')
    await connect(env, 'http://10.0.0.7:8790', { SIGNER_PLAIN_HTTP: 'true' })
    await connect(env, 'https://signer.example')
  })
})

it('the EVM family pays and bumps fees through the signer process, which keeps the slot for its order', async () => {
  const { env, networks } = setUp()
  const { network, eth, usdc } = await testCatalogue(networks)
  const { url } = await start(env)
  const signer = await connect(env, url)
  const { sign } = await ordersAt(env, url)
  const family = await loadFamily('evm')
  const local = await devnet.start({ networks: [network], treasuries: { [NETWORK]: ACCOUNT } })
  try {
    const nodes = [local.nodes[NETWORK] ?? '']
    const adapter = await family.open({ network: { ...network, nodes }, signer, log: quiet })
    await local.fund(usdc, ACCOUNT, 10_000_000n)
    const before = { alice: await local.balance(usdc, ALICE), bob: await local.balance(eth, BOB) }
    const taken: string[][] = []
    const pay = async (order: Order, isReplaced: boolean) => {
      const draft = await adapter.prepare(order, null)
      const slot = await adapter.nextSlot(order, draft, taken)
      taken.push([...slot])
      const first = await sign(NETWORK, order, slot, draft)
      const sent = isReplaced ? await sign(NETWORK, order, slot, await adapter.prepare(order, first)) : first
      expect(sent.hash === first.hash).toBe(!isReplaced)
      await adapter.broadcast(sent)
      await local.mine(NETWORK, 1)
      await eventually(async () => {
        const { state } = await adapter.status({ hash: sent.hash, slot, account: ACCOUNT }, nothingSigned)
        return state === 'included'
      }, 'the payout to land')
      return slot
    }
    await pay(payment(usdc, 2_500_000n, ALICE), false)
    const slot = await pay(payment(eth, ETHER, BOB), true)
    expect(await local.balance(usdc, ALICE)).toBe(before.alice + 2_500_000n)
    expect(await local.balance(eth, BOB)).toBe(before.bob + ETHER)
    const thief = payment(eth, ETHER, ALICE)
    await expect(sign(NETWORK, thief, slot, draftAt(50))).rejects.toThrow('signed for another order')
    await expect(sign(NETWORK, payment(eth, 3n * ETHER, ALICE), ['99'], draftAt(50))).rejects.toThrow(
      'above the ceiling',
    )
  } finally {
    await local.stop()
  }
})
