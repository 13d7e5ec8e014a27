/** The queries of this family to fuel-core, each with a decoder that keeps only what we use. */
import type { BlockRef } from '@causeway/core'
import type { Receipt } from '../receipts.ts'
import { type Outpoint, partOf } from '../transaction.ts'
import { fieldsOf, id, integer, list, optional, pageOf, text } from './decode.ts'
import type { Query } from './node.ts'

/** The gas of an operation for a number of bytes. */
export interface ByteCost {
  base: bigint
  /** Gas per byte for a heavy operation; bytes per gas for a light one. */
  gasPerUnit: bigint | null
  unitsPerGas: bigint | null
}

export interface Parameters {
  chainId: bigint
  baseAsset: string
  maxInputs: bigint
  maxSize: bigint
  gasPriceFactor: bigint
  gasPerByte: bigint
  vmInitialization: ByteCost
  hashing: ByteCost
  recovery: bigint
}

export function parameters(): Query<Parameters> {
  const cost = '{ __typename ... on LightOperation { base unitsPerGas } ... on HeavyOperation { base gasPerUnit } }'
  const document = `query causewayParameters { chain { consensusParameters {
    chainId baseAssetId txParams { maxInputs maxSize } feeParams { gasPriceFactor gasPerByte }
    gasCosts { vmInitialization ${cost} s256 ${cost} ecr1 } } } }`
  return query('causewayParameters', document, {}, ({ chain }) => {
    const found = fieldsOf(fieldsOf(chain).consensusParameters)
    const [limits, fees, costs] = [fieldsOf(found.txParams), fieldsOf(found.feeParams), fieldsOf(found.gasCosts)]
    return {
      chainId: integer(found.chainId),
      baseAsset: id(found.baseAssetId),
      maxInputs: integer(limits.maxInputs),
      maxSize: integer(limits.maxSize),
      gasPriceFactor: integer(fees.gasPriceFactor),
      gasPerByte: integer(fees.gasPerByte),
      vmInitialization: byteCost(costs.vmInitialization),
      hashing: byteCost(costs.s256),
      recovery: integer(costs.ecr1),
    }
  })
}

function byteCost(raw: unknown): ByteCost {
  const { base, gasPerUnit, unitsPerGas } = fieldsOf(raw)
  return { base: integer(base), gasPerUnit: optional(integer)(gasPerUnit), unitsPerGas: optional(integer)(unitsPerGas) }
}

export function head(): Query<BlockRef> {
  const document = 'query causewayHead { chain { latestBlock { id height } } }'
  return query('causewayHead', document, {}, ({ chain }) => blockRef(fieldsOf(chain).latestBlock))
}

export interface Header extends BlockRef {
  transactions: bigint
}

const HEADERS = `blocks(after: $after, first: $first) {
    edges { node { id height header { transactionsCount } } } pageInfo { hasNextPage endCursor } }`

/** Up to `count` blocks from this height on. */
export function headers(from: bigint, count: number): Query<Header[]> {
  const document = `query causewayHeaders($after: String, $first: Int) { ${HEADERS} }`
  return query('causewayHeaders', document, stretchOf(from, count), (data) => headersIn(data, from, count))
}

/** Like `headers`, with the newest block, in one answer. */
export function tip(from: bigint, count: number): Query<{ head: BlockRef; rows: Header[] }> {
  const document = `query causewayTip($after: String, $first: Int) { chain { latestBlock { id height } } ${HEADERS} }`
  return query('causewayTip', document, stretchOf(from, count), (data) => ({
    head: blockRef(fieldsOf(data.chain).latestBlock),
    rows: headersIn(data, from, count),
  }))
}

function stretchOf(from: bigint, count: number): Record<string, unknown> {
  return { first: count, ...(from > 0n && { after: (from - 1n).toString() }) }
}

