/** Programs of Debian that the system tests need. A missing one fails the test with the command that installs it. */
import { accessSync, constants } from 'node:fs'
import path from 'node:path'

/** Debian keeps programs for administrators outside of an ordinary user's path. */
const FOLDERS = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/sbin']

/** `programs`: the Debian package by the name of the program. Returns the path of each. */
export function requirePrograms<Name extends string>(programs: Record<Name, string>): Record<Name, string> {
  const found = Object.keys(programs).map((name) => [name, whereIs(name)] as const)
  const missing = found.flatMap(([name, place]) => (place === null ? [programs[name as Name]] : []))
  if (missing.length > 0) throw new Error(`missing: apt-get install ${missing.join(' ')}`)
  return Object.fromEntries(found) as Record<Name, string>
}

function whereIs(name: string): string | null {
  const places = FOLDERS.map((folder) => path.join(folder, name))
  return places.find(isProgram) ?? null
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
