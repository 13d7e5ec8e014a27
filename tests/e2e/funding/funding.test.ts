/** Every way to fund a swap on EVM networks, over HTTP and on real local chains. One sandbox for all of it. */
import { afterAll, beforeAll, describe } from 'vitest'
import { startWorld, type World } from '../../support/processes/world.ts'
import { depositsByDepository } from './depository.ts'
import { depositsThatGoWrong } from './deposits.ts'
import { depositsBySignature } from './gasless.ts'
import { signaturesThatCheat } from './gasless-cheats.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.stop())

describe('deposits that cheat or go wrong', () => depositsThatGoWrong(() => world))
describe('the Depository contract', () => depositsByDepository(() => world))
describe('signatures', () => depositsBySignature(() => world))
describe('signatures that cheat', () => signaturesThatCheat(() => world))
