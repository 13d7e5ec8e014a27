/**
 * HTTP server of the signer process. A request needs the access token, then passes the journal's fences and the policy.
 * The answer is a whole transaction that is already in the journal; only quotes get a bare signature.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { rmSync } from 'node:fs'
import { type Catalogue, type Order, type Signer, tokenKey } from '@causeway/core'
import { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, fastify, LogController } from 'fastify'
import { z } from 'zod'
import { createSignerMetrics } from '../../observe/signer-metrics.ts'
import {
  MAX_BODY_BYTES,
  PATHS,
  PublicKeyRequest,
  QuoteRequest,
  ReviewRequest,
  readOrder,
} from '../backends/protocol.ts'
import type { Journal } from '../journal/journal.ts'
import type { Entry, RecordedPayout } from '../journal/line.ts'
import { localOrders } from '../orders/local.ts'
import type { OrderSigner, SignAnswer, SignRequest } from '../orders/orders.ts'
import {
  BranchRequest,
  ClaimRequest,
  ClosingWire,
  LinesRequest,
  MarkRequest,
  PlaceWire,
  ReleaseRequest,
  ResumeRequest,
  SignRequestWire,
  StopRequest,
  writeAnswer,
  writeRecord,
} from '../orders/wire.ts'
import { QUOTE_KEY } from '../quotes/quote-key.ts'
import { type Adapters, Unsignable } from './adapters.ts'
import type { Policy } from './policy.ts'

export interface SignerParts extends Adapters {
  catalogue: Catalogue
  signer: Signer
  policy: Policy
  journal: Journal
  /**
   * Path of a file that an operator creates on the signer's machine to let signing continue after a restore. The signer
   * deletes it when it is used.
   */
  permission: string
  token: string
  now: () => Date
  log: FastifyBaseLogger
}

const REQUEST_TIMEOUT_MS = 10_000
/** Number of journal lines per response. */
const LINES = 2_000

/** An error response, with its HTTP status. */
class Denied extends Error {
  override name = 'Denied'
  readonly status: number
  readonly error: string
  constructor(status: number, error: string, reason: string) {
    super(reason)
    this.status = status
    this.error = error
  }
}

const refused = (reason: string): Denied => new Denied(403, 'refused', reason)

