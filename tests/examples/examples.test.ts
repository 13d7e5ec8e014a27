/** The documentation's examples are real responses of the service. `npm run examples` records them again. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EXAMPLES_FILE, type Examples, readExamples } from '../../server/src/api/openapi/examples.ts'
import { startWorld, type World } from '../support/processes/world.ts'
import { SHOWN } from './recorder.ts'
import { shapeOf } from './shape.ts'
import { FROM, TO, tellStory } from './story.ts'

const STORY_MS = 300_000
const DAY_MS = 86_400_000
let world: World
let told: Examples

beforeAll(async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'causeway-examples-'))
  const day = (offset: number) => `${new Date(Date.now() + offset * DAY_MS).toISOString().slice(0, 10)}T00:00:00Z`
  const campaign = {
    ...{ name: 'spring', display_name: 'Spring', description: 'Half of the fee comes back', type: 'default' },
    ...{ token: { network: TO, symbol: 'USDC' }, fee_share: 0.5, budget: '1000', period_days: 7 },
    ...{ starts_at: day(-30), ends_at: day(60) },
  }
  const kraken = { name: 'KRAKEN', display_name: 'Kraken', listing_date: '2026-11-15T00:00:00Z', oauth: null }
  const exchange = { ...kraken, withdrawals: { [FROM]: ['ETH', 'USDC'], [TO]: ['USDC'] } }
  const written = (name: string, content: unknown) => {
    writeFileSync(path.join(folder, name), JSON.stringify(content))
    return path.join(folder, name)
  }
  world = await startWorld(
    {
      PUBLIC_URL: `http://${SHOWN}`,
      // Enough for a reward that is worth its gas.
      SERVICE_FEE_BPS: '100',
      // Enough for the story, and soon used up.
      RATE_LIMIT_CREATIONS: '60',
      CAMPAIGNS_FILE: written('campaigns.json', [campaign]),
      EXCHANGES_FILE: written('exchanges.json', [exchange]),
    },
    true,
    [FROM, TO],
  )
  told = await tellStory(world)
}, STORY_MS)
afterAll(() => world?.stop())

test('the service answers as the examples say, except for generated values', () => {
  const kept = readExamples()
  if (process.env.EXAMPLES === 'record') writeFileSync(EXAMPLES_FILE, `${JSON.stringify(told, null, 2)}\n`)
  else expect(shapeOf(told)).toEqual(shapeOf(kept))
})
