/**
 * Compatibility with published clients: every request that they make, spelled as they spell it, against a running
 * service, and every field that they read. One sandbox for all tests.
 */
import type { Sandbox } from '@causeway/devnet'
import { afterAll, beforeAll } from 'vitest'
import { depositsOfClients } from './deposits.ts'
import { explorers } from './explorers.ts'
import { startOne } from './service.ts'
import { transport } from './transport.ts'
import { widget } from './widget.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startOne()
})
afterAll(() => sandbox?.stop())

transport(() => sandbox)
widget(() => sandbox)
depositsOfClients(() => sandbox)
explorers(() => sandbox)
