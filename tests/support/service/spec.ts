/**
 * Section 2 of the specification, table by table, as data: the fields of every resource and their types. `?` marks
 * fields that may be null: because the table says so, or because there is no value yet ("Fields" in the wire
 * decisions).
 */
type Kind = 'string' | 'number' | 'integer' | 'boolean' | 'date' | 'uuid' | 'timespan' | 'units' | 'object'

/** A kind, a resource by name, or a list of either; with `?` if it may be null. */
export type FieldType = string
type Table = Record<string, FieldType>

export const TABLES: Record<string, Table> = {
  Token: {
    symbol: 'string',
    display_asset: 'string',
    logo: 'string',
    contract: 'string?',
    decimals: 'integer',
    price_in_usd: 'number',
    precision: 'number',
    listing_date: 'date',
    source_rank: 'integer',
    destination_rank: 'integer',
    group: 'string?',
    supports_gasless_deposit: 'boolean',
  },
  NetworkMetadata: {
    listing_date: 'date',
    evm_oracle_contract: 'string?',
    evm_multicall_contract: 'string?',
    zks_paymaster_contract: 'string?',
    watchdog_contract: 'string?',
  },
  Network: {
    name: 'string',
    display_name: 'string',
    logo: 'string',
    chain_id: 'string?',
    node_url: 'string?',
    nodes: 'string[]',
    type: 'string',
    transaction_explorer_template: 'string',
    account_explorer_template: 'string',
    source_rank: 'integer',
    destination_rank: 'integer',
    token: 'Token',
    metadata: 'NetworkMetadata',
    deposit_methods: 'string[]',
  },
  Exchange: { name: 'string', display_name: 'string', logo: 'string', metadata: 'ExchangeMetadata' },
  ExchangeMetadata: { oauth: 'Oauth?', listing_date: 'date' },
  Oauth: { authorize_url: 'string', connect_url: 'string' },
  Refuel: { token: 'Token', network: 'Network', amount: 'number', amount_in_usd: 'number' },
  Reward: {
    token: 'Token',
    network: 'Network',
    amount: 'number',
    amount_in_usd: 'number',
    campaign_type: 'string',
    nft_contract_address: 'string?',
  },
  Step: { provider: 'string', order: 'integer' },
  Quote: {
    total_fee: 'number',
    total_fee_in_usd: 'number',
    source_network: 'Network',
    source_token: 'Token',
    destination_network: 'Network',
    destination_token: 'Token',
    requested_amount: 'number',
    receive_amount: 'number',
    fee_discount: 'number',
    min_receive_amount: 'number',
    blockchain_fee: 'number',
    service_fee: 'number',
    avg_completion_time: 'timespan',
    refuel_in_source: 'number',
    slippage: 'number',
    rate: 'number',
    path: 'Step[]',
  },
  SwapMetadata: { sequence_number: 'integer', reference_id: 'string?', exchange_account: 'string?' },
  Swap: {
    id: 'uuid',
    created_date: 'date',
    close_date: 'date?',
    source_network: 'Network',
    source_token: 'Token',
    source_exchange: 'Exchange?',
    destination_network: 'Network',
    destination_token: 'Token',
    destination_exchange: 'Exchange?',
    requested_amount: 'number',
    destination_address: 'string',
    source_address: 'string?',
    status: 'string',
    fail_reason: 'string?',
    use_deposit_address: 'boolean',
    metadata: 'SwapMetadata',
    transactions: 'Transaction[]',
  },
  Transaction: {
    from: 'string?',
    to: 'string?',
    timestamp: 'date',
    transaction_hash: 'string?',
    confirmations: 'integer',
    max_confirmations: 'integer',
    amount: 'number',
    amount_in_usd: 'number?',
    type: 'string',
    status: 'string',
    token: 'Token',
    network: 'Network',
    fee_amount: 'number?',
    fee_token: 'Token',
  },
  DepositAction: {
    type: 'string',
    to_address: 'string',
    amount: 'number',
    amount_in_base_units: 'units',
    call_data: 'string?',
    network: 'Network',
    token: 'Token',
    fee_token: 'Token',
    order: 'number',
    gas_limit: 'units?',
    encoded_args: 'string[]',
    valid_after: 'number?',
    valid_before: 'number?',
    nonce: 'string?',
    typed_data: 'object?',
  },
  ApiError: { code: 'string', message: 'string', metadata: 'object' },
  Limits: { min_amount: 'number', min_amount_in_usd: 'number', max_amount: 'number', max_amount_in_usd: 'number' },
}

/** As the lists show them. */
TABLES.ListedNetwork = { ...TABLES.Network, tokens: 'Token[]' }
TABLES.RouteToken = { ...TABLES.Token, status: 'string', refuel: 'Refuel?' }
TABLES.RouteNetwork = { ...TABLES.Network, tokens: 'RouteToken[]' }
TABLES.Quoted = { quote: 'Quote', refuel: 'Refuel?', reward: 'Reward?' }
TABLES.ListedSwap = { ...TABLES.Quoted, swap: 'Swap' }
TABLES.CreatedSwap = { ...TABLES.ListedSwap, deposit_actions: 'DepositAction[]' }

const KINDS: Record<Kind, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  date: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value),
  uuid: (value) =>
    typeof value === 'string' && /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(value),
  timespan: (value) => typeof value === 'string' && /^\d\d:\d\d:\d\d$/.test(value),
  units: (value) => typeof value === 'string' && /^\d+$/.test(value),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
}

/** Missing fields and fields of another type, by path. `seen` collects the fields that had a value at all. */
export function violations(value: unknown, type: FieldType, seen: Set<string>, place = type): string[] {
  if (type.endsWith('?')) return value === null ? [] : violations(value, type.slice(0, -1), seen, place)
  if (type.endsWith('[]')) {
    if (!Array.isArray(value)) return [`${place} is no list`]
    return value.flatMap((item, at) => violations(item, type.slice(0, -2), seen, `${place}[${at}]`))
  }
  const table = TABLES[type]
  if (!table) return KINDS[type as Kind](value) ? [] : [`${place} is no ${type}: ${JSON.stringify(value)}`]
  if (typeof value !== 'object' || value === null) return [`${place} is no ${type}`]
  return Object.entries(table).flatMap(([name, field]) => {
    if (!Object.hasOwn(value, name)) return [`${place}.${name} is missing`]
    const inside: unknown = Reflect.get(value, name)
    if (inside !== null) seen.add(`${type}.${name}`)
    return violations(inside, field, seen, `${place}.${name}`)
  })
}