export function createSignerApp(parts: SignerParts): FastifyInstance {
  const { log, signer, journal } = parts
  const orders = ordersOf(parts)
  const metrics = createSignerMetrics(parts.catalogue.networks.map(({ name }) => name))
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request' }),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
  })
  app.setErrorHandler((error, _request, reply) => {
    const denied = deniedOf(error)
    if (denied.status >= 500) {
      metrics.failures.inc()
      log.error({ err: error }, 'signer failed')
    } else log.warn({ status: denied.status, reason: denied.message }, 'signer refused')
    return reply.code(denied.status).send({ error: denied.error, reason: denied.message })
  })
  app.get(PATHS.health, async (_request, reply) => {
    const status = journal.isBroken() ? 'journal_broken' : journal.state() === 'running' ? 'ok' : 'stopped'
    return reply.code(status === 'ok' ? 200 : 503).send({ status })
  })
  // Numbers only: like the health check, it needs no token.
  app.get(PATHS.metrics, async (_request, reply) => {
    metrics.ready.set(!journal.isBroken() && journal.state() === 'running' ? 1 : 0)
    metrics.journalLine.set(journal.head().n)
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics())
  })
  app.register(async (guarded) => {
    guarded.addHook('onRequest', async (request) => checkToken(request, parts.token))
    const answer = <Shape extends z.ZodType>(
      path: string,
      shape: Shape,
      work: (asked: z.infer<Shape>) => Promise<unknown>,
    ) => guarded.post(path, async ({ body }) => (await work(read(shape, body))) ?? {})
    answer(PATHS.publicKey, PublicKeyRequest, async ({ key }) => ({ public_key: hex(await signer.publicKey(key)) }))
    answer(PATHS.quote, QuoteRequest, async ({ quote }) => ({
      signature: hex(await signer.sign(QUOTE_KEY, new Uint8Array(Buffer.from(quote)), { quote })),
    }))
    answer(PATHS.exchanges, z.strictObject({}), async () => ({ networks: parts.policy.exchangeScope() }))
    answer(PATHS.review, ReviewRequest, async (asked) => review(parts, asked))
    answer(PATHS.sign, SignRequestWire, async (asked) => {
      const signed = await sign(parts, orders, asked)
      const isKnown = parts.catalogue.networks.some(({ name }) => name === asked.network)
      const counter = signed.is === 'signed' ? metrics.signed : metrics.refused
      counter.inc({ network: isKnown ? asked.network : 'unknown' })
      return writeAnswer(signed)
    })
    answer(PATHS.recorded, PlaceWire, async (slot) => ({ records: (await orders.recorded(slot)).map(writeRecord) }))
    answer(PATHS.release, ReleaseRequest, async ({ allocation, ...slot }) => ({
      records: (await orders.release(slot, allocation)).map(writeRecord),
    }))
    answer(PATHS.close, ClosingWire, async (closing) => {
      // Releasing parts too early would allow a second payment. The signer therefore checks on chain that the first
      // transaction can no longer be mined.
      const judged = closing.freed.length > 0 ? await orders.recorded(closing) : []
      const isOver = judged.length > 0 && (await parts.isOver(closing.network, judged))
      // A signature made while the nodes were asked was not checked. No `await` follows until the slot is closed.
      const isFree = isOver && !journal.isSigning(closing) && journal.signatures(closing).length === judged.length
      return { closed: await orders.close({ ...closing, freed: isFree ? closing.freed : [] }) }
    })
    answer(PATHS.status, z.unknown(), () => orders.status())
    answer(PATHS.lines, LinesRequest, async ({ after }) => ({ lines: takeLines(journal, after) }))
    answer(PATHS.claim, ClaimRequest, async ({ database }) => {
      if (journal.database() !== null) throw refused('the journal of this signer belongs to a database')
      await journal.claim(database)
    })
    answer(PATHS.branch, BranchRequest, async ({ writer }) => ({ branch: await orders.branch(writer) }))
    answer(PATHS.stop, StopRequest, ({ code, found }) => orders.stop(code, found))
    answer(PATHS.mark, MarkRequest, ({ vector }) => orders.saveMark(vector))
    answer(PATHS.resume, ResumeRequest, async ({ vector, by }) => {
      usePermission(parts.permission)
      await orders.resume(vector, by)
      log.warn({ by }, 'signing is resumed after a restore')
    })
  })
  return app
}

function ordersOf({ journal, adapterOf, policy, now }: SignerParts): OrderSigner {
  return localOrders({
    journal,
    adapterOf,
    approvalsOf: (network, order) => policy.approvals(network, order),
    judge({ network, order }, { feeUnits }, { isNew, feeBefore }) {
      const outflow = journal.outflow(now())
      const more = feeUnits > feeBefore ? feeUnits - feeBefore : 0n
      return (
        (feeUnits > 0n ? policy.judgeFee(network, order, { units: feeUnits, more }, outflow) : null) ??
        (isNew ? policy.judgeRate(network, order, feeUnits, outflow) : null)
      )
    },
  })
}

function checkToken({ headers }: FastifyRequest, token: string): void {
  const given = createHash('sha256')
    .update(headers.authorization ?? '')
    .digest()
  const wanted = createHash('sha256').update(`Bearer ${token}`).digest()
  if (!timingSafeEqual(given, wanted)) throw new Denied(401, 'unauthorised', 'the token is not accepted')
}

function read<Shape extends z.ZodType>(shape: Shape, body: unknown): z.infer<Shape> {
  const parsed = shape.safeParse(body)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new Denied(400, 'malformed', `${issue?.path.join('.')}: ${issue?.message}`)
}

