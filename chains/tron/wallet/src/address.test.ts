/** Pasted Tron addresses. */
import { expect, it } from 'vitest'
import { readAddress } from './address.ts'

it.each(['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb'])('%s is accepted', (address) => {
  expect(readAddress(` ${address}\n`)).toEqual({ state: 'ok', address, amount: null, fromLink: false })
})

it.each([
  '',
  'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6',
  'Tzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz',
  '41a614f803b6fd780986a42c78ec9c7f77e6ded13c',
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
])('%s is not an address', (text) => expect(readAddress(text)).toEqual({ state: 'not_one' }))
