/**
 * Addresses that are none of their network, and tokens and addresses that are 32 bytes in hexadecimal, as a private key is: these are
 * accepted only if the network has such addresses, or lists that token. Anything else is refused before it is stored or logged.
 */
import { tokenKey } from '@causeway/core'
import { readDeposit } from '../../store/deposits/unmatched.ts'
import { knownWallets } from '../../store/ledger/treasuries.ts'
import { listLimits, listSwitches } from '../../store/limits/safeguards.ts'
import { readKnown } from '../../store/market/known-assets.ts'
import { readSwap } from '../../store/swaps/swaps.ts'
import { type CommandContext, UsageError } from './command-context.ts'
import type { Given } from './grammar.ts'
import { hasBytes32 } from './secrets.ts'
import { networkNamed } from './wallet-ref.ts'

const OPTIONS = ['to', 'from', 'address', 'wallet']
/** A known wallet, also one that the network's present rules do not accept: the command itself looks it up. */
const KNOWN_ONLY = 'wallet'

export async function refuseImplausible(desk: CommandContext, { values }: Given): Promise<void> {
  await refuseUnlistedTokens(desk, values)
  const suspects = OPTIONS.filter((name) => hasBytes32(values[name] ?? ''))
  const addresses = OPTIONS.filter((name) => values[name] !== undefined && name !== KNOWN_ONLY)
  if (suspects.length + addresses.length === 0) return
  const place = await placeOf(desk, values)
  const networks = place ? [place] : (await readKnown(desk.database)).networks.map(({ name }) => name)
  for (const name of new Set([...suspects, ...(place ? addresses : [])])) {
    const answers = await Promise.all(networks.map((network) => isAddress(desk, network, values[name] ?? '')))
    if (!answers.includes(true))
      throw new UsageError(`--${name} is no address of ${networks.join(', ')}. If it is a secret, replace it`)
  }
}

/** Tokens that a scope or a list of missing units names. */
async function refuseUnlistedTokens({ database }: CommandContext, { scope = '', accept = '' }: Given['values']) {
  const named = [...scope.split(/[/>]/), ...accept.split(/[,=]/)].filter(hasBytes32)
  if (named.length === 0) return
  const limited = [...(await listSwitches(database)), ...(await listLimits(database))]
  const tokens = (await readKnown(database)).tokens.map(tokenKey)
  const known = [...tokens, ...limited.flatMap((row) => row.scope.split(/[/>]/))].map((text) => text.toLowerCase())
  if (named.every((text) => known.includes(text.toLowerCase()))) return
  throw new UsageError('no token is listed with these 32 bytes. If they are a private key, replace it')
}

/** The network that the command is about; null if it names none. */
async function placeOf(
  { database }: CommandContext,
  { network, deposit, id }: Given['values'],
): Promise<string | null> {
  if (network !== undefined) return (await networkNamed(database, network)).name
  const found = deposit
    ? (await readDeposit(database, deposit))?.network
    : id && (await readSwap(database, id))?.row.source_network
  return found || null
}

/** Without the settings of the service only 32 bytes are judged: by whether its own wallets there look like that. */
async function isAddress(desk: CommandContext, network: string, text: string): Promise<boolean> {
  const chain = await desk.chain?.(network).catch(() => null)
  if (chain) return chain.parseAddress(text.trim()) !== null
  return !hasBytes32(text) || (await knownWallets(desk.database, network)).some(hasBytes32)
}
