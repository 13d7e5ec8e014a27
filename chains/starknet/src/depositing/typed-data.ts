/**
 * Texts that wallets of this family sign (SNIP-12, revision 1): a domain and the lines of a text, which a wallet shows
 * to the signer. Lines, because the library of most wallets cannot sign a text with a line break.
 */
import { shortString } from '../felt.ts'
import { poseidon, selector } from '../hashing.ts'

const DOMAIN_TYPE =
  '"StarknetDomain"("name":"shortstring","version":"shortstring","chainId":"shortstring","revision":"shortstring")'
const TEXT_TYPE = '"Message"("lines":"string*")'

export interface Domain {
  name: string
  /** The version as a number, because wallets parse digits as a number. */
  version: bigint
  /** The chain id as a number, so that its spelling does not matter. */
  chainId: bigint
}

/** The hash that an account signs for this text. */
export function textHash(domain: Domain, account: bigint, text: string): bigint {
  const lines = text.split('\n').filter((line) => line !== '')
  return messageHash(domain, account, structHash(TEXT_TYPE, [poseidon(lines.map(byteArrayHash))]))
}

export function messageHash({ name, version, chainId }: Domain, account: bigint, message: bigint): bigint {
  const domain = structHash(DOMAIN_TYPE, [shortString(name), version, chainId, 1n])
  return poseidon([shortString('StarkNet Message'), domain, account, message])
}

export function structHash(type: string, fields: readonly bigint[]): bigint {
  return poseidon([selector(type), ...fields])
}

const WORD = 31

/** The hash of a text: the number of 31-byte words, the words, the rest and its length. */
export function byteArrayHash(text: string): bigint {
  const bytes = Buffer.from(text, 'utf8')
  const words = Math.floor(bytes.length / WORD)
  const number = (part: Buffer) => BigInt(`0x${part.toString('hex') || '0'}`)
  const whole = Array.from({ length: words }, (_, i) => number(bytes.subarray(i * WORD, (i + 1) * WORD)))
  const rest = bytes.subarray(words * WORD)
  return poseidon([BigInt(words), ...whole, number(rest), BigInt(rest.length)])
}
