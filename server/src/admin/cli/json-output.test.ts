import { expect, test } from 'vitest'
import { createJsonOutput } from './json-output.ts'

test('tables become rows by their heads; lines and a request are kept', () => {
  const { sinks, text } = createJsonOutput()
  sinks.table?.(
    ['network', 'wallet'],
    [
      ['ALPHA', 'a'],
      ['BETA', 'b'],
    ],
  )
  sinks.print('two wallets')
  sinks.asked?.('7')
  expect(JSON.parse(text())).toEqual({
    rows: [
      { network: 'ALPHA', wallet: 'a' },
      { network: 'BETA', wallet: 'b' },
    ],
    lines: ['two wallets'],
    request: '7',
    units: {},
  })
})

test('the total of a table is not one of its rows', () => {
  const { sinks, text } = createJsonOutput()
  sinks.table?.(['network', 'earned'], [['ALPHA', '1 USDC ($1.00)']], ['total', '$1.00'])
  expect(JSON.parse(text())).toMatchObject({
    rows: [{ network: 'ALPHA', earned: '1 USDC ($1.00)' }],
    total: { network: 'total', earned: '$1.00' },
  })
})
