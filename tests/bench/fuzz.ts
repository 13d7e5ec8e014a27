/**
 * A hundred thousand generated requests, one after the other: no 500, 503 only with `Retry-After`, and every response
 * in a documented shape. Reports the slowest response, and whether memory grows. `FUZZ_SEED` and `FUZZ_REQUESTS` change
 * the run.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { startApi } from '../support/service/api.ts'
import { createFuzz, failure } from '../support/service/fuzz.ts'

const SEED = Number(process.env.FUZZ_SEED ?? 20_261_115)
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 100_000)
/** By then all caches are filled. */
const WARM = REQUESTS / 5
const MOST_GROWTH = 1.1
const MOST_TOLD = 20

export async function fuzz(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const usedMb = () => {
    collect()
    collect()
    return process.memoryUsage().heapUsed / 2 ** 20
  }
  const api = await startApi()
  try {
    const next = await createFuzz(api, SEED)
    const statuses = new Map<number, number>()
    const troubles: string[] = []
    let slowest = { ms: 0, what: '' }
    let warmMb = 0
    const began = performance.now()
    for (let n = 1; n <= REQUESTS; n++) {
      const { operation, request } = next()
      const before = performance.now()
      const answer = await api.server.inject(request)
      const ms = performance.now() - before
      const { statusCode: status } = answer
      if (ms > slowest.ms) slowest = { ms, what: `${operation.key} ${String(request.url).slice(0, 120)} → ${status}` }
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      const isTold = status === 503 && answer.headers['retry-after'] !== undefined
      const isShaped = (status === 200 ? operation.answer : failure).safeParse(answer.json()).success
      if ((status >= 500 && !isTold) || !isShaped) {
        troubles.push(`${n}: ${JSON.stringify(request).slice(0, 300)} → ${status} ${answer.body.slice(0, 300)}`)
      }
      if (n === WARM) warmMb = usedMb()
      if (n % WARM === 0) console.log(`  ${n} requests, ${Math.round((performance.now() - began) / 1000)} s`)
    }
    const endMb = usedMb()
    const told = [...statuses].sort(([one], [other]) => one - other).map(([status, count]) => `${status}: ${count}`)
    console.log(`  seed ${SEED}; ${told.join(', ')}`)
    console.log(`  slowest ${slowest.ms.toFixed(0)} ms: ${slowest.what}`)
    const growth = endMb / warmMb
    console.log(
      `  memory ${warmMb.toFixed(1)} MB after ${WARM}, ${endMb.toFixed(1)} MB after ${REQUESTS}: ${growth.toFixed(2)} × (at most ${MOST_GROWTH})`,
    )
    for (const trouble of troubles.slice(0, MOST_TOLD)) console.log(`  WRONG ${trouble}`)
    console.log(`  ${troubles.length} answers that must not be`)
    if (troubles.length > 0 || growth > MOST_GROWTH) process.exitCode = 1
  } finally {
    await api.stop()
  }
}
