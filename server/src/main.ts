/** The program: reads the environment, starts the roles, stops cleanly when told to. */
import { ConfigError, parseConfig } from './config.ts'
import { whenTold } from './observe/signals.ts'
import { startService } from './service.ts'

try {
  const service = await startService(parseConfig(process.env))
  whenTold(() => service.stop())
} catch (error) {
  // A problem of the configuration is for the operator to read; anything else needs its stack.
  console.error(error instanceof ConfigError ? error.message : error)
  process.exit(1)
}
