/** The exact messages for a TON wallet: the bags equal those of the reference library. */
import { type WalletAction, WalletProblem } from '@causeway/core/wallet'
import { Cell } from '@ton/core'
import { expect, it } from 'vitest'
import { messageOf } from './messages.ts'

const TO = 'UQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_p0p'
const SENDER = '0:83dfd552e63729b472fcbcc8c45ebcc6691702558b68ec7527e1ba403a0f31a8'
const JETTON_WALLET = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'
const COMMENT = 'te6ccgEBAQEADQAAFgAAAAAxMDAwMDQy'
const TRANSFER =
  'te6ccgEBAgEAZQABqg+KfqUAAAAAAAAAAEAcnDgIAWInUylqBJQs4z7SJyZR1usrLYcUS+sgUWKN/ZuGxDv9ACD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqAgMBABYAAAAAMTAwMDA0Mg=='

const coin = { symbol: 'TON', contract: null, decimals: 9 }
const usdt = { symbol: 'USDT', contract: 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs', decimals: 6 }
const action = (token: WalletAction['token'], call: object | null): WalletAction => ({
  type: 'transfer',
  to_address: TO,
  amount_in_base_units: '30000000',
  call_data: call && JSON.stringify(call),
  network: {
    name: 'TON_TESTNET',
    display_name: 'TON',
    chain_id: null,
    nodes: [],
    token: coin,
    transaction_explorer_template: '',
  },
  token,
  gas_limit: null,
  encoded_args: [],
})
const CALL = { comment: '1000042', amount: '30000000', asset: 'USDT' }

it('coins are sent to us with the comment', () => {
  expect(messageOf(action(coin, CALL), SENDER)).toEqual({ address: TO, amount: '30000000', payload: COMMENT })
})

it('a jetton goes from the sender’s jetton wallet to us, with the comment and the change back', () => {
  const message = messageOf(action(usdt, { ...CALL, jetton_wallet: JETTON_WALLET }), SENDER)
  expect(message).toEqual({ address: JETTON_WALLET, amount: '100000000', payload: TRANSFER })
  const slice = Cell.fromBase64(message.payload).beginParse()
  expect([slice.loadUint(32), slice.loadUint(64), slice.loadCoins()]).toEqual([0x0f8a7ea5, 0, 30_000_000n])
  expect([slice.loadAddress().toString({ bounceable: false }), slice.loadAddress().toRawString()]).toEqual([TO, SENDER])
  expect([slice.loadBit(), slice.loadCoins(), slice.loadBit()]).toEqual([false, 1n, true])
  const inside = slice.loadRef().beginParse()
  expect([inside.loadUint(32), inside.loadStringTail()]).toEqual([0, '1000042'])
})

it('nothing is sent without the comment, nor a jetton from an unknown jetton wallet', () => {
  const unsupported = new WalletProblem('unsupported')
  expect(() => messageOf(action(coin, null), SENDER)).toThrow(unsupported)
  expect(() => messageOf(action(coin, { ...CALL, comment: '' }), SENDER)).toThrow(unsupported)
  expect(() => messageOf(action(usdt, CALL), SENDER)).toThrow(unsupported)
})
