/** Pasted addresses, in every form of TON. */
import { describe, expect, it } from 'vitest'
import { readAddress } from './address.ts'

const FRIENDLY = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'

describe('a TON address', () => {
  it.each([
    [FRIENDLY, FRIENDLY],
    ['EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id/sDs', FRIENDLY],
    ['UQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_p0p', 'UQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_p0p'],
    ['kQD0GKBM8ZbryVk2aESmzfU6b9b_8era_IkvBSELujFZPsyy', 'kQD0GKBM8ZbryVk2aESmzfU6b9b_8era_IkvBSELujFZPsyy'],
  ])('%s is accepted', (text, address) =>
    expect(readAddress(text)).toEqual({ state: 'ok', address, amount: null, fromLink: false }),
  )

  it('with a wrong letter is detected', () => {
    expect(readAddress(FRIENDLY.replace('sDs', 'sDt'))).toEqual({ state: 'checksum' })
  })

  it('is parsed from a payment link, with its amount', () => {
    expect(readAddress(`ton://transfer/${FRIENDLY}?amount=1500000000&text=x`)).toEqual({
      state: 'ok',
      address: FRIENDLY,
      amount: '1.5',
      fromLink: true,
    })
  })

  it.each(['', '0:12', '7TtM9ss1Xv1Y6NshePjvZLKSmJhhQzde5g6vmYzhxWMi'])('%s is not an address', (text) =>
    expect(readAddress(text)).toEqual({ state: 'not_one' }),
  )
})
