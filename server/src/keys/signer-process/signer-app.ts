/**
 * The signer process's HTTP side: a token at the door, the policy, the proof of the digest, the fence of the slot, the
 * journal, and only then a signature.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Catalogue, Signer } from '@causeway/core'
import { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, fastify, LogController } from 'fastify'
import type { z } from 'zod'
import {
  MAX_BODY_BYTES,
  PATHS,
  PublicKeyRequest,
  ReviewRequest,
  readIntent,
  readOrder,
  SignRequest,
} from '../backends/protocol.ts'
import { REFUSED, SLOT_ALREADY_SIGNED } from '../backends/refusal.ts'
import { isQuoteKey } from '../quotes/quote-key.ts'
import type { DigestVerifier } from './digest-verifier.ts'
import type { Journal, Signing } from './journal.ts'
import type { Policy } from './policy.ts'

export interface SignerParts extends DigestVerifier {
  catalogue: Catalogue
  signer: Signer
  policy: Policy
  journal: Journal
  token: string
  now: () => Date
  log: FastifyBaseLogger
}

const REQUEST_TIMEOUT_MS = 10_000

/** An answer that is no signature, with its status. */
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

const refused = (reason: string, code = REFUSED): Denied => new Denied(403, code, reason)

export function createSignerApp(parts: SignerParts): FastifyInstance {
  const { log, signer } = parts
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request' }),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
  })
  app.setErrorHandler((error, _request, reply) => {
    const denied = deniedOf(error)
    if (denied.status >= 500) log.error({ err: error }, 'signer failed')
    else log.warn({ status: denied.status, reason: denied.message }, 'signer refused')
    return reply.code(denied.status).send({ error: denied.error, reason: denied.message })
  })
  app.get(PATHS.health, async () => ({ status: 'ok' }))
  app.register(async (guarded) => {
    guarded.addHook('onRequest', async (request) => checkToken(request, parts.token))
    guarded.post(PATHS.publicKey, async ({ body }) => {
      const { key } = read(PublicKeyRequest, body)
      return { public_key: hex(await signer.publicKey(key)) }
    })
    guarded.post(PATHS.review, async ({ body }) => {
      review(parts, read(ReviewRequest, body))
      return { status: 'ok' }
    })
    guarded.post(PATHS.sign, async ({ body }) => ({ signature: hex(await sign(parts, read(SignRequest, body))) }))
  })
  return app
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

/** Whether a new order would be signed for now, asked before it gets a slot. */
function review({ catalogue, policy, journal, now }: SignerParts, asked: z.infer<typeof ReviewRequest>): void {
  const order = readOrder(catalogue, asked.network, asked.order)
  if (!order) throw refused(`the network ${asked.network} or its token is not known here`)
  const reason =
    policy.judge(asked.network, order) ?? policy.judgeRate(asked.network, order, 0n, journal.outflow(now()))
  if (reason) throw refused(reason)
}

async function sign(parts: SignerParts, { key, digest, intent: wire }: z.infer<typeof SignRequest>) {
  const { signer, catalogue, policy, prove, log } = parts
  const bytes = new Uint8Array(Buffer.from(digest, 'hex'))
  if ('quote' in wire) {
    const isQuote = isQuoteKey(key) && Buffer.from(wire.quote).equals(bytes)
    if (!isQuote) throw refused('a quote is signed with its own key only, and in its own words')
    return signer.sign(key, bytes, wire)
  }
  const intent = readIntent(catalogue, wire)
  if (!intent) throw refused(`the network ${wire.network} or its token is not known here`)
  if (isQuoteKey(key)) throw refused('the key of quotes signs no transfer')
  const { network, order, slot } = intent
  const against = policy.judge(network, order)
  if (against) throw refused(against)
  const isUnproven = policy.isUnproven(network, key.path)
  const maxCost = isUnproven ? { feeUnits: 0n } : await prove(key, bytes, intent)
  if (typeof maxCost === 'string') throw refused(maxCost)
  const approvals = policy.approvals(network, order)
  const signing: Signing = { network, order, slot, maxCost, approvals, isProven: !isUnproven }
  await expireParts(parts, signing)
  bind(parts, signing)
  const signature = await signer.sign(key, bytes, intent)
  log.info({ network, kind: order.kind, account: order.account, slot, path: key.path, digest }, 'signed')
  return signature
}

/**
 * Coins come back where what spent them has a last block and did not land. The signer finds that out by itself: it signed that
 * block, and asks its own nodes for the height. Whatever they say, of two orders of one coin the chain takes one, and both count.
 */
async function expireParts({ journal, isOver, now, log }: SignerParts, signing: Signing): Promise<void> {
  if (journal.standing(signing) !== 'other' || signing.order.kind === 'cancel') return
  const { network, order } = signing
  const over = new Set<string>()
  for (const slot of new Set(journal.held(signing).flatMap(({ slots }) => slots))) {
    if (await isOver(network, slot)) over.add(slot.join())
  }
  // Asked anew, and nothing waits from here on: a part may have been signed for again meanwhile.
  const free = journal.held(signing).filter(({ slots }) => slots.every((slot) => over.has(slot.join())))
  if (free.length === 0) return
  const parts = free.map(({ part }) => part)
  journal.expire(now(), network, order.account, parts)
  log.info(
    { network, account: order.account, parts },
    'what was signed for these can land no more: they are free again',
  )
}

/** Nothing here waits, so two requests cannot pass the same fence or the same hour between judging and recording. */
function bind({ policy, journal, now }: SignerParts, signing: Signing): void {
  const { network, order, slot, maxCost } = signing
  const standing = journal.standing(signing)
  if (standing === 'changed') throw refused(`of the slot ${slot.join(' ')} something else was told before`)
  // A slot that was signed for may always be used up instead. It stays bound to its order, and takes no other.
  const mayCancel = order.kind === 'cancel' && standing !== 'new'
  if (standing === 'other' && !mayCancel)
    throw refused(`the slot ${slot.join(' ')} was signed for another order`, SLOT_ALREADY_SIGNED)
  const used = journal.usedApproval(signing)
  if (used !== null) throw refused(`the approval ${used} was used for another slot: approve it again`)
  const outflow = journal.outflow(now())
  const fee = { units: maxCost.feeUnits, more: journal.furtherFee(signing) }
  const reason =
    (fee.units > 0n ? policy.judgeFee(network, order, fee, outflow) : null) ??
    (standing === 'new' ? policy.judgeRate(network, order, fee.units, outflow) : null)
  if (reason) throw refused(reason)
  journal.record(now(), signing)
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
