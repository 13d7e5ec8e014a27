/** A worker as a child process over the test's database, to be killed during its work. */
import { runWorker } from '../../../server/src/flow/run/worker.ts'
import { startServices } from '../service/services.ts'

const services = await startServices(process.env.DATABASE_URL ?? '', { ALLOW_PRIVATE_WEBHOOKS: 'true' })
process.send?.('ready')
await runWorker(services, new AbortController().signal)
