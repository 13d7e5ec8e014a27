/** `npm run signer`: the second process that holds the keys and signs only what its own policy allows. */
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { readCatalogue } from '../../catalogue/catalogue.ts'
import { loadFamily, onlyFamilies } from '../../catalogue/chains.ts'
import { ConfigError } from '../../config.ts'
import { createLog } from '../../observe/log.ts'
import { onSignal } from '../../observe/signals.ts'
import { readJson, readToken } from '../backends/files.ts'
import { openSigner } from '../backends/signer.ts'
import { createDigestVerifier } from './digest-verifier.ts'
import { openJournal } from './journal.ts'
import { readPolicy } from './policy.ts'
import { refuseSharedDomains } from './replay-domains.ts'
import { createSignerApp } from './signer-app.ts'
import { parseSignerConfig, type SignerConfig } from './signer-config.ts'

const HELP = `Holds the keys in a process of its own and signs what its policy allows. docs/operate/keys.md says how to set it up.

  npm run signer                 runs it
  npm run signer -- check        reads the configuration and the policy, prints the wallets, signs nothing
  npm run signer -- release --network NAME --account ADDRESS --slot PART [--slot PART …]
                                 forgets that a slot was signed for (the signer must be stopped). Only with proof that the
                                 signature was never used: what was signed first could still land.

From the environment, or from a file that CONFIG_FILE names:
  SIGNER                 keystore (with KEYSTORE_FILE, KEYSTORE_PASSWORD_FILE), kms or mnemonic
  SIGNER_TOKEN_FILE      the token that the service must show, 32 characters or more
  SIGNER_POLICY_FILE     what may be signed (JSON)
  SIGNER_JOURNAL_FILE    what was signed: keep it, it is what stops a slot from being used twice
  SIGNER_HOST, SIGNER_PORT   127.0.0.1, 8790
  NETWORKS, FAMILIES, ENVIRONMENT, LOG_LEVEL   as for the service
`

try {
  await run()
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error)
  process.exit(1)
}

async function run(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      network: { type: 'string' },
      account: { type: 'string' },
      slot: { type: 'string', multiple: true },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return console.log(HELP)
  const [command] = positionals
  if (command !== undefined && command !== 'check' && command !== 'release') {
    throw new ConfigError(`there is no command ${command}\n\n${HELP}`)
  }
  const config = parseSignerConfig(process.env)
  if (command === 'check') return check(config)
  if (command === 'release') return release(config, values.network, values.account, values.slot ?? [])
  return serve(config)
}

async function openParts(config: SignerConfig) {
  const signer = await openSigner(config)
  const families = onlyFamilies(config.families)
  const catalogue = await readCatalogue(config.networksFolder, {}, families)
  await refuseSharedDomains(catalogue, families)
  const policy = await readPolicy(readJson(config.signerPolicyFile, 'SIGNER_POLICY_FILE'), catalogue, families)
  const token = readToken(config.signerTokenFile, 'SIGNER_TOKEN_FILE')
  const log = createLog(config.logLevel)
  return { signer, catalogue, policy, token, log, ...createDigestVerifier(catalogue, families, signer, log) }
}

async function serve(config: SignerConfig): Promise<void> {
  const parts = await openParts(config)
  const journal = await openJournal(config.signerJournalFile)
  const app = createSignerApp({ ...parts, journal, now: () => new Date() })
  await app.listen({ host: config.signerHost, port: config.signerPort })
  const { port } = app.server.address() as AddressInfo
  parts.log.info({ host: config.signerHost, port }, 'signer started')
  onSignal(async () => {
    await app.close()
    journal.close()
  })
}

async function check(config: SignerConfig): Promise<void> {
  const { catalogue, signer } = await openParts(config)
  for (const network of catalogue.networks) {
    const family = await loadFamily(network.type)
    console.log(`${network.name.padEnd(24)} ${await family.treasury(network, signer)}`)
  }
  console.log('the configuration and the policy are good')
}

async function release(
  config: SignerConfig,
  network: string | undefined,
  account: string | undefined,
  slot: string[],
): Promise<void> {
  if (!network || !account || slot.length === 0) {
    throw new ConfigError(`--network, --account and --slot are needed\n\n${HELP}`)
  }
  const journal = await openJournal(config.signerJournalFile)
  const isReleased = journal.release(new Date(), network, account, slot)
  journal.close()
  if (!isReleased) throw new ConfigError('nothing was signed for this slot')
  console.log(`${network} ${account}: the slot ${slot.join(' ')} may be signed for another order`)
}
