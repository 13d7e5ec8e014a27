/** What the sandbox and the tests use of the server. */
export { readCatalogue } from './catalogue/catalogue.ts'
export { type Families, loadFamily } from './catalogue/chains.ts'
export { SANDBOX_MNEMONIC } from './config/sandbox.ts'
export { type Config, ConfigError, parseConfig } from './config.ts'
export { mnemonicSigner } from './keys/mnemonic.ts'
export { type Service, type StartOptions, startService } from './service.ts'
export type { Services } from './services.ts'
export { hasBeenRead } from './store/cursors.ts'
