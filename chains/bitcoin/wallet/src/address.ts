/** Parses a pasted Bitcoin address: its format and, for segwit addresses, its checksum. */
import type { AddressVerdict } from '@causeway/core/wallet'

const LETTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
/** The checksum constants: version 0 (BIP 173), and later versions (BIP 350). */
const BECH32 = 1
const BECH32M = 0x2bc830a3
const LEGACY = /^[123mn][1-9A-HJ-NP-Za-km-z]{25,34}$/

export function readAddress(text: string): AddressVerdict {
  const link = /^bitcoin:([^?]+)(?:\?(.*))?$/i.exec(text.trim())
  const given = link?.[1] ?? text.trim()
  const amount = new URLSearchParams(link?.[2] ?? '').get('amount')
  const asked = { amount: amount && /^\d+(\.\d+)?$/.test(amount) ? amount : null, fromLink: link !== null }
  if (LEGACY.test(given)) return { state: 'ok', address: given, ...asked }
  const modern = /^(bc|tb|bcrt)1([02-9ac-hj-np-z]{11,71})$/i.exec(given)
  const isOneCase = given === given.toLowerCase() || given === given.toUpperCase()
  if (!modern) return { state: 'not_one' }
  if (!isOneCase || !isIntact(modern[1] ?? '', modern[2] ?? '')) return { state: 'checksum' }
  return { state: 'ok', address: given.toLowerCase(), ...asked }
}

function isIntact(prefix: string, data: string): boolean {
  const values = [...data.toLowerCase()].map((letter) => LETTERS.indexOf(letter))
  const codes = [...prefix.toLowerCase()].map((letter) => letter.charCodeAt(0))
  const all = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31), ...values]
  let sum = 1
  for (const value of all) {
    const top = sum >>> 25
    sum = ((sum & 0x1ffffff) << 5) ^ value
    for (let bit = 0; bit < 5; bit++) if ((top >>> bit) & 1) sum ^= GENERATORS[bit] ?? 0
  }
  return sum >>> 0 === (values[0] === 0 ? BECH32 : BECH32M)
}
