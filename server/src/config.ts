/** The environment, parsed once. The service refuses to start with any problem, and lists all of them at once. */
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { type ENVIRONMENTS, PRIVATE_METHODS, type PrivateSubmission } from '@causeway/core'
import { type Branding, readBranding } from './config/branding.ts'
import { SECRET_FILES, SETTING_PREFIXES, type Settings, withFile } from './config/file.ts'
import { nameProblems, nearestOf } from './config/names.ts'
import { signerProblems } from './config/signer-variables.ts'
import { type FieldsOf, parseTable } from './config/table.ts'
import { SERVICE_VARIABLES } from './config/variables.ts'

/** Units are in the names: `stuckAfterMs`, `serviceFeeBps`, `maxUnfinalUsd`. */
export interface Config extends Omit<FieldsOf<typeof SERVICE_VARIABLES>, 'environment' | 'hourlyOutflowUsd'> {
  environment: (typeof ENVIRONMENTS)[number]
  /** The hourly limit; null for none other than the operator's own. */
  hourlyOutflowUsd: number | null
  /** Node addresses by network, from `NODES_<NETWORK>`; they replace those of the network's file. */
  nodes: Record<string, string[]>
  /** Where exchanges are sent instead of the nodes, by network, from `PRIVATE_SUBMISSION_<NETWORK>`. */
  privateSubmissions: Record<string, PrivateSubmission>
  /** API keys of aggregators by their name in capitals, from `AGGREGATOR_KEY_<NAME>`. */
  aggregatorKeys: Record<string, string>
  /** The operator's branding, from BRANDING_FILE. */
  branding: Branding
}

/** Thrown with all problems in the message; its text is meant to be printed as it is. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

const [NODES_PREFIX, PRIVATE_PREFIX, KEY_PREFIX] = SETTING_PREFIXES
/** Names of all variables but those with a network or an aggregator in their name: `npm run serve -- --help` lists them. */
export const SETTINGS = [...Object.values(SERVICE_VARIABLES).map(([variable]) => variable), 'CONFIG_FILE']
/** Variables of the signer process and of the admin commands, which may share an environment or a file with the service. */
const OF_OTHERS = [
  'OPERATOR_KEY_FILE',
  'SIGNER_HOST',
  'SIGNER_PORT',
  'SIGNER_POLICY_FILE',
  'SIGNER_JOURNAL_FOLDER',
  'SIGNER_JOURNAL_COPY',
]
/** The default hourly outflow limit on mainnet, in swaps of the largest size. */
const SWAPS_PER_HOUR = 20

