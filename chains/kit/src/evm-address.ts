/**
 * Addresses of 20 bytes written as `0x` and 40 hex digits, as on Ethereum and the ledgers that share its accounts. The
 * canonical form is the mixed case of EIP-55. Which addresses burn money differs per network, so the families define
 * that.
 */
import type { Address } from '@causeway/core'

export interface EvmAddresses {
  /** Null if the text is not an address, or if its mixed case is not the checksum (a typing mistake). */
  parseAddress(text: string): Address | null
  /** Converts an address that a node or our own code wrote, in any case, to the canonical form. */
  canonical(text: string): Address
}

/** `checksummed` converts a lower-case address to the EIP-55 form, and throws if the text is not an address. */
export function evmAddresses(checksummed: (lowerCase: string) => Address): EvmAddresses {
  const canonical = (text: string) => checksummed(text.toLowerCase())
  return {
    canonical,
    parseAddress(text) {
      if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return null
      const digits = text.slice(2)
      const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase()
      const address = canonical(text)
      return isOneCase || address === text ? address : null
    },
  }
}
