/**
 * What a network's file says under `settings`, as its family reads it: each setting by its form, with what holds where nothing is
 * said and a clear word about what is wrong. Families bring the forms that only they know.
 */
import { Bug } from './errors.ts'
import { parseDecimal } from './money.ts'
import type { Network } from './network.ts'

/** How a setting that stands in the file as text is written. */
export interface SettingForm<T> {
  /** Null where this is not how it is written. */
  read(text: string): T | null
  /** What it must be, for people: "an address". */
  wanted: string
}

export type SettingsReader = ReturnType<typeof settingsReader>

export function settingsReader({ name, settings }: Pick<Network, 'name' | 'settings'>) {
  const known = new Set<string>()

  /** As it stands in the file; null where nothing is said. */
  function raw(key: string): unknown {
    known.add(key)
    return settings[key] ?? null
  }

  /** The value as the file has it, so that text and number are told apart. */
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
    /** Empty where nothing is said. `many` is what they are called: "addresses". */
    list<T>(key: string, form: SettingForm<T>, many: string): T[] {
      const value = raw(key) ?? []
      if (Array.isArray(value)) return value.map((one) => formed(key, one, form))
      throw wrong(key, value, `a list of ${many}`)
    },
    /** What is said of each of several; of none where nothing is said. */
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
    /** The first where nothing is said. */
    oneOf<const T extends string>(key: string, words: readonly [T, ...T[]]): T {
      return optional(key, wordForm(words)) ?? words[0]
    },
    /** In base units. Whole text, since 0.005 of a coin has no exact number. */
    coins(key: string, fallback: string, decimals: number, called = 'coins'): bigint {
      const form = decimalForm(decimals, `whole ${called} in decimal text, above zero`)
      return formed(key, raw(key) ?? fallback, form)
    },
    /** What is misspelt must not be passed over. To be asked when everything was read. */
    nothingElse(): void {
      const strange = Object.keys(settings).find((key) => !known.has(key))
      if (strange === undefined) return
      throw new Bug(`setting ${strange} is unknown here, there are ${[...known].join(', ')}`, { network: name })
    },
  }
}

/** Text as it stands. */
export function textForm(as: RegExp, wanted: string): SettingForm<string> {
  return { read: (text) => (as.test(text) ? text : null), wanted }
}

export function wordForm<const T extends string>(words: readonly T[]): SettingForm<T> {
  return { read: (text) => words.find((word) => word === text) ?? null, wanted: `one of ${words.join(', ')}` }
}

/** A decimal number above zero with at most so many decimals, in the smallest of them. */
export function decimalForm(decimals: number, wanted: string): SettingForm<bigint> {
  const read = (text: string) => {
    const units = parseDecimal(text, decimals)
    return units !== null && units > 0n ? units : null
  }
  return { read, wanted }
}