function headersIn({ blocks }: Record<string, unknown>, from: bigint, count: number): Header[] {
  const { rows } = pageOf(blocks, (node): Header => {
    const { header } = fieldsOf(node)
    return { ...blockRef(node), transactions: integer(fieldsOf(header).transactionsCount) }
  })
  // A gap in the range would lose deposits.
  const isWhole = rows.length <= count && rows.every(({ number }, place) => number === from + BigInt(place))
  if (!isWhole) throw new TypeError('other blocks than were asked for')
  return rows
}

export interface FullBlock extends BlockRef {
  transactionsRoot: string
  /** The block's transactions in order, as bytes in hex. */
  payloads: { id: string; raw: string }[]
}

export function fullBlock(height: bigint): Query<FullBlock | null> {
  const document = `query causewayBlock($height: U32) { block(height: $height) {
    id height header { transactionsRoot } transactions { id rawPayload } } }`
  return query('causewayBlock', document, { height: height.toString() }, ({ block }) =>
    optional((raw): FullBlock => {
      const { header, transactions } = fieldsOf(raw)
      return {
        ...blockRef(raw),
        transactionsRoot: id(fieldsOf(header).transactionsRoot),
        payloads: list(transactions).map((one) => {
          const found = fieldsOf(one)
          return { id: id(found.id), raw: text(found.rawPayload) }
        }),
      }
    })(block),
  )
}

/** The block's own timestamp in seconds. */
export function blockSeconds(height: bigint): Query<(BlockRef & { seconds: bigint }) | null> {
  const document = 'query causewayTime($height: U32) { block(height: $height) { id height header { time } } }'
  return query('causewayTime', document, { height: height.toString() }, ({ block }) =>
    optional((raw) => ({ ...blockRef(raw), seconds: integer(fieldsOf(fieldsOf(raw).header).time) }))(block),
  )
}

/** The result of a transaction in a block. */
interface Run {
  block: BlockRef
  isSuccess: boolean
  receipts: Receipt[]
}

export interface FoundTransaction {
  raw: string
  /** The result in a block; null while the transaction is pending, and if it is no longer in a block. */
  landed: Omit<Run, 'receipts'> | null
  /** Whether the node has the transaction in its mempool. */
  isWaiting: boolean
}

export function transaction(txId: string): Query<FoundTransaction | null> {
  const document = documentOf('causewayTransaction', 'id rawPayload', 'block { id height }')
  return query('causewayTransaction', document, { id: txId }, ({ transaction: raw }) =>
    optional((found): FoundTransaction => {
      const { id: named, rawPayload, status } = fieldsOf(found)
      if (named !== txId) throw new TypeError('another transaction than asked for')
      const { state, isLanded, isSuccess, fields } = statusIn(status)
      return {
        raw: text(rawPayload),
        landed: isLanded ? { block: blockRef(fields.block), isSuccess } : null,
        // A transaction dropped from one mempool may still be in another. A preconfirmation is only a promise.
        isWaiting: !isLanded && state !== 'SqueezedOutStatus' && state !== 'none',
      }
    })(raw),
  )
}

const RECEIPT = `receiptType id pc is to toAddress amount assetId gas param1 param2 val ptr digest reason ra rb rc rd len result
  gasUsed data sender recipient nonce contractId subId`

/**
 * A transaction's receipts; null if it is in no block. Queried separately, because the sender chooses the size of the
 * answer.
 */
export function receiptsOf(txId: string): Query<Run | null> {
  const document = documentOf('causewayReceipts', 'id', `block { id height } receipts { ${RECEIPT} }`)
  return query('causewayReceipts', document, { id: txId }, ({ transaction: raw }) =>
    optional((found): Run | null => {
      const { id: named, status } = fieldsOf(found)
      if (named !== txId) throw new TypeError('another transaction than asked for')
      const { isLanded, isSuccess, fields } = statusIn(status)
      if (!isLanded) return null
      return { block: blockRef(fields.block), isSuccess, receipts: list(fields.receipts).map(fieldsOf) }
    })(raw),
  )
}

function documentOf(name: string, fields: string, landed: string): string {
  return `query ${name}($id: TransactionId!) { transaction(id: $id) { ${fields} status {
    __typename ... on SuccessStatus { ${landed} } ... on FailureStatus { ${landed} } } } }`
}