export function parseConfig(given: Settings): Config {
  const { env, inFile, problems } = withFile(given)
  const { fields, readable, problems: unreadable } = parseTable(SERVICE_VARIABLES, env)
  problems.push(...unreadable, ...(fields ? contradictions(fields) : []))
  const nodes: Record<string, string[]> = {}
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith(NODES_PREFIX) || !value) continue
    const urls = value.split(',').map((url) => url.trim())
    const bad = urls.filter((url) => !URL.canParse(url))
    if (bad.length > 0) problems.push(`${name}: ${bad.length} of ${urls.length} entries are not addresses`)
    if (new Set(urls).size < urls.length) problems.push(`${name}: names a node twice`)
    nodes[name.slice(NODES_PREFIX.length)] = urls
  }
  const privateSubmissions: Config['privateSubmissions'] = {}
  for (const [name, value] of withPrefix(env, PRIVATE_PREFIX)) {
    const endpoint = parsePrivateSubmission(value)
    if (endpoint) privateSubmissions[name] = endpoint
    else
      problems.push(`${PRIVATE_PREFIX}${name}: must be an address, or ${PRIVATE_METHODS.join(' or ')} and an address`)
  }
  const aggregatorKeys = Object.fromEntries(withPrefix(env, KEY_PREFIX))
  // A name like NODE_ETHEREUM_MAINNET (without the S) is reported as a mistake, too.
  const listed = listedNetworks(readable.networksFolder).flatMap((name) => [
    `${NODES_PREFIX}${name}`,
    `${PRIVATE_PREFIX}${name}`,
  ])
  problems.push(...unknownNames(Object.keys(env), inFile, listed), ...missingFiles(env, readable))
  const { branding, problems: unbranded } = readBranding(readable.brandingFile)
  problems.push(...unbranded)
  if (!fields || problems.length > 0) {
    throw new ConfigError(`the configuration has problems:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
  }
  const { environment = environmentOf(fields.networksFolder) } = fields
  // On mainnet there is always an outflow limit, in case of a bug or a theft.
  const usualUsd = environment === 'mainnet' ? SWAPS_PER_HOUR * fields.maxSwapUsd : null
  const { hourlyOutflowUsd = usualUsd } = fields
  return { ...fields, environment, hourlyOutflowUsd, nodes, privateSubmissions, aggregatorKeys, branding }
}

/** The settings whose name ends with a network or an aggregator, by that name. */
function withPrefix(env: Settings, prefix: string): [name: string, value: string][] {
  return Object.entries(env).flatMap(([name, value]) =>
    name.startsWith(prefix) && value ? [[name.slice(prefix.length), value.trim()]] : [],
  )
}

/** An address alone, or behind the method that the endpoint takes. */
function parsePrivateSubmission(text: string): PrivateSubmission | null {
  const [url = '', method = PRIVATE_METHODS[0], ...more] = text.split(/\s+/).reverse()
  const known = PRIVATE_METHODS.find((one) => one === method)
  return known && more.length === 0 && /^https?:/.test(url) && URL.canParse(url) ? { url, method: known } : null
}

/** Variables that are valid alone but not together. */
function contradictions(fields: FieldsOf<typeof SERVICE_VARIABLES>): string[] {
  const orNone = isApiOnly(fields) ? ' (or QUOTE_KEY_FILE alone: ROLES=api needs no other key)' : ''
  const problems = isKeyless(fields) ? [] : signerProblems(fields).map((problem) => problem + orNone)
  if (fields.minSwapUsd >= fields.maxSwapUsd) problems.push('MIN_SWAP_USD: must be below MAX_SWAP_USD')
  return problems
}

function isApiOnly({ roles }: Pick<Config, 'roles'>): boolean {
  return roles.every((role) => role === 'api')
}

/** A process that only serves the API may sign quotes and nothing else: it holds no key if no other key is configured. */
export function isKeyless(
  config: Pick<Config, 'roles' | 'quoteKeyFile' | 'keystoreFile' | 'mnemonic' | 'signerUrl' | 'kmsKeysFile'>,
): boolean {
  const others = [config.keystoreFile, config.mnemonic, config.signerUrl, config.kmsKeysFile]
  return isApiOnly(config) && !!config.quoteKeyFile && others.every((key) => !key)
}

/** Names of the networks that have a file in the folder. */
export function listedNetworks(folder: string | undefined): string[] {
  if (!folder || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return files.map((name) => path.basename(name, '.json'))
}

function unknownNames(names: string[], inFile: string[], listed: string[]): string[] {
  const known = [...SETTINGS, ...SECRET_FILES, ...OF_OTHERS, ...listed]
  const isKnown = (name: string) => known.includes(name) || SETTING_PREFIXES.some((prefix) => name.startsWith(prefix))
  const inOwnFile = inFile
    .filter((name) => !isKnown(name))
    .map((name) => {
      const near = nearestOf(name, known)
      return `CONFIG_FILE: ${name} is no setting${near ? `; did you mean ${near}?` : ''}`
    })
  const outside = names.filter((name) => !isKnown(name) && !inFile.includes(name))
  return [...inOwnFile, ...nameProblems(outside, known)]
}

/** Files that the operator has configured; default files may be missing. */
function missingFiles(env: Settings, readable: Record<string, unknown>): string[] {
  return Object.entries(SERVICE_VARIABLES).flatMap(([field, [variable]]) => {
    const given = env[variable]
    if (!given || !/(_FILE|^NETWORKS)$/.test(variable)) return []
    const found = statSync(path.resolve(String(readable[field] ?? given)), { throwIfNoEntry: false })
    const wanted = variable === 'NETWORKS' ? 'folder' : 'file'
    if (!found) return [`${variable}: there is no ${wanted} ${given}`]
    return found.isDirectory() === (wanted === 'folder') ? [] : [`${variable}: ${given} is no ${wanted}`]
  })
}

/** The environment, derived from the name of the networks folder. */
export function environmentOf(networksFolder: string): Config['environment'] {
  return path.basename(networksFolder) === 'mainnet' ? 'mainnet' : 'testnet'
}
