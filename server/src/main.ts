/** The program: reads the environment, starts the roles, and stops cleanly on a signal. */

import { SECRET_FILES, withFile } from './config/file.ts'
import { ConfigError, parseConfig, SETTINGS } from './config.ts'
import { lineOf } from './doctor/check.ts'
import { examine } from './doctor/doctor.ts'
import { drill } from './doctor/drill.ts'
import { onSignal } from './observe/signals.ts'
import { startupErrors } from './observe/startup-errors.ts'
import { startService } from './service.ts'
import { prepareDatabase } from './store/db/database.ts'

const HELP = `Runs the service until it is told to stop (SIGTERM, Ctrl-C).

  npm run serve                with settings in the environment, or in a file that CONFIG_FILE names
  npm run doctor               checks the same settings and everything that they name, and changes nothing; --json for programs
  npm run serve -- --migrate   brings the database up to this release and ends; processes of the release before go on
  npm run drill                restores the newest backup and the signing journal to a scratch database, and reports; --json for programs

What each setting means is in docs/operate/configure.md. DATABASE_URL and keys are needed, everything else has a default:

${SETTINGS.map((name) => `  ${name}`).join('\n')}
  NODES_<NETWORK>
  PRIVATE_SUBMISSION_<NETWORK>
  AGGREGATOR_KEY_<NAME>

A secret may be in a file of its own: ${SECRET_FILES.join(', ')}, NODES_<NETWORK>_FILE, PRIVATE_SUBMISSION_<NETWORK>_FILE, AGGREGATOR_KEY_<NAME>_FILE
`

const words = process.argv.slice(2)
if (words.includes('--help') || words.includes('-h')) {
  console.log(HELP)
} else if (isReport(words[0]) && words.slice(1).every((word) => word === '--json')) {
  const checks = await (words[0] === '--drill' ? drill : examine)(process.env)
  const isSound = checks.every(({ state }) => state !== 'fail')
  const lines = checks.map(lineOf)
  console.log(words.includes('--json') ? JSON.stringify({ ok: isSound, checks }, null, 2) : lines.join('\n'))
  // Chains keep connections open.
  process.exit(isSound ? 0 : 1)
} else if (words.length === 1 && words[0] === '--migrate') {
  await orTell(async () => {
    await prepareDatabase(parseConfig(process.env).databaseUrl)
    console.log('the database is up to date')
  })
} else if (words.length > 0) {
  console.error(`unexpected argument: ${words.join(' ')}. Settings come from the environment; --help lists them`)
  process.exitCode = 1
} else {
  await orTell(async () => {
    const service = await startService(parseConfig(process.env))
    onSignal(() => service.stop())
  })
}

async function orTell(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    console.error(told(error))
    process.exit(1)
  }
}

function isReport(word: string | undefined): boolean {
  return word === '--check' || word === '--drill'
}

/** The text of a failed start: one line for an error that an operator can fix; a stack trace for any other. */
function told(error: unknown): unknown {
  if (error instanceof ConfigError) return error.message
  const { env } = withFile(process.env)
  const trouble = startupErrors(error, { databaseUrl: env.DATABASE_URL, signerUrl: env.SIGNER_URL })
  return trouble === null ? error : `the service did not start: ${trouble}`
}
