/** Our contracts are deployed, paused and redirected by calls that the treasury signs, and by nothing else. */
import { Bug, type ChainAdapter, type DepositoryChange, type Order, PayoutImpossible } from '@causeway/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEPOSITORY } from './test-network.ts'
import { type Drawn, draw, startChain, statusOf, type Testbed } from './testbed.ts'

let bed: Testbed
beforeAll(async () => {
  bed = await startChain()
})
afterAll(() => bed?.local.stop())

const callOrder = (call: string): Order => ({ kind: 'transfers', account: bed.treasury, transfers: [], call })

async function changed(adapter: ChainAdapter, wanted: DepositoryChange): Promise<Drawn> {
  const [one, ...more] = (await adapter.depository?.change(wanted)) ?? []
  if (!one || more.length > 0) throw new Error('one change')
  const drawn = await draw(adapter, callOrder(one.call))
  await adapter.broadcast(drawn.signed)
  expect((await statusOf(adapter, drawn)).state).toBe('included')
  return drawn
}

const toldAddress = (hash: string) =>
  String(
    bed.log.lines.find(({ message, fields }) => message.startsWith('contract created') && fields.hash === hash)?.fields
      .address,
  )

test('a factory and a Depository are deployed by the treasury, reported by address, and work', async () => {
  const { genesis } = bed.network.settings
  const bare = await bed.open({ settings: { genesis } })
  const factory = toldAddress((await changed(bare, { action: 'factory' })).signed.hash)
  const depository = toldAddress((await changed(bare, { action: 'deploy' })).signed.hash)
  const settings = { genesis, forwarder_factory: factory, depository }
  const full = await bed.open({ settings })
  await full.contractSurvey?.surveyContracts()
  expect(full.depositAddresses?.isReady?.()).toBe(true)
  expect(full.depository?.accepts(bed.usdt)).toBe(true)
  expect(await full.depository?.report()).toMatchObject({
    ...{ depository, factory, open: true, depository_deployed: true, paused: false },
    ...{ owner: bed.treasury, treasury_is_receiver: true, factory_ready: true },
  })
  // Both are deployed: nothing to do.
  expect(await full.depository?.change({ action: 'factory' })).toEqual([])
  expect(await full.depository?.change({ action: 'deploy' })).toEqual([])
  const address = (await full.depositAddresses?.derive(5)) ?? ''
  await bed.local.transfer(bed.user, bed.usdt, address, 3_000_000n)
  const before = await bed.balance(bed.treasury, bed.usdt)
  const sources = [{ address, index: 5 }]
  const sweep = await draw(full, { kind: 'sweep', account: bed.treasury, token: bed.usdt, sources })
  await full.broadcast(sweep.signed)
  expect(await bed.balance(bed.treasury, bed.usdt)).toBe(before + 3_000_000n)
})

test('its owner pauses and resumes it; a call that the contract refuses is not signed', async () => {
  const { adapter, usdt, treasury, user } = bed
  await adapter.contractSurvey?.surveyContracts()
  expect(adapter.depository?.accepts(usdt)).toBe(true)
  await changed(adapter, { action: 'pause' })
  await adapter.contractSurvey?.surveyContracts()
  expect(adapter.depository?.accepts(usdt)).toBe(false)
  const [again] = (await adapter.depository?.change({ action: 'pause' })) ?? []
  await expect(adapter.prepare(callOrder(again?.call ?? ''), null)).rejects.toThrow(PayoutImpossible)
  await changed(adapter, { action: 'unpause' })
  await changed(adapter, { action: 'rotate', from: treasury, to: user.address })
  await adapter.contractSurvey?.surveyContracts()
  expect(adapter.depository?.accepts(usdt)).toBe(false)
})

test('no call goes to a contract that is not ours', async () => {
  const { adapter, usdt, user } = bed
  const parameter = `${'0'.repeat(64)}${'1'.padStart(64, '0')}`
  const wrong = [
    { to: usdt.contract, signature: 'transfer(address,uint256)', parameter },
    { to: user.address, signature: 'pause()', parameter: '' },
    { to: DEPOSITORY, signature: 'pause()', parameter: '0' },
    { make: 'anything' },
  ]
  for (const call of wrong) await expect(adapter.prepare(callOrder(JSON.stringify(call)), null)).rejects.toThrow(Bug)
})
