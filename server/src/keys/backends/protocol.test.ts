/** Messages to the signer process that its rules could not judge are no orders. */
import { expect, it } from 'vitest'
import { OrderWire } from './protocol.ts'

const LAST_DATE_MS = 8_640_000_000_000_000

it('a deadline that no date can hold is refused: no comparison with it is true', () => {
  const exchange = {
    ...{ kind: 'exchange', account: 'a', provider: 'p', sells: 's', units: '1', buys: 'b', min_units: '1', to: 'a' },
    ...{ route: '', deadline: LAST_DATE_MS },
  }
  expect(OrderWire.safeParse(exchange).error).toBeUndefined()
  expect(OrderWire.safeParse({ ...exchange, deadline: LAST_DATE_MS + 1 }).success).toBe(false)
})
