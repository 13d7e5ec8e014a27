/**
 * The messages between the service and the signer process: JSON over HTTP. A token is named only by network and
 * contract, so the signer always uses the decimals of its own catalogue.
 */
import { type Approval, type Catalogue, type Order, tokenKey } from '@causeway/core'
import { z } from 'zod'

/** The largest request, a batch or a sweep with everything that it settles, is well below this size. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024

export const PATHS = {
  publicKey: '/v1/public-key',
  review: '/v1/review',
  exchanges: '/v1/exchanges',
  quote: '/v1/quote',
  sign: '/v1/sign',
  recorded: '/v1/recorded',
  release: '/v1/release',
  close: '/v1/close',
  status: '/v1/status',
  lines: '/v1/lines',
  claim: '/v1/claim',
  mark: '/v1/mark',
  branch: '/v1/branch',
  stop: '/v1/stop',
  resume: '/v1/resume',
  health: '/v1/health',
  metrics: '/metrics',
} as const

/** The latest time that a `Date` can hold. */
const LAST_DATE_MS = 8_640_000_000_000_000
export const Text = z.string().min(1).max(1_000)
const Hex = z.string().regex(/^([0-9a-f]{2})+$/)
const Units = z.string().regex(/^(0|[1-9]\d{0,77})$/)
const Key = z.strictObject({
  curve: z.enum(['secp256k1', 'ed25519', 'stark']),
  path: z.string().regex(/^m(\/\d{1,10}'?){1,10}$/),
})

const ApprovalWire = z.strictObject({
  payout: Text,
  attempt: z.int().positive(),
  signatures: z.array(Text).max(10),
})

export const OrderWire = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('transfers'),
    account: Text,
    transfers: z
      .array(
        z.strictObject({
          ...{ to: Text, token: Text, units: Units, approval: ApprovalWire.optional() },
          withdrawal: z.literal(true).optional(),
        }),
      )
      .max(1_000),
    call: z.string().optional(),
  }),
  z.strictObject({
    kind: z.literal('sweep'),
    account: Text,
    token: Text,
    sources: z
      .array(z.strictObject({ address: Text, index: z.int().min(0), branch: z.int().min(0).optional() }))
      .max(10_000),
  }),
  z.strictObject({
    kind: z.literal('exchange'),
    account: Text,
    provider: Text,
    sells: Text,
    units: Units,
    buys: Text,
    min_units: Units,
    to: Text,
    /** Unix milliseconds. A later one is no date, and no comparison with it is true. */
    deadline: z.int().positive().max(LAST_DATE_MS),
    route: z.string().max(100_000),
    approval: ApprovalWire.optional(),
  }),
  z.strictObject({ kind: z.literal('cancel'), account: Text }),
])

export const PublicKeyRequest = z.strictObject({ key: Key })
export const ReviewRequest = z.strictObject({ network: Text, order: OrderWire })
export const QuoteRequest = z.strictObject({ quote: z.string() })
export const PublicKeyAnswer = z.object({ public_key: Hex })
export const ExchangesAnswer = z.object({
  networks: z.record(z.string(), z.object({ routers: z.array(z.string()), tokens: z.array(z.string()) })),
})
export const QuoteAnswer = z.object({ signature: Hex })
export const ErrorAnswer = z.object({ error: z.string(), reason: z.string() })

export function writeOrder(order: Order): z.infer<typeof OrderWire> {
  const { account } = order
  if (order.kind === 'cancel') return { kind: 'cancel', account }
  if (order.kind === 'sweep') {
    const sources = order.sources.map(({ address, index, branch }) => ({
      address,
      index,
      ...(branch ? { branch } : {}),
    }))
    return { kind: 'sweep', account, token: tokenKey(order.token), sources }
  }
  if (order.kind === 'exchange') {
    const { provider, sells, buys, minUnits, to, deadline, route } = order.exchange
    return {
      ...{ kind: 'exchange', account, provider, to, route },
      ...{ sells: tokenKey(sells.token), units: sells.units.toString() },
      ...{ buys: tokenKey(buys), min_units: minUnits.toString(), deadline: deadline.getTime() },
      ...approvalWire(order.approval),
    }
  }
  const transfers = order.transfers.map(({ to, amount, approval, isWithdrawal }) => ({
    to,
    token: tokenKey(amount.token),
    units: amount.units.toString(),
    ...approvalWire(approval),
    ...(isWithdrawal ? { withdrawal: true as const } : {}),
  }))
  return { kind: 'transfers', account, transfers, ...(order.call === undefined ? {} : { call: order.call }) }
}

function approvalWire(approval: Approval | undefined): { approval?: z.infer<typeof ApprovalWire> } {
  return approval ? { approval: { ...approval, signatures: [...approval.signatures] } } : {}
}

/**
 * Converts an order from the wire, with the tokens of this catalogue; null if the catalogue does not list one of them.
 */
export function readOrder(catalogue: Catalogue, network: string, wire: z.infer<typeof OrderWire>): Order | null {
  const known = catalogue.networks.find(({ name }) => name === network)
  const tokenOf = (key: string) => known?.tokens.find((token) => tokenKey(token) === key)
  const { account } = wire
  if (wire.kind === 'cancel') return known ? { kind: 'cancel', account } : null
  if (wire.kind === 'sweep') {
    const token = tokenOf(wire.token)
    return token ? { kind: 'sweep', account, token, sources: wire.sources } : null
  }
  if (wire.kind === 'exchange') {
    const sold = tokenOf(wire.sells)
    const buys = tokenOf(wire.buys)
    if (!sold || !buys) return null
    const { provider, to, route, approval } = wire
    const sells = { token: sold, units: BigInt(wire.units) }
    const terms = { minUnits: BigInt(wire.min_units), deadline: new Date(wire.deadline) }
    const exchange = { provider, network, sells, buys, to, route, ...terms }
    return { kind: 'exchange', account, exchange, ...(approval ? { approval } : {}) }
  }
  const transfers = wire.transfers.flatMap(({ to, token: key, units, approval, withdrawal }) => {
    const token = tokenOf(key)
    if (!token) return []
    const marks = { ...(approval ? { approval } : {}), ...(withdrawal ? { isWithdrawal: true } : {}) }
    return [{ to, amount: { token, units: BigInt(units) }, ...marks }]
  })
  if (!known || transfers.length < wire.transfers.length) return null
  return { kind: 'transfers', account, transfers, ...(wire.call === undefined ? {} : { call: wire.call }) }
}
