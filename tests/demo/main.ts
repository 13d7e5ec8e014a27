/**
 * `npm run demo`: swaps through every kind of pair and funding method, and through the ways a swap can fail, each
 * checked on the chains. Uses a running sandbox (`--url`, or the default address), or starts its own.
 */
import { parseArgs } from 'node:util'
import { reportTo, startSandbox } from '@causeway/devnet'
import { openBoard } from './board.ts'
import { type About, type Client, clientOf } from './client.ts'
import { needsClosedWindow, planOf } from './plan.ts'
import { type Result, runScenario } from './run.ts'
import { resultTable } from './table.ts'

const USUAL_URL = 'http://127.0.0.1:8080'
/** Long enough to make every deposit in time, short enough to wait for. */
const OWN_WINDOW_SECONDS = 20
const LONGEST_WINDOW_SECONDS = 60

const { values } = parseArgs({ options: { url: { type: 'string' }, help: { type: 'boolean', short: 'h' } } })
if (values.help) {
  console.log(`npm run demo [-- --url ${USUAL_URL}]\n\nUses the sandbox at that address, or starts one of its own.`)
  process.exit(0)
}
try {
  const place = await openPlace(values.url)
  const results = await demonstrate(place.client, place.about).finally(() => place.close())
  const wrong = results.filter(({ problems }) => problems.length > 0).length
  console.log(`\n${resultTable(results)}\n`)
  console.log(
    wrong === 0
      ? `All ${results.length} swaps ended as they should.`
      : `${wrong} of ${results.length} swaps went wrong.`,
  )
  process.exit(wrong === 0 ? 0 : 1)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}

interface Place {
  client: Client
  about: About
  close(): Promise<void>
}

async function openPlace(url: string | undefined): Promise<Place> {
  const running = clientOf(url ?? USUAL_URL)
  const about = await running.about().catch((error: unknown) => {
    if (url !== undefined) throw new Error(`there is no sandbox at ${url}`, { cause: error })
    return null
  })
  if (about) {
    console.log(`Using the sandbox at ${url ?? USUAL_URL}`)
    return { client: running, about, close: async () => undefined }
  }
  console.log(`No sandbox at ${USUAL_URL}: starting one, with a deposit window of ${OWN_WINDOW_SECONDS} s`)
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  const sandbox = await startSandbox({
    env: { LOG_LEVEL: 'error', DEPOSIT_WINDOW_SECONDS: String(OWN_WINDOW_SECONDS) },
    onProgress: reportTo(process.stdout),
    signal: stopping.signal,
  })
  stopping.signal.addEventListener('abort', () => void sandbox.stop().then(() => process.exit(1)))
  const client = clientOf(sandbox.url)
  return { client, about: await client.about(), close: sandbox.stop }
}

async function demonstrate(client: Client, about: About): Promise<Result[]> {
  const plan = planOf(await client.networks())
  const windowSeconds = about.deposit_window_seconds
  const canWait = windowSeconds <= LONGEST_WINDOW_SECONDS
  const scenarios = plan.filter((scenario) => canWait || !needsClosedWindow(scenario))
  const leftOut = plan.length - scenarios.length
  if (leftOut > 0) {
    console.log(
      `${leftOut} swaps are left out: they end when the deposit window closes, here after ${windowSeconds} s.`,
    )
    console.log(`Start the sandbox with DEPOSIT_WINDOW_SECONDS=${OWN_WINDOW_SECONDS} to see them.`)
  }
  console.log(`${scenarios.length} swaps, all at once\n`)
  const accounts = (await client.accounts()).map((entry) => entry.accounts.length)
  const board = openBoard(process.stdout, scenarios)
  const results = await Promise.all(
    scenarios.map(async (scenario, index) => {
      const onStatus = (status: string) => board.set(index, status)
      const options = { account: index % Math.min(...accounts), windowMs: windowSeconds * 1000, onStatus }
      const result = await runScenario(client, scenario, options)
      board.set(index, `${result.details?.swap.status ?? 'not created'} ${result.problems.length === 0 ? '✓' : '✗'}`)
      return result
    }),
  )
  board.close()
  return results
}