/** Refuses an order that the policy would refuse now. The service asks before it allocates a slot. */
async function review(parts: SignerParts, asked: z.infer<typeof ReviewRequest>): Promise<void> {
  const { catalogue, policy, journal, now } = parts
  const order = readOrder(catalogue, asked.network, asked.order)
  if (!order) throw refused(`the network ${asked.network} or its token is not known here`)
  const reason =
    (await judge(parts, asked.network, order)) ?? policy.judgeRate(asked.network, order, 0n, journal.outflow(now()))
  if (reason) throw refused(reason)
}

/**
 * The policy's judgement. The bytes of a call are decoded here: an approval lets a router take tokens, whatever the
 * service says that it is.
 */
async function judge({ policy, adapterOf }: SignerParts, network: string, order: Order): Promise<string | null> {
  const isCall = order.kind === 'transfers' && order.call !== undefined
  // Checked first: the family's code must not get an order of a network that the policy does not list.
  if (!isCall || !policy.lists(network)) return policy.judge(network, order, null)
  const { exchanges } = await adapterOf(network)
  return policy.judge(network, order, (order.call && exchanges?.approvalIn(order.call)) || null)
}

/** Why the payouts that an exchange is recorded for are not this exchange; null if they are. */
function mismatch(order: Order, payouts: readonly RecordedPayout[]): string | null {
  if (order.kind !== 'exchange') return null
  const { account, exchange } = order
  const { sells, to } = exchange
  const [payout, ...more] = payouts
  const isSame = payout?.to === to && payout.token === tokenKey(sells.token) && payout.units === `${sells.units}`
  if (!isSame || more.length > 0) return 'the exchange is not the payout that it is recorded for'
  // A sale brings its proceeds home, and nothing else does.
  return (payout.kind === 'sale') === (to === account)
    ? null
    : 'the recipient of the exchange is not that of its payout'
}

async function sign(
  parts: SignerParts,
  orders: OrderSigner,
  wire: z.infer<typeof SignRequestWire>,
): Promise<SignAnswer> {
  const { catalogue, log } = parts
  const { network } = wire
  const order = readOrder(catalogue, network, wire.order)
  if (!order) return no(`the network ${network} or its token is not known here`)
  if ((wire.purpose === 'cancel') !== (order.kind === 'cancel')) return no('the purpose is not that of the order')
  const reason = mismatch(order, wire.payouts) ?? (await judge(parts, network, order))
  if (reason !== null) return no(reason)
  const request: SignRequest = { ...wire, order }
  const answer = await orders.sign(request).catch((error: unknown) => {
    if (error instanceof Unsignable) return no(error.message)
    throw error
  })
  const told = { network, kind: order.kind, account: order.account, slot: wire.slot, attempt: wire.attempt }
  if (answer.is === 'signed') log.info({ ...told, hash: answer.record.transfer.hash }, 'signed')
  else log.warn({ ...told, ...answer.refusal }, 'signer refused')
  return answer
}

function no(reason: string): SignAnswer {
  return { is: 'refused', refusal: { code: 'refused', reason } }
}

function takeLines(journal: Journal, after: number): Entry[] {
  const lines: Entry[] = []
  for (const entry of journal.after(after)) {
    lines.push(entry)
    if (lines.length === LINES) break
  }
  return lines
}

/** The file is deleted before signing continues. After a crash the operator must create it again. */
function usePermission(file: string): void {
  try {
    rmSync(file)
  } catch {
    throw refused('resume it on the machine of the signer, too: npm run signer -- resume')
  }
}

function deniedOf(error: unknown): Denied {
  if (error instanceof Denied) return error
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  if (status >= 400 && status < 500) return new Denied(status, 'malformed', 'the request is not understood')
  return new Denied(503, 'unavailable', 'the signer cannot sign now: see its log')
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
