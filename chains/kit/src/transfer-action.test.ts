import { expect, it } from 'vitest'
import { transferAction } from './transfer-action.ts'

const REQUEST = { units: 5n, receiver: 'us', reference: 42n }

it('asks for the amount, to the receiver, with the reference in decimal', () => {
  expect(transferAction(REQUEST)).toEqual({
    type: 'transfer',
    toAddress: 'us',
    units: 5n,
    callData: '42',
    gasLimit: null,
    encodedArgs: null,
  })
})

it('takes the call data of a family that writes its own', () => {
  expect(transferAction(REQUEST, '0xabc')).toMatchObject({ toAddress: 'us', units: 5n, callData: '0xabc' })
})
