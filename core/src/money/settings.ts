/**
 * Reads the `settings` of a network file for its family: each value has a form and a default, and an error names what
 * is wrong. Families add their own forms.
 */
import { Bug } from './errors.ts'
import { parseDecimal } from './money.ts'
import type { Network } from './network.ts'

/** How a setting is parsed from text. */
export interface SettingForm<T> {
  /** Null if the text is malformed. */
  read(text: string): T | null
  /** Describes a valid value, for the error message: "an address". */
  wanted: string
}

export type SettingsReader = ReturnType<typeof settingsReader>

export function settingsReader({ name, settings }: Pick<Network, 'name' | 'settings'>) {
  const known = new Set<string>()

  /** The raw value from the file; null if missing. */
  function raw(key: string): unknown {
    known.add(key)
    return settings[key] ?? null
  }

  /** The error message shows the value as JSON, so that text and numbers look different. */
  function wrong(key: string, value: unknown, wanted: string): Bug {
    return new Bug(`setting ${key} must be ${wanted}`, { network: name, value: JSON.stringify(value) })
  }

  function formed<T>(key: string, value: unknown, { read, wanted }: SettingForm<T>): T {
    const found = typeof value === 'string' ? read(value) : null
    if (found !== null) return found
    throw wrong(key, value, wanted)
  }

  function optional<T>(key: string, form: SettingForm<T>): T | null {
    const value = raw(key)
    return value === null ? null : formed(key, value, form)
  }

  return {
    raw,
    wrong,
    optional,
    needed: <T>(key: string, form: SettingForm<T>): T => formed(key, raw(key), form),
    /** A list of values; empty if missing. `many` is the plural for the error message: "addresses". */
    list<T>(key: string, form: SettingForm<T>, many: string): T[] {
      const value = raw(key) ?? []
      if (Array.isArray(value)) return value.map((one) => formed(key, one, form))
      throw wrong(key, value, `a list of ${many}`)
    },
    /** An object with one entry per item; empty if missing. */
    record(key: string, wanted: string): Record<string, unknown> {
      const value = raw(key) ?? {}
      if (typeof value === 'object') return { ...value }
      throw wrong(key, value, wanted)
    },
    integer(key: string, fallback: number, least: number, most: number): number {
      const value = raw(key) ?? fallback
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most) return value
      throw wrong(key, value, `a whole number from ${least} to ${most}`)
    },
    boolean(key: string, fallback: boolean): boolean {
      const value = raw(key) ?? fallback
      if (typeof value === 'boolean') return value
      throw wrong(key, value, 'true or false')
    },
    /** One of these words; the first one is the default. */
    oneOf<const T extends string>(key: string, words: readonly [T, ...T[]]): T {
      return optional(key, wordForm(words)) ?? words[0]
    },
    /** An amount in base units. The file has decimal text, because 0.005 is not exact as a number. */
    coins(key: string, fallback: string, decimals: number, called = 'coins'): bigint {
      const form = decimalForm(decimals, `whole ${called} in decimal text, above zero`)
      return formed(key, raw(key) ?? fallback, form)
    },
    /** Rejects unknown keys, so that a misspelt one is not ignored. Call it after everything else was read. */
    nothingElse(): void {
      const strange = Object.keys(settings).find((key) => !known.has(key))
      if (strange === undefined) return
      throw new Bug(`setting ${strange} is unknown here, there are ${[...known].join(', ')}`, { network: name })
    },
  }
}

/** Text that matches the pattern, unchanged. */
export function textForm(as: RegExp, wanted: string): SettingForm<string> {
  return { read: (text) => (as.test(text) ? text : null), wanted }
}

export function wordForm<const T extends string>(words: readonly T[]): SettingForm<T> {
  return { read: (text) => words.find((word) => word === text) ?? null, wanted: `one of ${words.join(', ')}` }
}

/** A decimal number above zero with at most `decimals` decimals, returned in the smallest unit. */
export function decimalForm(decimals: number, wanted: string): SettingForm<bigint> {
  const read = (text: string) => {
    const units = parseDecimal(text, decimals)
    return units !== null && units > 0n ? units : null
  }
  return { read, wanted }
}
