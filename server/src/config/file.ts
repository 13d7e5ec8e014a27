/**
 * A file of settings (`CONFIG_FILE`): one `NAME=value` per line, `#` starts a comment, quotes are removed. A secret may be
 * in a file of its own, as containers mount it: `DATABASE_URL_FILE=/run/secrets/database_url`.
 */
import { readFileSync } from 'node:fs'

export type Settings = Record<string, string | undefined>

/** Settings that hold a secret themselves. All others that are secret are names of files already. */
const SECRETS = [
  'DATABASE_URL',
  'DATABASE_READ_URL',
  'DRILL_DATABASE_URL',
  'MNEMONIC',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
]
/** Settings whose name ends with a network, or with an aggregator. Their values often contain a key. */
export const SETTING_PREFIXES = ['NODES_', 'PRIVATE_SUBMISSION_', 'AGGREGATOR_KEY_'] as const

/** `DATABASE_URL_FILE` and the like, as they are listed for operators. */
export const SECRET_FILES = SECRETS.map((name) => `${name}_FILE`)

const isSecretFile = (name: string) =>
  SECRET_FILES.includes(name) || (name.endsWith('_FILE') && SETTING_PREFIXES.some((prefix) => name.startsWith(prefix)))

/**
 * The environment, merged over the file that it names, and the problems of that file. A name with an empty value counts as absent:
 * it is not a zero, not "none", and does not hide the file's value.
 */
export function withFile(env: Settings): { env: Settings; inFile: string[]; problems: string[] } {
  const { env: merged, inFile, problems } = withSettingsFile(env)
  return { env: withSecrets(merged, problems), inFile, problems }
}

function withSettingsFile(env: Settings): { env: Settings; inFile: string[]; problems: string[] } {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()))
  const file = given.CONFIG_FILE
  if (!file) return { env: given, inFile: [], problems: [] }
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return { env: given, inFile: [], problems: [`CONFIG_FILE: there is no file ${file} that can be read`] }
  }
  const found: Record<string, string> = {}
  const problems: string[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const bare = line.trim()
    if (bare === '' || bare.startsWith('#')) continue
    const [, name, value = ''] = /^(?:export\s+)?([A-Z][A-Z0-9_]*)\s*=\s*(.*)$/.exec(bare) ?? []
    // The message does not repeat the line, which may hold a secret.
    if (!name) problems.push(`CONFIG_FILE: line ${index + 1} is not NAME=value`)
    else if (name === 'CONFIG_FILE') problems.push('CONFIG_FILE: a file of settings names no other one')
    else if (Object.hasOwn(found, name)) problems.push(`CONFIG_FILE: ${name} stands there twice`)
    else found[name] = value.replace(/^(["'])(.*)\1$/, '$2')
  }
  const written = Object.fromEntries(Object.entries(found).filter(([, value]) => value.trim() !== ''))
  return { env: { ...written, ...given }, inFile: Object.keys(found), problems }
}

/** Replaces each `NAME_FILE` of a secret by `NAME` with the file's content. */
function withSecrets(env: Settings, problems: string[]): Settings {
  const found: Settings = {}
  for (const [name, value] of Object.entries(env)) {
    if (!isSecretFile(name) || value === undefined) {
      found[name] = value
      continue
    }
    const secret = name.slice(0, -'_FILE'.length)
    if (env[secret] !== undefined) problems.push(`${name}: ${secret} is set too; keep one of them`)
    try {
      found[secret] ??= readFileSync(value, 'utf8').trim()
    } catch {
      problems.push(`${name}: there is no file ${value} that can be read`)
    }
  }
  return found
}
