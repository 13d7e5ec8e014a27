import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDatabase, type TestDatabase } from '../../../tests/support/database/database.ts'
import { admin } from '../../../tests/support/service/accounts.ts'
import { startServices, type TestServices } from '../../../tests/support/service/services.ts'
import { explainRoute } from './explain-route.ts'

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
const why = () => explainRoute(services, 'ALPHA/USDC', 'BETA/SIM')

test('an open route has its limits, and nothing that closes it', async () => {
  expect(why()).toMatchObject({ isOffered: true, obstacles: [] })
  const printed = await admin(services, 'route', 'why', 'ALPHA/USDC', 'BETA/SIM')
  expect(printed).toMatch(/^ALPHA\/USDC to BETA\/SIM: offered\n {2}minimum [\d.]+ USDC, maximum [\d.]+ USDC\n/)
})

test('a pause is named with its reason', async () => {
  await admin(services, 'switch', 'pause', '--scope', 'network:BETA', '--what', 'swaps', '--reason', 'node trouble')
  await services.safeguards.refresh()
  expect(why()).toMatchObject({ isOffered: false, obstacles: ['paused: node trouble (switch list)'] })
  await admin(services, 'switch', 'resume', '--scope', 'network:BETA')
  await services.safeguards.refresh()
  expect(why().isOffered).toBe(true)
})

test('names that do not exist, and a route to itself, are told apart', () => {
  const { obstacles } = explainRoute(services, 'NOWHERE/USDC', 'BETA/COW')
  expect(obstacles).toEqual(['there is no network NOWHERE with a file and a node', 'BETA has no token COW'])
  expect(explainRoute(services, 'BETA/SIM', 'BETA/SIM').obstacles).toContain('both sides are the same token')
})
