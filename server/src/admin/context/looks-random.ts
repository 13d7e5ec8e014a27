/**
 * Whether a text has a part that looks random, as a key does that a machine made. It knows no formats. It weighs how two characters
 * follow each other: in words of six languages, against characters that were drawn by chance. Pure.
 */
import { wordlist as czech } from '@scure/bip39/wordlists/czech.js'
import { wordlist as english } from '@scure/bip39/wordlists/english.js'
import { wordlist as french } from '@scure/bip39/wordlists/french.js'
import { wordlist as italian } from '@scure/bip39/wordlists/italian.js'
import { wordlist as portuguese } from '@scure/bip39/wordlists/portuguese.js'
import { wordlist as spanish } from '@scure/bip39/wordlists/spanish.js'

/** Fewer characters are no key: an order number, a part of a hash. Letters alone may be a word of another language, or names of tokens. */
const SHORTEST = 14
const SHORTEST_OF_LETTERS = 20
/** In words with a sign of passwords inside. */
const SHORTEST_WITH_SIGNS = 10
/** In bits: how much likelier it is that a stretch was drawn by chance than that a person wrote it. */
const RANDOM = 20
/** A digit beside a letter, or a capital inside a word; a sign of passwords; two digits; letters that no key has. */
const BREAK = 7
const ODD = 5
const DIGITS = -2
const OTHER_LETTERS = -4
const CHANCES = chancesOfPairs([czech, english, french, italian, portuguese, spanish].flat())

