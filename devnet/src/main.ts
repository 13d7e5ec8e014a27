/** `npm start`: runs the sandbox. Reads the environment, shows progress, and stops cleanly on a signal. */
import { memoryOf, totalOf } from './memory.ts'
import { buildPages } from './pages.ts'
import { reportTo, secondsOf } from './report.ts'
import { startSandbox } from './sandbox.ts'
import { SandboxError } from './steps.ts'
import { welcome } from './welcome.ts'

const HELP = `Starts the sandbox: a database, local chains, funded wallets and the service, until it is told to stop (Ctrl-C).
Nothing in it is worth anything, and nothing outside this machine is reached.

  npm start

From the environment:
  PORT             where it is served: 8080
  NETWORKS         whose names the chains have: networks/sandbox, or networks/mainnet
  FAMILIES         only these kinds of networks: evm,bitcoin
  LOG_LEVEL        what the service says: debug tells most
  Any other setting of the service, as in DEPOSIT_WINDOW_SECONDS=30: docs/operate/configure.md
`
const DEFAULT_PORT = '8080'
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const words = process.argv.slice(2)
if (words.length > 0) {
  const isHelp = words.some((word) => ['--help', '-h', 'help'].includes(word))
  console.log(isHelp ? HELP : `not understood: ${words.join(' ')}\n\n${HELP}`)
  process.exit(isHelp ? 0 : 1)
}
const began = performance.now()
const stopping = new AbortController()
for (const signal of STOP_SIGNALS) {
  process.on(signal, () => {
    // A second signal stops at once.
    if (stopping.signal.aborted) process.exit(1)
    stopping.abort()
  })
}

const { env } = process
console.log('Starting the sandbox')
try {
  await buildPages(reportTo(process.stdout))
  const sandbox = await startSandbox({
    port: Number(env.PORT ?? DEFAULT_PORT),
    ...(env.NETWORKS ? { networks: env.NETWORKS } : {}),
    env,
    onProgress: reportTo(process.stdout),
    signal: stopping.signal,
  })
  console.log(welcome(sandbox, reachable(sandbox.url)))
  console.log(`Ready after ${secondsOf(performance.now() - began).trim()}${await held()}.`)
  await toldToStop(stopping.signal)
  console.log('\nStopping')
  await sandbox.stop()
  process.exit(0)
} catch (error) {
  if (stopping.signal.aborted) process.exit(0)
  console.error(`\nThe sandbox did not start.\n${error instanceof SandboxError ? error.message : String(error)}`)
  if (env.LOG_LEVEL === 'debug') console.error(error)
  process.exit(1)
}

/**
 * The memory in use, shown at the start because forty local chains need much; empty if the system does not report it.
 */
async function held(): Promise<string> {
  const memory = await memoryOf(process.pid)
  if (memory.size === 0) return ''
  const parts = [...memory].map(([kind, megabytes]) => `${kind} ${Math.round(megabytes)}`)
  return `, with ${Math.round(totalOf(memory))} MB of memory (${parts.join('; ')})`
}

function toldToStop(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** The address to open: a server that listens on all interfaces is reached via loopback. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:').replace('//:::', '//[::1]:')
}