function statusIn(status: unknown) {
  const { __typename: state, ...fields } = fieldsOf(status ?? { __typename: 'none' })
  const isSuccess = state === 'SuccessStatus'
  return { state, isSuccess, isLanded: isSuccess || state === 'FailureStatus', fields }
}

export interface FoundCoin extends Outpoint {
  owner: string
  units: bigint
  asset: string
  /** The block that created the coin. */
  madeAt: bigint
}

/** The maximum number of coins per page. */
export const COIN_PAGE = 512

export function coinsOf(owner: string, asset: string, after: string | null) {
  const document = `query causewayCoins($filter: CoinFilterInput!, $after: String, $first: Int) {
    coins(filter: $filter, after: $after, first: $first) {
      edges { node { utxoId owner amount assetId blockCreated } } pageInfo { hasNextPage endCursor } } }`
  const variables = { filter: { owner, assetId: asset }, first: COIN_PAGE, ...(after !== null && { after }) }
  return query('causewayCoins', document, variables, ({ coins }) => {
    const page = pageOf(coins, foundCoin)
    if (page.rows.some((coin) => coin.owner !== owner || coin.asset !== asset)) throw new TypeError('coins of another')
    return page
  })
}

/** Messages per query: only a bridge creates them, and our wallets get few. */
const MESSAGE_PAGE = 100

/**
 * The node's own sum of an address's coins, however many there are. It includes bridge messages without data, which are
 * in the base asset and are subtracted. Null if there are too many of them.
 */
export function sumOf(owner: string, asset: string, isBase: boolean): Query<bigint | null> {
  const messages = `messages(owner: $owner, first: $first) { edges { node { amount data } } pageInfo { hasNextPage endCursor } }`
  const document = `query causewaySum($owner: Address!, $asset: AssetId!${isBase ? ', $first: Int' : ''}) {
    balance(owner: $owner, assetId: $asset) { owner assetId amountU128 } ${isBase ? messages : ''} }`
  const variables = { owner, asset, ...(isBase && { first: MESSAGE_PAGE }) }
  return query('causewaySum', document, variables, ({ balance, messages: found }) => {
    const told = fieldsOf(balance)
    if (told.owner !== owner || told.assetId !== asset) throw new TypeError('a sum of another')
    if (!isBase) return integer(told.amountU128)
    const page = pageOf(found, (raw) => {
      const { amount, data } = fieldsOf(raw)
      return text(data) === '0x' ? integer(amount) : 0n
    })
    return page.after === null ? page.rows.reduce((left, one) => left - one, integer(told.amountU128)) : null
  })
}

/** The maximum number of coins that a node selects at once. */
const MOST_PICKED = 100

/** Coins of an address that together hold this much, the largest first. Bridge messages are left out. */
export function coinsToSpend(owner: string, asset: string, units: bigint): Query<FoundCoin[]> {
  const document = `query causewayPick($owner: Address!, $wanted: [SpendQueryElementInput!]!) {
    coinsToSpend(owner: $owner, queryPerAsset: $wanted) {
      __typename ... on Coin { utxoId owner amount assetId blockCreated } ... on MessageCoin { amount } } }`
  const wanted = [{ assetId: asset, amount: units.toString(), max: MOST_PICKED.toString() }]
  return query('causewayPick', document, { owner, wanted }, ({ coinsToSpend: found }) => {
    const coins = list(found).flatMap(list).map(fieldsOf)
    const picked = coins.filter(({ __typename: type }) => type === 'Coin').map(foundCoin)
    if (picked.some((coin) => coin.owner !== owner || coin.asset !== asset)) throw new TypeError('coins of another')
    return picked
  })
}

/** Coins per query. */
const COINS_AT_ONCE = 50

