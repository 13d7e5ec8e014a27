/**
 * An inbox for webhooks of the sandbox's app. It keeps the latest deliveries and checks their signatures, so that an
 * integrator sees a real delivery before writing code.
 */
import { verifyWebhook } from '@causeway/sdk'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'

interface Delivery {
  id: string | null
  at: string
  /** The problem of the signature; null if it is valid. */
  problem: string | null
  headers: Record<string, string>
  /** The raw body, which is what was signed. */
  body: string
}

const MOST_KEPT = 20
const INBOX = '/sandbox/hooks/inbox'
const Made = z.object({ data: z.object({ secret: z.string() }) })

/** `key`: the secret key of the sandbox's app, whose swaps send the deliveries. */
export function hookRoutes(routes: FastifyInstance, api: FastifyInstance, key: string): void {
  const kept: Delivery[] = []
  let secret: string | null = null

  routes.get('/hooks', async () => ({ data: kept }))

  /** Registering the same URL again would create a new secret, so it is done once. */
  routes.post('/hooks', async (request) => {
    const url = `http://${request.host}${INBOX}`
    secret ??= await openInbox(api, key, url)
    return { data: { url, secret } }
  })

  void routes.register(async (inbox) => {
    // The signature covers the raw text, not the parsed and reprinted body.
    inbox.removeAllContentTypeParsers()
    inbox.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    inbox.post('/hooks/inbox', async (request) => {
      kept.unshift(await judged(request, secret ?? ''))
      kept.length = Math.min(kept.length, MOST_KEPT)
      return { data: {} }
    })
  })
}

async function openInbox(api: FastifyInstance, key: string, url: string): Promise<string> {
  const headers = { 'x-ls-apikey': key }
  const answer = await api.inject({ method: 'POST', url: '/api/v2/webhooks', headers, payload: { url } })
  return Made.parse(answer.json()).data.secret
}

async function judged(request: FastifyRequest, secret: string): Promise<Delivery> {
  const body = String(request.body ?? '')
  const headers = Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) =>
      name.startsWith('webhook-') && typeof value === 'string' ? [[name, value]] : [],
    ),
  )
  const told = { headers, body, at: new Date().toISOString() }
  try {
    const { id } = await verifyWebhook({ headers, body, secret })
    return { ...told, id, problem: null }
  } catch (error) {
    return { ...told, id: null, problem: error instanceof Error ? error.message : String(error) }
  }
}
