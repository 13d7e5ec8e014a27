/**
 * A shop's checkout: `POST /orders` makes a swap for an order and returns what to pay; a webhook marks the order as paid.
 * Needs CAUSEWAY_URL and CAUSEWAY_KEY, a secret key. The sandbox prints one when it starts.
 */
import { createServer } from 'node:http'
import { createClient, VerificationError, verifyWebhook } from '@causeway/sdk'

const { CAUSEWAY_URL = 'http://localhost:8080', CAUSEWAY_KEY: apiKey = '', PORT = '3000' } = process.env
const SHOP_ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const PAID_IN = {
  source_network: 'ETHEREUM_SEPOLIA',
  source_token: 'ETH',
  destination_network: 'BASE_SEPOLIA',
  destination_token: 'USDC',
}

const client = createClient({ baseUrl: CAUSEWAY_URL, apiKey })
/** A real shop has a database: an order is stored before its swap is made. */
const orders = new Map()
const handled = new Set()

const server = createServer(async (request, response) => {
  const body = await textOf(request)
  try {
    if (request.method === 'POST' && request.url === '/orders') return reply(response, 200, await createOrder(body))
    if (request.method === 'POST' && request.url === '/hooks') return reply(response, 200, await receive(request, body))
    const order = orders.get(request.url?.replace('/orders/', ''))
    return order ? reply(response, 200, order) : reply(response, 404, {})
  } catch (error) {
    reply(response, error instanceof VerificationError ? 400 : 500, { error: error.message })
  }
})

async function createOrder(body) {
  const { id, amount } = JSON.parse(body)
  // The order's number is the idempotency key: asked twice, it is still one swap.
  const created = await client.createSwap(
    { ...PAID_IN, amount, destination_address: SHOP_ADDRESS, reference_id: id, use_deposit_address: true },
    { idempotencyKey: `order-${id}` },
  )
  const order = { id, status: 'waiting', swap_id: created.swap.id, pay: created.deposit_actions }
  orders.set(id, order)
  return order
}

/** Verify first, handle each event id once, and only `swap.completed` means that the money arrived. */
async function receive(request, body) {
  const event = await verifyWebhook({ body, headers: request.headers, secret })
  if (event.type === 'webhook.test' || handled.has(event.id)) return {}
  handled.add(event.id)
  const order = orders.get(event.data.swap.metadata.reference_id)
  if (order && event.type === 'swap.completed') order.status = 'paid'
  if (order && event.type === 'swap.pending_refund') order.status = 'ask the payer for a refund address'
  return {}
}

async function textOf(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function reply(response, status, answer) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
}

await new Promise((resolve) => server.listen(Number(PORT), '127.0.0.1', resolve))
const shop = `http://127.0.0.1:${server.address().port}`
/** Adding the same address again gives a new secret, so a restart needs no stored one. */
const { secret } = await client.addWebhook(`${shop}/hooks`, { eventTypes: ['swap.completed', 'swap.pending_refund'] })
console.log(`the shop is open at ${shop}`)
