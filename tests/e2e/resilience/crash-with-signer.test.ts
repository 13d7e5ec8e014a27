/**
 * Keys and journal are in a signer process. The service is killed between a signature and its storing, and between the storing and
 * the broadcast, while several swaps are under way; the signer is killed, too. Everything continues without a person, and is paid once.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { SANDBOX_MNEMONIC } from '@causeway/devnet'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ended, finish, serve } from '../../support/processes/crashing.ts'
import { bareEnvironment } from '../../support/processes/environment.ts'
import { openUsers, SLOW_MS, type Users } from '../../support/processes/users.ts'
import { startWorld, type World } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'

const [FROM, TO] = ['ETHEREUM_SEPOLIA', 'ARBITRUM_SEPOLIA'] as const
const SIGNER = path.join(import.meta.dirname, '../../../server/src/keys/signer-process/signer-server.ts')
const PLENTY = { max: '1000000', max_per_hour: '1000000000' }
const SWAPS = 3

let world: World
let users: Users
let signerEnv: Record<string, string>
let signer: { child: ChildProcess; url: string }

beforeAll(async () => {
  world = await startWorld({ STUCK_AFTER_SECONDS: '3' }, false, [FROM, TO])
  users = openUsers(world, FROM, TO)
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-crash-signer-'))
  const [token, policy] = ['token', 'policy.json'].map((name) => path.join(folder, name)) as [string, string]
  writeFileSync(token, 'a-token-of-the-tests-that-is-long-enough')
  const tokens = { ETH: PLENTY, USDC: PLENTY }
  writeFileSync(policy, JSON.stringify({ networks: { [FROM]: { tokens }, [TO]: { tokens } } }))
  signerEnv = {
    ...bareEnvironment(),
    ...{ SIGNER: 'mnemonic', MNEMONIC: SANDBOX_MNEMONIC, NETWORKS: world.sandbox.env.NETWORKS ?? '' },
    ...{ SIGNER_TOKEN_FILE: token, SIGNER_POLICY_FILE: policy, SIGNER_PORT: '0' },
    SIGNER_JOURNAL_FOLDER: path.join(folder, 'journal'),
  }
  signer = await startSigner()
}, SLOW_MS)
afterAll(async () => {
  signer?.child.kill('SIGKILL')
  await world?.stop()
}, SLOW_MS)

async function startSigner(): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [...process.execArgv, SIGNER], {
    ...{ env: signerEnv, stdio: ['ignore', 'pipe', 'inherit'] },
  })
  for await (const line of createInterface(child.stdout)) {
    const { msg, port } = JSON.parse(line)
    if (msg !== 'signer started') continue
    child.stdout.resume()
    return { child, url: `http://127.0.0.1:${port}` }
  }
  throw new Error('the signer did not start')
}

/** A service whose keys are in the signer process. */
function serveWithSigner(crashAt?: string): Promise<ChildProcess> {
  const token = signerEnv.SIGNER_TOKEN_FILE ?? ''
  return serve(world, crashAt, { SIGNER: 'remote', SIGNER_URL: signer.url, SIGNER_TOKEN_FILE: token })
}

it.each(['after:journal', 'before:broadcast'])(
  'killed %s with the signer, swaps still complete and are paid once',
  async (crashAt) => {
    const doomed = await serveWithSigner(crashAt)
    const swaps = await Promise.all(
      Array.from({ length: SWAPS }, () => eventually(() => users.create(), 'a swap to be created', SLOW_MS)),
    )
    await Promise.all(swaps.map((swap, user) => users.deposit(swap, user)))
    expect(await ended(doomed)).toBe('SIGKILL')
    signer.child.kill('SIGKILL')
    await ended(signer.child)
    signer = await startSigner()
    const healthy = await serveWithSigner()
    const ids = swaps.map(({ swap }) => swap.id)
    for (const id of ids) await world.client.reaches(id, 'completed')
    await users.expectPaid(ids)
    await finish(world, healthy)
    const rows = await world.query<{ slots: string }>(
      `select count(distinct slot_id) as slots from slot_payout join payout on payout.id = payout_id
       where swap_id = any($1::uuid[]) group by payout_id`,
      [ids],
    )
    expect(rows).toEqual(ids.map(() => ({ slots: '1' })))
    expect(await world.query('select state from journal')).toEqual([{ state: 'running' }])
  },
  SLOW_MS,
)
