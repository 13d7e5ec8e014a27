/** Finds the command that the operator typed, or prints the help. */
import { appCommands } from '../commands/app.ts'
import { campaignCommands } from '../commands/campaign.ts'
import { depositoryCommands } from '../commands/depository.ts'
import { journalCommands } from '../commands/journal.ts'
import { keyCommands } from '../commands/key.ts'
import { limitCommands } from '../commands/limit.ts'
import { operatorCommands } from '../commands/operator.ts'
import { payoutCommands } from '../commands/payout.ts'
import { auditCommands, booksCommands } from '../commands/records.ts'
import { requestCommands } from '../commands/request.ts'
import { networkCommands, routeCommands } from '../commands/route.ts'
import { swapCommands } from '../commands/swap.ts'
import { switchCommands } from '../commands/switch.ts'
import { unmatchedCommands } from '../commands/unmatched.ts'
import { walletCommands } from '../commands/wallet.ts'
import { webhookCommands } from '../commands/webhook.ts'
import { type Command, type CommandContext, UsageError } from '../context/command-context.ts'
import { type Given, parseWords, refuseFiles, refuseSecretProse, refuseSecrets } from '../context/grammar.ts'
import { refuseImplausible } from '../context/plausible.ts'
import { type Role, roleFor, roleToAsk, suffices } from '../context/roles.ts'
import { requestApproval, weigh } from '../dual-control/dual-control.ts'
import { archiveCommands } from '../keep/archive.ts'
import { eraseCommands } from '../keep/erase.ts'
import { restoreCommands } from '../restore/restore.ts'
import { canaryCommands } from '../treasury/canary.ts'
import { fundingCommands } from '../treasury/funding.ts'
import { withdrawalCommands } from '../treasury/withdraw.ts'

const NOUNS: Record<string, Record<string, Command>> = {
  app: appCommands,
  key: keyCommands,
  webhook: webhookCommands,
  switch: switchCommands,
  limit: limitCommands,
  payout: payoutCommands,
  swap: swapCommands,
  route: routeCommands,
  network: networkCommands,
  wallet: walletCommands,
  withdrawal: withdrawalCommands,
  funding: fundingCommands,
  unmatched: unmatchedCommands,
  campaign: campaignCommands,
  depository: depositoryCommands,
  canary: canaryCommands,
  restore: restoreCommands,
  journal: journalCommands,
  archive: archiveCommands,
  erase: eraseCommands,
  books: booksCommands,
  audit: auditCommands,
  operator: operatorCommands,
  request: requestCommands(
    (words) => commandFor(words),
    (desk, words) => runCommand(desk, words),
  ),
}

export interface Found {
  command: Command
  rest: string[]
  noun: string
  verb: string
  /** The lowest role that may run the command. */
  role: Role
}

/** The command that was typed; null if only help is requested, which needs no database. */
export function commandFor(words: string[]): Found | null {
  refuseSecrets(words)
  const [noun, ...more] = words
  if (!noun || noun === 'help' || words.includes('--help') || words.includes('-h')) return null
  const commands = Object.hasOwn(NOUNS, noun) ? NOUNS[noun] : undefined
  if (!commands) throw new UsageError(`there is no ${shown(noun)}\n\n${helpFor([])}`)
  // A noun may be a command without a verb, and some verbs are written as options.
  const isBare = more[0] === undefined || (more[0].startsWith('--') && !Object.hasOwn(commands, more[0]))
  const [verb, ...rest] = isBare && Object.hasOwn(commands, '') ? ['', ...more] : more
  const command = verb !== undefined && Object.hasOwn(commands, verb) ? commands[verb] : undefined
  if (!command) throw new UsageError(`there is no "${noun} ${shown(verb ?? '')}"\n\n${helpFor([noun])}`)
  return { command, rest, noun, verb: verb ?? '', role: roleFor(noun, verb ?? '') }
}

/** Help for all commands, or for those of one noun: `help payout` and `payout --help` are the same. */
export function helpFor(words: string[]): string {
  const [noun = ''] = words[0] === 'help' ? words.slice(1) : words
  const shown = Object.hasOwn(NOUNS, noun) ? [noun] : Object.keys(NOUNS)
  const lines = shown.flatMap((name) =>
    Object.values(NOUNS[name] ?? {}).map(({ usage, help }) => `  npm run admin -- ${name} ${usage}\n      ${help}`),
  )
  return `Manages apps, keys and webhooks, switches and limits, held payouts, owed swaps, wallets, unmatched deposits, reward campaigns,
our contracts, the people who may do so, what one of them asks another to confirm, what there is to do after a restored backup, and the signing journal. docs/operate explains all of it.
Needs DATABASE_URL, nothing else; "depository", "restore", "journal", "archive", "route", "network", "withdrawal", "funding", "canary", "wallet withdraw" and "wallet rotate" need the environment of the service too.
Every command takes --json: one object with the rows of its table, their total if it has one, its lines, and the id of a request for a second person.
Whoever changes something is named by OPERATOR_KEY_FILE, the ed25519 key of somebody in "operator list"; reading needs none.

${lines.join('\n')}
`
}

/** The arguments of a command that was found, as its grammar accepts them. */
export function argumentsOf({ command, rest }: Found): Given {
  return parseWords(command.takes, rest)
}

/** A mistyped word in an error; not one that may be a secret. */
function shown(word: string): string {
  return /^[\w-]{0,30}$/.test(word) ? word : 'such command'
}

export async function runCommand(desk: CommandContext, words: string[]): Promise<void> {
  const found = commandFor(words)
  if (!found) return desk.print(helpFor(words))
  const { role = 'admin', reason } = desk
  const { noun, verb } = found
  // Nothing is stored or logged before every word was accepted.
  const given = argumentsOf(found)
  // At the console an operator reaches the service, not the files of its machine.
  if (!desk.settings) refuseFiles(found.command.takes, given)
  if (reason !== undefined) refuseSecretProse('the reason', reason)
  await refuseImplausible(desk, given)
  if (!suffices(role, found.role)) {
    if (suffices(role, roleToAsk(noun, verb))) return requestApproval(desk, `${noun} ${verb}`, given)
    const who =
      desk.actor === 'nobody'
        ? "an operator's key: set OPERATOR_KEY_FILE"
        : `the role ${found.role}; ${desk.actor} is ${role}`
    throw new UsageError(`"${words.slice(0, 2).join(' ')}" needs ${who}`)
  }
  const { needsTwo, alone } = await weigh(desk, `${noun} ${verb}`, given)
  if (needsTwo) return requestApproval(desk, `${noun} ${verb}`, given)
  await found.command.run(alone ? { ...desk, alone } : desk, given)
}
