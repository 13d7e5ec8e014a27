/** The forms of values that commands take. Whether the named thing exists is checked by the command itself. */
import type { Form } from './grammar.ts'

const UUID = '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'

export const ID: Form = { pattern: new RegExp(`^${UUID}$`), told: 'an id, as the lists show it' }
export const IDS: Form = { pattern: new RegExp(`^${UUID}(,${UUID})*$`), told: 'an id, or several with commas' }
export const NETWORK: Form = { pattern: /^[A-Za-z0-9_]{1,63}$/, told: 'the name of a network' }
export const NETWORKS: Form = { pattern: /^[A-Za-z0-9_, ]{1,4000}$/, told: 'names of networks, with commas' }
export const APP: Form = {
  pattern: /^[\w][\w .-]{0,62}$/,
  told: 'made of letters, digits, "_", "-", "." and spaces, up to 63',
}
export const OPERATOR: Form = {
  pattern: /^[a-z][a-z0-9._-]{0,62}$/,
  told: 'made of lower-case letters, digits, "_", "-" and ".", up to 63',
}
export const CAMPAIGN: Form = { pattern: /^[\w.-]{1,63}$/, told: 'the name of a campaign' }
export const ADDRESS: Form = { pattern: /^ *[\w:.+/=-]{1,128} *$/, told: 'an address', mayLookRandom: true }
export const TOKEN: Form = {
  pattern: /^[^\s\p{C}]{1,128}$/u,
  told: 'the symbol or the contract of a token',
  mayLookRandom: true,
}
export const PLACE: Form = { pattern: /^[^\s\p{C}]{1,200}$/u, told: 'NETWORK/TOKEN', mayLookRandom: true }
/** 32 bytes only as the contract of a token. */
const SCOPED = String.raw`(?!(0x)?[0-9a-fA-F]{58})[\w.-]{1,64}`
const CONTRACT = String.raw`${SCOPED}/[\w:.+/=-]{1,128}`
export const SCOPE: Form = {
  pattern: new RegExp(`^([a-z]{1,20}|(network|campaign):${SCOPED}|token:${CONTRACT}|route:${CONTRACT}>${CONTRACT})$`),
  told: 'a scope, such as service or network:NAME',
  mayLookRandom: true,
}
export const TRANSACTION: Form = {
  pattern: /^[\w:.+/= -]{1,128}$/,
  told: 'the hash of a transaction',
  mayLookRandom: true,
}
export const HASH: Form = {
  pattern: /^[0-9a-f]{64}$/,
  told: 'a hash, as "audit verify" prints it',
  mayLookRandom: true,
}
export const SIGNATURE: Form = {
  pattern: /^[0-9a-f]{64}\.[0-9a-f]{128}$/,
  told: 'a signature, as "npm run approver -- sign" prints it',
  mayLookRandom: true,
}
/** Base units, or those of several tokens. */
export const MISSING: Form = {
  pattern: /^(\d{1,60}|[^\s,=]{1,128}=\d{1,60}(,[^\s,=]{1,128}=\d{1,60})*)$/,
  told: 'UNITS, or TOKEN=UNITS,…',
  mayLookRandom: true,
}
export const AMOUNT: Form = { pattern: /^-?\d{1,40}(\.\d{1,40})?$/, told: 'a plain decimal number' }
export const UNITS: Form = { pattern: /^\d{1,57}$/, told: 'a whole number of base units', mayLookRandom: true }
export const NUMBER: Form = { pattern: /^-?\d{1,18}(\.\d{1,18})?$/, told: 'a number' }
export const NUMBERS: Form = { pattern: /^[\d, ]{0,1000}$/, told: 'numbers, with commas', mayLookRandom: true }
export const DATE: Form = { pattern: /^[\w:.+ -]{1,40}$/, told: 'a date, such as 2026-01-31' }
export const FINGERPRINT: Form = {
  pattern: /^[0-9a-f]{16}$/,
  told: 'a fingerprint, as "operator list" shows it',
  mayLookRandom: true,
}
export const YES: Form = { pattern: /^yes$/, told: 'yes, or left out' }
export const EVENTS: Form = { pattern: /^[\w., -]{1,1000}$/, told: 'all, or types with commas' }
/** Of an endpoint, which may have its own random part, but not 32 bytes in hexadecimal. */
export const URL_FORM: Form = {
  pattern: /^(?!.*(?<![0-9a-z])(0x)?[0-9a-f]{58,64}(?![0-9a-z]))[^\s\p{C}]{1,2000}$/iu,
  told: 'an address that begins with https',
  mayLookRandom: true,
}
export const FILE: Form = { pattern: /^(?!-)[^\p{Cc}]{1,1000}$/u, told: 'the name of a file', isPath: true }
export const FOLDER: Form = { pattern: /^(?!-)[^\p{Cc}]{1,1000}$/u, told: 'the name of a folder', isPath: true }
/** The name of its file, or the key itself. */
export const PUBLIC_KEY: Form = {
  pattern: /^(?!-(?!----BEGIN ))[^\0]{1,4000}$/,
  told: 'the file of a public key in PEM',
  isPath: true,
}
/** Its length is the command's business. */
export const TEXT: Form = { pattern: /^[^\0]{1,4000}$/, told: 'a text of up to 4000 characters', isProse: true }

export function oneOf(words: readonly string[]): Form {
  const few = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
  const shown = words.length === 2 ? few : `one of ${few}`
  return { pattern: new RegExp(`^(${words.join('|')})$`), told: shown }
}

export function optional(form: Form): Form {
  return { ...form, isOptional: true }
}
