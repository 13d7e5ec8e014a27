/**
 * Starts one of the service's programs on the machine's own Node: `node server/launch.mjs serve`, `signer`, `admin`,
 * `keystore` or `approver`. Plain JavaScript, so that a Node that is too old can read it and say so. The program runs in this very
 * process: what signals it, signals the service.
 */
import * as modules from 'node:module'

const OLDEST = [22, 18]

const PROGRAMS = {
  serve: () => import('./src/main.ts'),
  signer: () => import('./src/keys/signer-process/signer-server.ts'),
  admin: () => import('./src/admin/cli/main.ts'),
  keystore: () => import('./src/keys/keystore/cli.ts'),
  approver: () => import('./src/keys/approvals/approver.ts'),
}

const [major, minor] = process.versions.node.split('.').map(Number)
const [name] = process.argv.splice(2, 1)
const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : null

if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
  refuse(`Causeway runs on Node ${OLDEST.join('.')} or newer; this is ${process.version}`)
} else if (!program) {
  refuse(`usage: node server/launch.mjs ${Object.keys(PROGRAMS).join('|')}`)
} else {
  // Packages that are built for others (the SDK) run from their sources here.
  const source = (context) => ({ ...context, conditions: [...context.conditions, 'causeway-source'] })
  modules.registerHooks({ resolve: (specifier, context, next) => next(specifier, source(context)) })
  await program()
}

function refuse(reason) {
  console.error(reason)
  process.exitCode = 1
}
