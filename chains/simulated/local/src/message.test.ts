import { expect, test } from 'vitest'
import { verifyMessage } from '../../src/depositing/verify-message.ts'
import { accountFrom, signText } from './account.ts'

const [owner, other] = [accountFrom('owner'), accountFrom('other')]
const text = 'back to sim1…'

test('a text is signed by the address whose key signed it, and by no other', async () => {
  const signature = signText(owner, text)
  expect(await verifyMessage({ address: owner.address, text, signature })).toBe(true)
  expect(await verifyMessage({ address: other.address, text, signature })).toBe(false)
  expect(await verifyMessage({ address: owner.address, text: `${text} `, signature })).toBe(false)
  expect(await verifyMessage({ address: owner.address, text, signature: signText(other, text) })).toBe(false)
})

test('malformed signatures are rejected', async () => {
  const signature = signText(owner, text)
  for (const broken of [
    '',
    'x',
    signature.slice(0, -1),
    `${signature.slice(0, 67)}${'0'.repeat(128)}`,
    `04${signature}`,
  ])
    expect(await verifyMessage({ address: owner.address, text, signature: broken })).toBe(false)
})