/** Of 16 bytes or more: 32 digits in hexadecimal, at least 36 in decimal, rarely fewer. */
const HEX_DIGITS = 28
const DECIMAL_DIGITS = 32
/** At least three, such as of tokens. */
const NAMES = /(?<![\w+/=-])[a-z]{2,10}(\/[a-z]{2,10}){2,}(?![\w+/=-])/gi
/** At least 16 bytes one by one: an array, JSON, escaped or numbered. No amounts. */
const BYTE = String.raw`(0?x)?([01]?\d?\d|2[0-4]\d|25[0-5]|[0-9a-f]{2})(?![\p{L}\p{N}])`
const BYTES = new RegExp(String.raw`(?<![\p{L}\p{N}.])(${BYTE}([^\p{L}\p{N}.]|\.(?!\d))+){15}${BYTE}`, 'iu')
/** Signs that are inside passwords, and rarely inside other words; of these the ones that links, paths, Markdown and routes have, too. */
const SIGN = /[!@#$%^&*?~\\;<>|[\]{}]/
const ORDINARY = /["'().,:@*\\<>{}[\]]/
/** Also the ends of folders, of values in JSON and of a token in a route. */
const BETWEEN = /[\s`]|[^\p{L}\p{N}\p{M}\x20-\x7e]|(?<=[a-z]{4})\/|"[:,]"|(?<=\/[\w.]+)>/iu
const WORD = /[\p{L}\p{N}+/_=-]+/gu
const STRETCH = /[\p{L}\p{N}+/_=-]+(\s+[\p{L}\p{N}+/_=-]+)+/gu
const HEX_RUN = /(?<![0-9a-z])(0x)?[0-9a-f]+(([\s:._)-]+|,)(0x)?[0-9a-f]+)*(?![0-9a-z])/gi
const DECIMAL_RUN = /(?<![0-9a-z])\d+([\s_-]+\d+)*(?![0-9a-z])/gi

export function looksRandom(text: string): boolean {
  return BYTES.test(text) || isHexadecimal(text) || isDecimal(text) || candidatesIn(text).some(isRandom)
}

/** Bytes in hexadecimal, also in groups. Numbers, and words such as "Dec", have no digits beside letters. */
function isHexadecimal(text: string): boolean {
  return (text.match(HEX_RUN) ?? []).some((run) => {
    const groups = run.replace(/0x/gi, '').match(/[0-9a-f]+/gi) ?? []
    const mixed = groups.filter((group) => /\d/.test(group) && /\D/.test(group))
    return groups.join('').length >= HEX_DIGITS && mixed.length > 0
  })
}

/** One long number, in short groups or over a few lines. A list of tickets or amounts has neither. */
function isDecimal(text: string): boolean {
  return (text.match(DECIMAL_RUN) ?? []).some((run) => {
    const groups = run.match(/\d+/g) ?? []
    const isOne = groups.length <= 4 || groups.every(({ length }) => length <= 5)
    return isOne && groups.join('').length >= DECIMAL_DIGITS
  })
}

/** Words that may be one secret: also broken at the end of a line, and neighbours that look like parts of one. */
function candidatesIn(written: string): string[] {
  const text = written.replace(NAMES, (names) => names.replaceAll('/', ','))
  const words = text.match(WORD) ?? []
  const overLines = text.replace(/\s*\n\s*/g, '').match(WORD) ?? []
  const stretches = (text.match(STRETCH) ?? []).map((stretch) => stretch.split(/\s+/))
  const groups = [...stretches, ...words.map((word) => word.split('-'))]
  return [
    ...[...words, ...overLines].flatMap(wholeOrParts),
    ...written.split(BETWEEN).filter(isMixed),
    ...groups.flatMap(sameLengths),
    ...stretches.flatMap(oddPairs),
  ]
}

/** Two of these inside: a digit, both cases, a sign. */
function isMixed(written: string): boolean {
  const [word = ''] = written.match(/[a-z0-9].*[a-z0-9]/i) ?? []
  return /[a-z]/i.test(word) && [/\d/.test(word), hasBothCases(word), SIGN.test(word)].filter(Boolean).length > 1
}

/** Signs join the parts of a word only if it has both cases, as base64 has them: names of files and machines have one. */
function wholeOrParts(word: string): string[] {
  return hasBothCases(word) ? [word] : word.split(/[^\p{L}\p{N}]+/u)
}

function hasBothCases(word: string): boolean {
  return /[a-z]/.test(word) && /[A-Z]/.test(word)
}

/** Consecutive groups of one length, and a shorter last one. */
function sameLengths(groups: readonly string[]): string[] {
  const runs: string[] = []
  for (let from = 0; from < groups.length; ) {
    const length = groups[from]?.length ?? 0
    const end = groups.findIndex((group, at) => at > from && group.length !== length)
    const to = end < 0 ? groups.length : end
    const hasTail = (groups[to]?.length ?? length) < length && to - from > 1
    if (to - from > 1) runs.push(groups.slice(from, hasTail ? to + 1 : to).join(''))
    from = to
  }
  return runs
}

/** Two neighbours, one of which has a break. */
function oddPairs(groups: readonly string[]): string[] {
  return groups.slice(1).flatMap((after, at) => {
    const before = groups[at] ?? ''
    return hasBreak(before) || hasBreak(after) ? [`${before}=${after}`] : []
  })
}

/** Whether some stretch of it looks like chance. */
function isRandom(candidate: string): boolean {
  const shortest = SIGN.test(candidate) ? SHORTEST_WITH_SIGNS : hasBreak(candidate) ? SHORTEST : SHORTEST_OF_LETTERS
  let [bits, length] = [0, 1]
  for (let at = 1; at < candidate.length; at++) {
    bits += chance(candidate, at)
    length++
    if (bits <= 0) [bits, length] = [0, 1]
    if (bits >= RANDOM && length >= shortest) return true
  }
  return false
}

/** A digit beside a letter, or a capital inside: no word goes on like this. */
function hasBreak(word: string): boolean {
  return /[a-z]\d|\d[a-z]/i.test(word) || /[a-z][A-Z]|[A-Z]{2}[a-z]/.test(word)
}

/** How much likelier two neighbours are by chance than in a word, in bits. */
function chance(word: string, at: number): number {
  if (hasBreak(word.slice(at - 1, at + 1)) || /[A-Z]{2}[a-z]/.test(word.slice(Math.max(0, at - 2), at + 1)))
    return BREAK
  const pair = word.slice(at - 1, at + 1).toLowerCase()
  if (/\d\d/.test(pair)) return DIGITS
  if (SIGN.test(pair)) return ORDINARY.test(pair) ? 0 : ODD
  return /[^\p{L}\p{M}]|(.)\1/u.test(pair) ? 0 : (CHANCES.get(pair) ?? OTHER_LETTERS)
}

/** For each two letters: how much likelier they meet by chance than in these words, in bits. */
function chancesOfPairs(words: readonly string[]): ReadonlyMap<string, number> {
  const letters = [...'abcdefghijklmnopqrstuvwxyz']
  const counts = new Map<string, number>()
  for (const word of words.map((one) => one.normalize('NFD').replace(/\p{M}/gu, ''))) {
    for (let at = 1; at < word.length; at++)
      for (const key of [word.slice(at - 1, at + 1), word.slice(at - 1, at)])
        counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const weight = (key: string, unseen: number) => (counts.get(key) ?? 0) + unseen
  return new Map(
    letters.flatMap((a) =>
      letters.map((b): [string, number] => [a + b, Math.log2(weight(a, 130) / weight(a + b, 5) / letters.length)]),
    ),
  )
}