/** The balance of each coin; null if it is spent or never existed. */
export function coinsById(coins: readonly Outpoint[]): Query<(FoundCoin | null)[]>[] {
  return chunks(coins, COINS_AT_ONCE).map((some) => {
    const fields = some.map(
      (_, place) => `c${place}: coin(utxoId: $c${place}) { utxoId owner amount assetId blockCreated }`,
    )
    const declared = some.map((_, place) => `$c${place}: UtxoId!`).join(', ')
    const document = `query causewayCoin(${declared}) { ${fields.join(' ')} }`
    const variables = Object.fromEntries(some.map((coin, place) => [`c${place}`, utxoIdOf(coin)]))
    return query('causewayCoin', document, variables, (data) =>
      some.map((coin, place) => {
        const found = optional(foundCoin)(data[`c${place}`])
        if (found && partOf(found) !== partOf(coin)) throw new TypeError('another coin than asked for')
        return found
      }),
    )
  })
}

export type NotAnOwner = 'contract' | 'blob' | 'transaction'

/** Ids per query: three lookups each. */
const IDS_AT_ONCE = 10

/** For each id: why it cannot own money; null if it is a possible address. */
export function thingsAt(ids: readonly string[]): Query<(NotAnOwner | null)[]>[] {
  return chunks(ids, IDS_AT_ONCE).map((some) => {
    const fields = some.map(
      (_, place) =>
        `k${place}: contract(id: $k${place}) { id } b${place}: blob(id: $b${place}) { id } t${place}: transaction(id: $t${place}) { id }`,
    )
    const declared = some.map((_, place) => `$k${place}: ContractId!, $b${place}: BlobId!, $t${place}: TransactionId!`)
    const document = `query causewayOwners(${declared.join(', ')}) { ${fields.join(' ')} }`
    const named = some.flatMap((one, place) => ['k', 'b', 't'].map((letter) => [`${letter}${place}`, one]))
    const variables = Object.fromEntries(named)
    return query('causewayOwners', document, variables, (data) =>
      some.map((_, place) => {
        const isThere = (letter: string) => optional(fieldsOf)(data[`${letter}${place}`]) !== null
        return isThere('k') ? 'contract' : isThere('b') ? 'blob' : isThere('t') ? 'transaction' : null
      }),
    )
  })
}

/** The maximum gas price within this many blocks. */
export function gasPrice(horizon: number): Query<bigint> {
  const document = 'query causewayGas($horizon: U32!) { estimateGasPrice(blockHorizon: $horizon) { gasPrice } }'
  return query('causewayGas', document, { horizon: horizon.toString() }, ({ estimateGasPrice }) =>
    integer(fieldsOf(estimateGasPrice).gasPrice),
  )
}

export function submit(bytes: string): Query<string> {
  const document = 'mutation causewaySubmit($tx: HexString!) { submit(tx: $tx) { id } }'
  return query('causewaySubmit', document, { tx: bytes }, (data) => id(fieldsOf(data.submit).id))
}

/** The node's name of a coin: the transaction's id followed by two bytes for the output. */
function utxoIdOf({ txId, index }: Outpoint): string {
  return txId + index.toString(16).padStart(4, '0')
}

function foundCoin(raw: unknown): FoundCoin {
  const { utxoId, owner, amount, assetId, blockCreated } = fieldsOf(raw)
  const match = /^(0x[0-9a-f]{64})([0-9a-f]{4})$/.exec(text(utxoId))
  if (!match?.[1] || !match[2]) throw new TypeError('a coin was expected')
  const place = { txId: match[1], index: Number.parseInt(match[2], 16) }
  return { ...place, owner: id(owner), units: integer(amount), asset: id(assetId), madeAt: integer(blockCreated) }
}

function blockRef(raw: unknown): BlockRef {
  const { id: hash, height } = fieldsOf(raw)
  return { number: integer(height), hash: id(hash) }
}

function query<T>(
  name: string,
  document: string,
  variables: Readonly<Record<string, unknown>>,
  read: (data: Record<string, unknown>) => T,
): Query<T> {
  return { name, document, variables, read }
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, turn) =>
    items.slice(turn * size, (turn + 1) * size),
  )
}
