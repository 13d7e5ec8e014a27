/** Errors of fuel-core's GraphQL API, and what they mean for us. It gives texts only, no codes. */
import { classOfError, type ErrorClass, type ErrorRow, type NodeError, RATE_LIMITS } from '@causeway/chain-kit'

export const ERRORS: readonly ErrorRow[] = [
  {
    class: 'known',
    text: /transaction id already exists|hash is already known|duplicate ?tx ?id/i,
    origin: 'fuel-core 0.48, executor and txpool_v2: the transaction with this very id; before 0.41 in other words',
    example: 'Transaction id already exists (id: 0x2a1f)',
  },
  {
    class: 'retry',
    text: /already exists and is more worth it/i,
    origin: 'fuel-core 0.48, txpool_v2/src/error.rs CollisionReason: another transaction spends the same UTXO',
    example: 'Transaction collided: Transaction with the same UTXO (id: 0x01) already exists and is more worth it',
  },
  {
    class: 'retry',
    text: /dependency is already too big|collision is also a dependency/i,
    origin: 'fuel-core 0.48, txpool_v2/src/error.rs DependencyError',
    example: 'Transaction dependency error: Transaction chain dependency is already too big',
  },
  {
    class: 'retry',
    text: /already spent|UTXO \(id: .*\) does not exist/i,
    origin: 'fuel-core 0.48, txpool_v2/src/error.rs: its inputs are gone, perhaps because it was mined itself',
    example: 'Transaction input validation failed: UTXO (id: 0x01) does not exist',
  },
  {
    class: 'retry',
    text: /pool limit is hit|too much transactions are in queue/i,
    origin: 'fuel-core 0.48, txpool_v2/src/error.rs',
    example: 'Pool limit is hit, try to increase gas_price',
  },
  {
    class: 'behind',
    text: /required (fuel )?block height/i,
    origin: 'fuel-core 0.42, graphql_api/required_fuel_block_height_extension.rs',
    example: 'The required fuel block height is higher than the current block height',
  },
  {
    class: 'asks too much',
    text: /too complex|too deep|nested too deep/i,
    origin: 'async-graphql 7, ParseRequestError and Analyzer limits, as fuel-core 0.48 sets them',
    example: 'Query is too complex.',
  },
  ...RATE_LIMITS,
]

export function classOf(error: NodeError): ErrorClass {
  return classOfError(ERRORS, error)
}
