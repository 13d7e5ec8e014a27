/** Pasted addresses: checksums of BIP 173 and 350, links of BIP 21, and invalid text. */
import { describe, expect, it } from 'vitest'
import { readAddress } from './address.ts'

const VECTORS = [
  'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3',
  'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
  'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
  'bcrt1qz6ms7qhuplcp35wxga8g2wlplqn87c34hq8tdg',
]

describe('a Bitcoin address', () => {
  it.each(VECTORS)('%s is accepted, in capitals too, and a wrong letter is detected', (address) => {
    const ok = { state: 'ok', address, amount: null, fromLink: false }
    expect(readAddress(address)).toEqual(ok)
    expect(readAddress(address.toUpperCase())).toEqual(ok)
    const wrong = address.slice(0, -1) + (address.endsWith('q') ? 'p' : 'q')
    expect(readAddress(wrong)).toEqual({ state: 'checksum' })
  })

  it('version 1 with the old checksum is rejected', () => {
    expect(readAddress('bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd').state).toBe('checksum')
  })

  it('is parsed from a payment link, with its amount', () => {
    const [address = ''] = VECTORS
    expect(readAddress(`bitcoin:${address}?amount=0.05&label=x`)).toEqual({
      state: 'ok',
      address,
      amount: '0.05',
      fromLink: true,
    })
    expect(readAddress('1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2').state).toBe('ok')
  })

  it.each(['', 'bc1', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'])('%s is not an address', (text) =>
    expect(readAddress(text)).toEqual({ state: 'not_one' }),
  )
})
