/** One fault at work: this process loads the project with one line changed in memory, and runs seeds until that is noticed. */
import { registerHooks } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { FAULTS } from './faults.ts'

const [number = '', url = '', seeds = '6'] = process.argv.slice(2)
const fault = FAULTS[Number(number) - 1]
if (!fault) throw new Error(`there is no fault ${number}`)
const changed = pathToFileURL(path.join(import.meta.dirname, '../../..', fault.file)).href
let isLoaded = false
registerHooks({
  load(address, context, next) {
    const loaded = next(address, context)
    if (address !== changed || loaded.source === undefined) return loaded
    const text = loaded.source === null ? '' : Buffer.from(loaded.source as Uint8Array).toString()
    if (text.split(fault.find).length !== 2)
      throw new Error(`the text of fault ${number} does not stand in ${fault.file} once`)
    isLoaded = true
    return { ...loaded, source: text.replace(fault.find, () => fault.replace) }
  },
})

// Only now, so that what is loaded from here on comes by the hook.
const { joinCluster } = await import('../database.ts')
const { run } = await import('../run.ts')
if (!isLoaded) throw new Error(`nothing loads ${fault.file}`)
const cluster = joinCluster(url)
const { seed: first = 1, swaps = 20, ...options } = fault.options ?? {}
let caught = null
for (let seed = first; seed < first + Number(seeds) && !caught; seed++) {
  const { world, problems } = await run(cluster, { seed, swaps, isHasty: true, ...options })
  await world.stop()
  const [problem] = problems
  if (problem) caught = { seed, what: problem.what }
}
console.log(JSON.stringify(caught))
