import { findToken } from '@causeway/core'
import { describe, expect, test } from 'vitest'
import { sampleNetwork } from '../../../tests/support/chains/samples.ts'
import { isLosing, NATIVE_ADDRESS, namingFor, unbouncing } from './address.ts'

const USDT = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'
const mainnet = namingFor({ testnet: false })
const testnet = namingFor({ testnet: true })

/** Tether's master on mainnet in every form that explorers, wallets and nodes write. */
const FORMS = {
  bounceable: 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs',
  unbounceable: 'UQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_p0p',
  base64: 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id/sDs',
  raw: '0:b113a994b5024a16719f69139328eb759596c38a25f59028b146fecdc3621dfe',
  upperRaw: '0:B113A994B5024A16719F69139328EB759596C38A25F59028B146FECDC3621DFE',
}
/** The testnet's well-known USDT, bounceable and flagged for test networks. */
const TEST_ONLY = 'kQD0GKBM8ZbryVk2aESmzfU6b9b_8era_IkvBSELujFZPsyy'

describe('addresses', () => {
  test.each(Object.entries(FORMS))('the %s form is read as the canonical one', (_, form) => {
    expect(mainnet.parseAddress(form)).toBe(USDT)
    expect(testnet.parseAddress(form)).toBe(USDT)
  })

  test('one for test networks only is refused on mainnet', () => {
    expect(mainnet.parseAddress(TEST_ONLY)).toBeNull()
    expect(testnet.parseAddress(TEST_ONLY)).toBe('EQD0GKBM8ZbryVk2aESmzfU6b9b_8era_IkvBSELujFZPnc4')
  })

  test('a wrong letter, another workchain and half an address are refused', () => {
    const wrong = [
      FORMS.bounceable.replace('sDs', 'sDt'),
      `1:${'5'.repeat(64)}`,
      `0:${'5'.repeat(63)}`,
      ` ${FORMS.raw}`,
      `${FORMS.bounceable}=`,
      'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id/s_s',
    ]
    for (const text of wrong) expect(mainnet.parseAddress(text), text).toBeNull()
  })

  test('the zero address names the native token in every form', () => {
    const coin = { symbol: 'TON', contract: null, decimals: 9 }
    const network = sampleNetwork([coin], { name: 'TON_TESTNET', type: 'ton' })
    expect(NATIVE_ADDRESS).toBe('EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c')
    for (const text of [NATIVE_ADDRESS, `0:${'0'.repeat(64)}`, unbouncing(NATIVE_ADDRESS)]) {
      expect(findToken(network, text, mainnet)).toEqual(network.nativeToken)
    }
  })

  test('the zero address and the masterchain are not paid', () => {
    const elector = mainnet.parseAddress(`-1:${'3'.repeat(64)}`)
    expect(elector && isLosing(elector)).toBe(true)
    expect(isLosing(NATIVE_ADDRESS)).toBe(true)
    expect(isLosing(USDT)).toBe(false)
  })
})
