/**
 * `npm run approver`: creates an operator's approval key, and signs approvals with it. Needs no network, no database
 * and no running service.
 */
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ConfigError } from '../../config.ts'
import { publicKeyOf, readApproverKey, signApproval } from './approval.ts'

const HELP = `Approves payouts towards a signer that demands it, with a key that the service does not hold.

  npm run approver -- create --file approver.pem --password-file password.txt
  npm run approver -- sign   --file approver.pem --password-file password.txt --text approval.txt

create   makes an ed25519 key and prints its public half for "approvers" of the signer's policy (never over an existing file).
sign     prints the text of "npm run admin -- payout approval" once more, for you to read, and your signature of it, for
         "npm run admin -- payout approve --id … --signature …". Check amount and recipient against what you know.
`
/** Shorter passwords can be guessed. */
const MIN_PASSWORD = 12
/**
 * Every approval begins with this text. The program signs nothing else, so the key cannot be misused for another
 * message.
 */
const OPENING = 'Causeway: I approve this payout.\nnetwork '

try {
  run()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}

function run(): void {
  const text = { type: 'string' } as const
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { file: text, 'password-file': text, text, help: { type: 'boolean', short: 'h' } },
  })
  const [command] = positionals
  if (values.help || !command) {
    console.log(HELP)
    return
  }
  if (!values.file || !values['password-file'])
    throw new ConfigError(`--file and --password-file are needed\n\n${HELP}`)
  const passphrase = readFileSync(values['password-file'], 'utf8').trim()
  if (command === 'create') {
    create(values.file, passphrase)
  } else if (command === 'sign') {
    if (!values.text) throw new ConfigError(`--text is needed\n\n${HELP}`)
    sign(readApproverKey(readFileSync(values.file, 'utf8'), passphrase), readFileSync(values.text, 'utf8'))
  } else {
    throw new ConfigError(`there is no command ${command}\n\n${HELP}`)
  }
}

function sign(key: KeyObject, text: string): void {
  const approval = `${text.trimEnd()}\n`
  if (!approval.startsWith(OPENING)) throw new ConfigError('this is no approval as "payout approval" prints it')
  console.log(`${approval}\n${signApproval(approval, key)}`)
}

function create(file: string, passphrase: string): void {
  if (existsSync(file)) throw new ConfigError(`${file} exists already and is not overwritten`)
  if (passphrase.length < MIN_PASSWORD)
    throw new ConfigError(`the password must have at least ${MIN_PASSWORD} characters`)
  const { privateKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase })
  writeFileSync(file, pem, { mode: 0o600, flag: 'wx' })
  console.log(`${file} is written. For the signer's policy:\n\n  ${publicKeyOf(privateKey)}\n`)
}
