/** A file of settings (`CONFIG_FILE`): one `NAME=value` a line, `#` begins a comment, quotes are taken off. */
import { readFileSync } from 'node:fs'

export type Settings = Record<string, string | undefined>

/** The environment over the file that it names, and what is wrong with that file. What the environment says counts. */
export function withFile(env: Settings): { env: Settings; inFile: string[]; problems: string[] } {
  const file = env.CONFIG_FILE
  if (!file) return { env, inFile: [], problems: [] }
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return { env, inFile: [], problems: [`CONFIG_FILE: there is no file ${file} that can be read`] }
  }
  const found: Record<string, string> = {}
  const problems: string[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const bare = line.trim()
    if (bare === '' || bare.startsWith('#')) continue
    const [, name, value = ''] = /^(?:export\s+)?([A-Z][A-Z0-9_]*)\s*=\s*(.*)$/.exec(bare) ?? []
    // The line itself may hold a secret.
    if (!name) problems.push(`CONFIG_FILE: line ${index + 1} is not NAME=value`)
    else if (name === 'CONFIG_FILE') problems.push('CONFIG_FILE: a file of settings names no other one')
    else if (Object.hasOwn(found, name)) problems.push(`CONFIG_FILE: ${name} stands there twice`)
    else found[name] = value.replace(/^(["'])(.*)\1$/, '$2')
  }
  // A name that the environment knows without a value takes nothing back that the file says.
  const said = Object.entries(env).filter(([name, value]) => value?.trim() || !Object.hasOwn(found, name))
  return { env: { ...found, ...Object.fromEntries(said) }, inFile: Object.keys(found), problems }
}
