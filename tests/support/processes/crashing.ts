/** Servers as child processes that crash at a chosen chain call, and ordinary ones that follow them. */
import { type ChildProcess, fork } from 'node:child_process'
import path from 'node:path'
import { expect } from 'vitest'
import { eventually } from '../runner/eventually.ts'
import { clientOf } from '../service/client.ts'
import { actionOf, unitsOf, type World } from './world.ts'

const CHILD = path.join(import.meta.dirname, 'crash-child.ts')

/** `crashAt`: the call at which the server kills itself. Resolves once it listens or has crashed. */
export async function serve(
  { sandbox }: World,
  crashAt?: string,
  more: Record<string, string> = {},
): Promise<ChildProcess> {
  const env = { ...process.env, ...sandbox.env, ...more, ...(crashAt ? { CRASH_AT: crashAt } : {}) }
  const child = fork(CHILD, { env })
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve())
    child.once('exit', (code, signal) => {
      if (crashAt && signal === 'SIGKILL') resolve()
      else reject(new Error(`the server ended with ${code ?? signal} before it listened`))
    })
  })
  return child
}

/**
 * Stops a healthy server once everything it sent is final, so that the next one finds no old work at which to crash.
 */
export async function finish({ query }: World, server: ChildProcess): Promise<void> {
  await eventually(async () => {
    const open = await query("select from slot where state = 'open'")
    return open.length === 0
  }, 'all that was sent to be final')
  server.kill('SIGTERM')
  await ended(server)
}

/** Which signal ended it. */
export function ended(child: ChildProcess): Promise<NodeJS.Signals | null> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(child.signalCode)
    else child.once('exit', (_, signal) => resolve(signal))
  })
}

const FROM = 'ETHEREUM_SEPOLIA'
const TO = 'ARBITRUM_SEPOLIA'

/** A swap whose server is killed at this call and started again: it completes, and its payout is mined once, from one slot. */
export async function survives(world: World, crashAt: string): Promise<void> {
  const usdc = world.token(TO, 'USDC')
  const recipient = world.stranger()
  const doomed = await serve(world, crashAt)
  const client = clientOf(world.sandbox.url)
  const swap = await eventually(
    () =>
      client.create({
        source_network: FROM,
        source_token: 'ETH',
        destination_network: TO,
        destination_token: 'USDC',
        destination_address: recipient,
        amount: 0.1,
      }),
    'a swap to be created',
  )
  await world.deposit(world.token(FROM, 'ETH'), actionOf(swap))
  expect(await ended(doomed)).toBe('SIGKILL')
  const healthy = await serve(world)
  const done = await client.reaches(swap.swap.id, 'completed')
  expect(done.swap.transactions.filter(({ type }) => type === 'output')).toHaveLength(1)
  expect(await world.balance(usdc, recipient)).toBe(unitsOf(swap.quote.receive_amount, usdc))
  await finish(world, healthy)
  const attempts = await world.query<{ slots: string }>(
    `select count(distinct slot_id) as slots from slot_payout join payout on payout.id = payout_id where swap_id = $1`,
    [swap.swap.id],
  )
  expect(attempts).toEqual([{ slots: '1' }])
}
