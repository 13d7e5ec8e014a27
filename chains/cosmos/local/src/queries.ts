/** The application's answers behind the node: accounts, balances, simulations and gas prices, in protobuf. */
import type { LocalChain } from './chain.ts'
import { moneyBytes } from './envelope.ts'
import { bytesAt, fieldsOf, lengthField, numberField, optionalField, textAt } from './wire.ts'

interface Answer {
  code: number
  log: string
  value: Buffer | null
}

type Query = (chain: LocalChain, request: Buffer, height: bigint) => Answer

const NOT_FOUND = 22
const UNKNOWN_REQUEST = 6

export function answerQuery(chain: LocalChain, path: string, request: Buffer, height: bigint): Answer {
  const query = QUERIES[path]
  return query?.(chain, request, height) ?? { code: UNKNOWN_REQUEST, log: `unknown query path: ${path}`, value: null }
}

const QUERIES: Readonly<Record<string, Query>> = {
  '/cosmos.auth.v1beta1.Query/Account'(chain, request, height) {
    const address = textAt(fieldsOf(request), 1)
    const found = chain.ledger.accountAt(address, height)
    if (!found) return { code: NOT_FOUND, log: `account ${address} not found: key not found`, value: null }
    const key = found.key
      ? optionalField(
          2,
          Buffer.concat([lengthField(1, found.key.type), lengthField(2, lengthField(1, found.key.bytes))]),
        )
      : Buffer.alloc(0)
    const base = [lengthField(1, address), key, numberField(3, found.number), numberField(4, found.sequence)]
    const plain = { type: '/cosmos.auth.v1beta1.BaseAccount', value: Buffer.concat(base) }
    const vesting = [
      lengthField(1, plain.value),
      ...(found.locked ?? []).map((coin) => lengthField(2, moneyBytes(coin))),
    ]
    const locked = {
      type: '/cosmos.vesting.v1beta1.PermanentLockedAccount',
      value: lengthField(1, Buffer.concat(vesting)),
    }
    const { type, value } = found.locked ? locked : plain
    const any = [lengthField(1, type), lengthField(2, value)]
    return good(lengthField(1, Buffer.concat(any)))
  },

  '/cosmos.bank.v1beta1.Query/Balance': (chain, request, height) =>
    coinAnswer(request, (owner, denom) => chain.ledger.balanceAt(owner, denom, height)),
  '/cosmos.bank.v1beta1.Query/SpendableBalanceByDenom': (chain, request, height) =>
    coinAnswer(request, (owner, denom) => chain.ledger.spendableAt(owner, denom, height)),

  '/cosmos.bank.v1beta1.Query/AllBalances'(chain, request, height) {
    const address = textAt(fieldsOf(request), 1)
    const coins = chain.ledger
      .denomsOf(address)
      .map((denom) => ({ denom, amount: chain.ledger.balanceAt(address, denom, height) }))
      .filter(({ amount }) => amount > 0n)
    return good(Buffer.concat(coins.map((coin) => lengthField(1, moneyBytes(coin)))))
  },

  '/cosmos.tx.v1beta1.Service/Simulate'(chain, request) {
    const outcome = chain.simulate(bytesAt(fieldsOf(request), 2))
    if (outcome.code !== 0) {
      const log = `rpc error: code = Unknown desc = ${outcome.log}: unknown request`
      return { code: UNKNOWN_REQUEST, log, value: null }
    }
    const gas = [numberField(1, outcome.gasWanted), numberField(2, outcome.gasUsed)]
    return good(lengthField(1, Buffer.concat(gas)))
  },

  '/feemarket.feemarket.v1.Query/GasPrice': ({ rules }) =>
    good(lengthField(1, Buffer.concat([lengthField(1, rules.feeDenom), lengthField(2, rules.gasPrice.toString())]))),
  '/osmosis.txfees.v1beta1.Query/GetEipBaseFee': ({ rules }) => good(lengthField(1, rules.gasPrice.toString())),
  '/injective.txfees.v1beta1.Query/GetEipBaseFee': ({ rules }) =>
    good(lengthField(1, lengthField(1, rules.gasPrice.toString()))),
  '/cosmos.evm.feemarket.v1.Query/BaseFee': ({ rules }) => good(lengthField(1, rules.gasPrice.toString())),
}

function coinAnswer(request: Buffer, unitsOf: (owner: string, denom: string) => bigint): Answer {
  const fields = fieldsOf(request)
  const [owner, denom] = [textAt(fields, 1), textAt(fields, 2)]
  return good(lengthField(1, moneyBytes({ denom, amount: unitsOf(owner, denom) })))
}

function good(value: Buffer): Answer {
  return { code: 0, log: '', value }
}
