/**
 * A page without a build step: it asks for a quote, makes a swap and follows it with the event stream. The service sends CORS
 * headers, so the page may be on any host: `?base=` names the service.
 */
const base = new URLSearchParams(location.search).get('base') ?? 'http://localhost:8080'
const ROUTE = {
  source_network: 'ETHEREUM_SEPOLIA',
  source_token: 'ETH',
  destination_network: 'BASE_SEPOLIA',
  destination_token: 'USDC',
}
const AMOUNT = '0.1'
const [quoteLine, button, statusLine] = ['quote', 'swap', 'status'].map((id) => document.getElementById(id))

const { quote } = await ask(`/api/v2/quote?${new URLSearchParams({ ...ROUTE, amount: AMOUNT })}`)
quoteLine.textContent = `${AMOUNT} ETH delivers ${quote.receive_amount} USDC`
button.disabled = false
button.addEventListener('click', async () => {
  button.disabled = true
  // One key per press: a lost answer does not become a second swap.
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  const destination_address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  const { swap } = await ask('/api/v2/swaps', { ...ROUTE, amount: AMOUNT, destination_address }, headers)
  follow(swap.id)
  // In a real page the user's wallet sends `deposit_actions`. In the sandbox a test account does it.
  await ask('/sandbox/deposit', { swap_id: swap.id })
})

function follow(id) {
  const stream = new EventSource(`${base}/api/v2/swaps/${id}/events`)
  stream.addEventListener('swap', ({ data }) => {
    const { status } = JSON.parse(data).data.swap
    statusLine.textContent = status
    if (['completed', 'failed', 'expired', 'refunded', 'pending_refund'].includes(status)) stream.close()
  })
}

async function ask(path, body, headers = {}) {
  const answer = await fetch(base + path, {
    method: body ? 'POST' : 'GET',
    headers: body ? { ...headers, 'content-type': 'application/json' } : headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const { data, error } = await answer.json()
  if (error) throw new Error(`${error.code}: ${error.message}`)
  return data
}
