/**
 * Keys and journal are in a signer process. The service is killed between a signature and its storing, and between the storing and
 * the broadcast, while several swaps are under way; the signer is killed, too. Everything continues without a person, and is paid once.
 */
import type { ChildProcess } from 'node:child_process'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ended, finish, serve } from '../../support/processes/crashing.ts'
import { createSignerProcess, type SignerProcess } from '../../support/processes/signer.ts'
import { openUsers, SLOW_MS, type Users } from '../../support/processes/users.ts'
import { startWorld, type World } from '../../support/processes/world.ts'
import { eventually } from '../../support/runner/eventually.ts'

const [FROM, TO] = ['ETHEREUM_SEPOLIA', 'ARBITRUM_SEPOLIA'] as const
const PLENTY = { max: '1000000', max_per_hour: '1000000000' }
const SWAPS = 3

let world: World
let users: Users
let signer: SignerProcess

beforeAll(async () => {
  world = await startWorld({ STUCK_AFTER_SECONDS: '3' }, false, [FROM, TO])
  users = openUsers(world, FROM, TO)
  const tokens = { ETH: PLENTY, USDC: PLENTY }
  signer = createSignerProcess(world.sandbox.env.NETWORKS ?? '')
  await signer.start({ [FROM]: { tokens }, [TO]: { tokens } })
}, SLOW_MS)
afterAll(async () => {
  await signer?.kill()
  await world?.stop()
}, SLOW_MS)

/** A service whose keys are in the signer process. */
function serveWithSigner(crashAt?: string): Promise<ChildProcess> {
  return serve(world, crashAt, signer.env())
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
    await signer.start()
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
