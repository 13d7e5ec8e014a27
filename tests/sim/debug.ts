import { startCluster } from './database.ts'
import { ALL_GUARDS } from './guards.ts'
import { openWorld } from './world.ts'

const c = await startCluster()
const t = performance.now()
const w = await openWorld(c, 1, ALL_GUARDS)
console.log('opened', performance.now() - t)
await w.stop()
console.log('stopped', performance.now() - t)
await c.stop()
console.log('end')
