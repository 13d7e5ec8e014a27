/** Pasted addresses: checksums of EIP-55, links of EIP-681, and invalid text. */
import { describe, expect, it } from 'vitest'
import { readAddress } from './address.ts'

const NETWORK = {
  name: 'X',
  display_name: 'X',
  chain_id: '1',
  nodes: [],
  token: { symbol: 'ETH', contract: null, decimals: 18 },
  transaction_explorer_template: '',
}
const read = (text: string) => readAddress(text, NETWORK)
/** From EIP-55. */
const VECTORS = [
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
]

describe('an EVM address', () => {
  it.each(VECTORS)('%s is accepted in every case, and a wrong letter is detected', (address) => {
    const ok = { state: 'ok', address, amount: null, fromLink: false }
    expect(read(address)).toEqual(ok)
    expect(read(address.toLowerCase())).toEqual(ok)
    expect(read(`eth:${address}`)).toEqual(ok)
    const at = address.search(/[a-f](?=.*$)/i)
    const letter = address[at] ?? ''
    const flipped = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
    expect(read(address.slice(0, at) + flipped + address.slice(at + 1)).state).toBe('checksum')
  })

  it('is parsed from a payment link, with its amount', () => {
    const [address = ''] = VECTORS
    expect(read(`ethereum:${address}@1?value=50000000000000000`)).toEqual({
      state: 'ok',
      address,
      amount: '0.05',
      fromLink: true,
    })
  })

  it.each([
    ['1e16', '0.01'],
    ['2.5e15', '0.0025'],
    ['2.014e18', '2.014'],
    ['1.5', null],
    ['1e99x', null],
  ])('is parsed from a payment link whose amount is %s', (value, amount) => {
    const [address = ''] = VECTORS
    expect(read(`ethereum:${address}@1?value=${value}`)).toMatchObject({ state: 'ok', amount })
  })

  it.each(['', '0x12', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'alice.eth', `0x${'g'.repeat(40)}`])(
    '%s is not an address',
    (text) => expect(read(text)).toEqual({ state: 'not_one' }),
  )
})
