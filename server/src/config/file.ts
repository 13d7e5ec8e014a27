/** A file of settings (`CONFIG_FILE`): one `NAME=value` per line, `#` starts a comment, quotes are removed. */
import { readFileSync } from 'node:fs'

export type Settings = Record<string, string | undefined>

/**
 * The environment, merged over the file that it names, and the problems of that file. A name with an empty value counts as absent:
 * it is not a zero, not "none", and does not hide the file's value.
 */
export function withFile(env: Settings): { env: Settings; inFile: string[]; problems: string[] } {
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
