/** Parses a pasted TON address: raw, friendly in every form, or as a payment link. */
import type { AddressVerdict } from '@causeway/core/wallet'

const RAW = /^(0|-1):[0-9a-f]{64}$/i
const FRIENDLY = /^[A-Za-z0-9_-]{48}$/
const TON_DECIMALS = 9

export function readAddress(text: string): AddressVerdict {
  const link = /^ton:\/\/transfer\/([^?]+)(?:\?(.*))?$/i.exec(text.trim())
  const given = link?.[1] ?? text.trim()
  const query = new URLSearchParams(link?.[2] ?? '')
  // A link's jetton amount is ignored, because the jetton's decimals are unknown here.
  const amount = query.has('jetton') ? null : query.get('amount')
  const asked = { amount: amount && /^\d{1,30}$/.test(amount) ? wholeTon(amount) : null, fromLink: link !== null }
  if (RAW.test(given)) return { state: 'ok', address: given, ...asked }
  const urlSafe = given.replaceAll('+', '-').replaceAll('/', '_')
  if (!FRIENDLY.test(urlSafe)) return { state: 'not_one' }
  const bytes = Uint8Array.from(atob(urlSafe.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))
  const isTagged = [0x11, 0x51, 0x91, 0xd1].includes(bytes[0] ?? 0)
  if (!isTagged) return { state: 'not_one' }
  const sum = ((bytes[34] ?? 0) << 8) | (bytes[35] ?? 0)
  return crc16(bytes.subarray(0, 34)) === sum ? { state: 'ok', address: urlSafe, ...asked } : { state: 'checksum' }
}

/** CRC-16/XMODEM. */
function crc16(bytes: Uint8Array): number {
  let sum = 0
  for (const byte of bytes) {
    sum ^= byte << 8
    for (let bit = 0; bit < 8; bit++) sum = sum & 0x8000 ? ((sum << 1) ^ 0x1021) & 0xffff : (sum << 1) & 0xffff
  }
  return sum
}

function wholeTon(units: string): string {
  const digits = units.padStart(TON_DECIMALS + 1, '0')
  const fraction = digits.slice(-TON_DECIMALS).replace(/0+$/, '')
  return digits.slice(0, -TON_DECIMALS) + (fraction && `.${fraction}`)
}
