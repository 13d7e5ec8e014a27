/** Tests of the checker itself: situations that are correct in its world and must not be reported. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { delist, relandOtherwise, takeSlot } from '../faults/disasters.ts'
import { CALM } from '../faults/storm.ts'
import { ALL_GUARDS } from '../guards/guards.ts'
import { sendFromWallet } from '../people/wallet.ts'
import { type Cluster, startCluster } from '../world/database.ts'
import { openWorld } from '../world/setup.ts'
import { runStep } from '../world/steps.ts'
import { chainIn, missingUnits, tokensOf, type World } from '../world/world.ts'
import { checkChains } from './chains.ts'

let cluster: Cluster
let world: World

beforeAll(async () => {
  cluster = await startCluster()
})
afterAll(() => cluster.stop())
beforeEach(async () => {
  world = await openWorld(cluster, { seed: 1, guards: ALL_GUARDS, storm: CALM })
  world.trouble.active = false
})
afterEach(() => world.stop())

async function watch(network: string): Promise<void> {
  const [process] = world.processes
  if (process) await runStep(world, process, 'watches', async ({ watchers }) => watchers.get(network)?.turn())
}

it('a foreign transaction that is signed again after a reorg costs its fee once', async () => {
  const chain = chainIn(world, 'ALPHA')
  world.random.pick = ([first]) => first as never
  const treasury = world.base.chains.get('ALPHA')?.treasury ?? ''
  const slot = { network: 'ALPHA', account: treasury, state: 'open', parts: '["0"]', payouts: [] }
  world.oracle.record.slots.set('1', { ...slot, id: '1' })
  await takeSlot(world)
  chain.reorg(1, 'dropped')
  await takeSlot(world)
  const fee = 100n * chain.feePerMove
  expect(missingUnits(world, 'ALPHA', null)).toBe(-fee)
  const opening = world.openingBalances.get('ALPHA/native') ?? 0n
  expect(chain.balance(treasury, null)).toBe(opening + fee)
})

it('a process may have read a transaction before it fell out of its block', async () => {
  const treasury = world.base.chains.get('ALPHA')?.treasury ?? ''
  const chain = chainIn(world, 'ALPHA')
  await watch('ALPHA')
  world.random.between = (low) => low
  world.random.pick = (list) => (list.find((one) => one === ('more' as never)) ?? list[0]) as never
  const hash = sendFromWallet(world, {
    network: 'ALPHA',
    memo: null,
    moves: [{ to: treasury, contract: null, units: 7n }],
    swap: null,
  })
  chain.mine()
  relandOtherwise(world)
  chain.mine()
  const node = world.processes[0]?.life.nodes.get('ALPHA')
  expect(chain.find(hash)?.landed.transaction.moves[0]?.units).toBe(8n)
  // The asked node still shows the orphaned block.
  if (node)
    node.hooks.afterCall = (call) => {
      if (call === 'blocks' && chain.find(hash)) chain.reorg(1, 'dropped')
    }
  await watch('ALPHA')
  expect(world.oracle.problems).toEqual([])
  const [row] = await world.query<{ units: string }>('select units from deposit')
  expect(row?.units).toBe('8')
})

it('nothing is asked of a deposit in a token that no file names any more', async () => {
  const token = tokensOf(world.base).find(({ network, contract }) => network === 'BETA' && contract !== null)
  const treasury = world.base.chains.get('BETA')?.treasury ?? ''
  if (!token) throw new Error('a network without a token')
  await watch('BETA')
  const move = { to: treasury, contract: token.contract, units: 7n }
  sendFromWallet(world, { network: 'BETA', memo: null, moves: [move], swap: null })
  chainIn(world, 'BETA').mine(20)
  await watch('BETA')
  expect(await world.query('select state from deposit')).toEqual([{ state: 'confirmed' }])
  world.random.pick = () => token as never
  world.random.chance = () => true
  await delist(world)
  expect(await checkChains(world)).toEqual([])
})
