/** `npm run keystore`: creates an encrypted keystore from a new or an existing recovery phrase, and checks one. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ENVIRONMENTS } from '@causeway/core'
import { generateMnemonic, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { ConfigError } from '../../config.ts'
import { openKeystore, sealKeystore } from './keystore.ts'

const HELP = `Keeps the service's recovery phrase in an encrypted file.

  npm run keystore -- create --file keystore.json --password-file password.txt [--import phrase.txt] [--environment mainnet|testnet]
  npm run keystore -- check  --file keystore.json --password-file password.txt

create   makes a new 24-word phrase, or seals the one in --import, and writes --file (never over an existing one).
         A new phrase is printed once: write it down, it is the only way to the money if the file is lost.
         With --environment it opens there alone: what a phrase signs for a test network could be good on a main one.
check    opens the file and says whether the password fits. Prints no secret.

The service then runs with SIGNER=keystore KEYSTORE_FILE=… KEYSTORE_PASSWORD_FILE=…
`
/** Shorter passwords can be guessed even with scrypt. */
const MIN_PASSWORD = 12

try {
  run()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}

function run(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      file: { type: 'string' },
      'password-file': { type: 'string' },
      import: { type: 'string' },
      environment: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const [command] = positionals
  if (values.help || !command) {
    console.log(HELP)
    return
  }
  if (!values.file || !values['password-file'])
    throw new ConfigError(`--file and --password-file are needed\n\n${HELP}`)
  const password = readFileSync(values['password-file'], 'utf8').trim()
  if (command === 'create') {
    create(values.file, password, values)
  } else if (command === 'check') {
    openKeystore(readFileSync(values.file, 'utf8'), password)
    console.log('the keystore opens with this password')
  } else {
    throw new ConfigError(`there is no command ${command}\n\n${HELP}`)
  }
}

type Wishes = { import?: string | undefined; environment?: string | undefined }

function create(file: string, password: string, { import: source, environment: wanted }: Wishes): void {
  const environment = ENVIRONMENTS.find((name) => name === wanted)
  if (wanted && !environment) throw new ConfigError(`--environment is one of ${ENVIRONMENTS.join(', ')}`)
  if (existsSync(file)) throw new ConfigError(`${file} exists already and is not overwritten`)
  if (password.length < MIN_PASSWORD)
    throw new ConfigError(`the password must have at least ${MIN_PASSWORD} characters`)
  const phrase = source ? readFileSync(source, 'utf8').trim().replace(/\s+/g, ' ') : generateMnemonic(wordlist, 256)
  if (!validateMnemonic(phrase, wordlist)) throw new ConfigError('the file to import holds no valid BIP-39 phrase')
  writeFileSync(file, sealKeystore(phrase, password, environment), { mode: 0o600, flag: 'wx' })
  console.log(`${file} is written.`)
  if (!source) console.log(`\nThe recovery phrase, shown only now:\n\n  ${phrase}\n`)
}
