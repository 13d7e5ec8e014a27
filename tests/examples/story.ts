/**
 * A story that makes every API call at least once, on local chains. The pages and the OpenAPI document show parts of
 * it.
 */
import type { CreatedSwap, DepositAction } from '@causeway/sdk'
import type { Example, Examples } from '../../server/src/api/openapi/examples.ts'
import { payRewards } from '../../server/src/flow/kinds/disburse.ts'
import type { World } from '../support/processes/world.ts'
import { eventually } from '../support/runner/eventually.ts'
import { keyOf } from '../support/service/accounts.ts'
import { type Receiver, startReceiver } from '../support/service/receiver.ts'
import { createRecorder, type Recorder } from './recorder.ts'

export const FROM = 'ETHEREUM_SEPOLIA'
export const TO = 'BASE_SEPOLIA'
const RECIPIENT = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const REFUND = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const ROUTE = { source_network: FROM, source_token: 'ETH', destination_network: TO, destination_token: 'USDC' }
const SHOP = 'https://shop.example/hooks/causeway'
const CAMPAIGN = 'spring'
/** Enough blocks that nothing is waited for any more. */
const DEEPEST = 10
const v2 = (call: string) => call.replace(' ', ' /api/v2')

interface Teller {
  world: World
  recorder: Recorder
  receiver: Receiver
  /** The shop's secret key. */
  key: string
}

export async function tellStory(world: World): Promise<Examples> {
  const receiver = await startReceiver()
  const key = await keyOf(servicesOf(world), 'shop')
  const teller = { world, receiver, key, recorder: createRecorder(world.sandbox.url) }
  try {
    await discover(teller)
    await quote(teller)
    const id = await swap(teller)
    await otherWays(teller)
    await refund(teller)
    await look(teller, id)
    await earn(teller)
    await service(teller, id)
    await tooMany(teller)
  } finally {
    await receiver.stop()
  }
  return JSON.parse(JSON.stringify(teller.recorder.examples).replaceAll(receiver.url, SHOP))
}

function servicesOf({ sandbox }: World) {
  if (!sandbox.service) throw new Error('the service is not there')
  return sandbox.service.services
}

async function discover({ world, recorder: { call } }: Teller): Promise<void> {
  await call(v2('GET /networks'), 'Networks of one type', { query: { network_types: 'evm' } })
  await call(v2('GET /sources'), 'What can be swapped into USDC on Base', {
    query: { destination_network: TO, destination_token: 'USDC' },
  })
  await call(v2('GET /sources'), 'A network that is not listed', { query: { destination_network: 'NOWHERE' } })
  await call(v2('GET /destinations'), 'What ETH on Ethereum can be swapped into', {
    query: { source_network: FROM, source_token: 'ETH' },
  })
  await call(v2('GET /address'), 'An address that can be paid', { query: { network: TO, address: RECIPIENT } })
  await call(v2('GET /address'), 'A text that is no address there', { query: { network: TO, address: 'bitcoin' } })
  const { address } = world.account(FROM, 0)
  await call(v2('GET /balance'), 'What a wallet holds', { query: { network: FROM, token: 'ETH', address } })
  await call(v2('GET /source_exchanges'), 'Exchanges')
  await call(v2('GET /exchange_withdrawal_networks'), 'What one exchange pays out to', {
    query: { exchange: 'KRAKEN' },
  })
}

async function quote({ recorder: { call } }: Teller): Promise<void> {
  await call(v2('GET /limits'), 'Limits of a route', { query: ROUTE })
  await call(v2('GET /quote'), 'A quote', { query: { ...ROUTE, amount: '0.1' } })
  await call(v2('GET /quote'), 'With a refuel', { query: { ...ROUTE, amount: '0.1', refuel: 'true' } })
  await call(v2('GET /quote'), 'Too little', { query: { ...ROUTE, amount: '0.0000001' } })
  await call(v2('GET /quote'), 'Too much', { query: { ...ROUTE, amount: '1000000' } })
  await call(v2('GET /quote'), 'Fields that are missing', { query: { source_network: FROM } })
  await call(v2('GET /quote'), 'A token that is not listed', { query: { ...ROUTE, source_token: 'NONE', amount: '1' } })
  await call(v2('GET /detailed_quote'), 'Costs by tiers', { query: ROUTE })
}

/** A swap by a wallet's transfer, from creation to completion, and everything that reports it. */
async function swap({ world, recorder, receiver, key }: Teller): Promise<string> {
  const { call, keep } = recorder
  await call(v2('POST /webhooks'), 'Add an endpoint', { key, body: { url: receiver.url } })
  const body = {
    ...ROUTE,
    destination_address: RECIPIENT,
    refund_address: REFUND,
    amount: 0.1,
    reference_id: 'order-1234',
  }
  const headers = { 'Idempotency-Key': 'order-1234' }
  const made = await call<CreatedSwap>(v2('POST /swaps'), 'By a transfer of a wallet', { key, headers, body })
  await call(v2('POST /swaps'), 'The same key with another body', { key, headers, body: { ...body, amount: 0.2 } })
  const path = { swapId: made.swap.id }
  await call(v2('GET /swaps/{swapId}'), 'Waiting for its deposit', { path })
  const actions = await call<DepositAction[]>(v2('GET /swaps/{swapId}/deposit_actions'), 'What to send', { path })
  const stream = fetch(`${world.sandbox.url}/api/v2/swaps/${path.swapId}/events`).then((answer) => answer.text())
  const [action] = actions
  if (!action) throw new Error('there is nothing to send')
  const hash = await world.deposit(world.token(FROM, 'ETH'), action)
  await call(v2('POST /swaps/{swapId}/deposit_speedup'), 'Name the deposit', { path, body: { transaction_id: hash } })
  await world.client.reaches(path.swapId, 'completed')
  await call(v2('GET /swaps/{swapId}'), 'Completed, without the deposit actions', {
    path,
    query: { exclude_deposit_actions: 'true' },
  })
  await call(v2('GET /swaps/{swapId}/progress'), 'At its end', { path })
  const told = (await stream).trim().split('\n\n')
  const ends = `${told.at(-1)}\n\n`
  keep(v2('GET /swaps/{swapId}/events'), { summary: 'The last event', request: { path }, status: 200, answer: ends })
  await call(v2('GET /swaps/by_transaction_hash/{transactionHash}'), 'By its deposit', {
    path: { transactionHash: hash },
  })
  // A reference that no swap has: everything else is correct.
  const stray = `${(action.call_data ?? '').slice(0, -8)}ffffffff`
  const lost = await world.deposit(world.token(FROM, 'ETH'), { ...action, call_data: stray })
  await world.devnet(FROM).mine(FROM, DEEPEST)
  await eventually(async () => {
    const { data } = await world.client.get(`/api/v2/unmatched/${lost}`)
    return (data as { state: string }[])[0]?.state === 'waiting'
  }, 'the deposit that names no swap')
  await call(v2('GET /unmatched/{transactionHash}'), 'One that waits for a person', { path: { transactionHash: lost } })
  await call(v2('GET /transaction_status'), 'The deposit itself', { query: { network: FROM, transaction_id: hash } })
  await call(v2('GET /swaps'), "An app's own, by its reference", { key, query: { reference_id: 'order-1234' } })
  await call(v2('GET /swaps'), 'Neither address, reference nor key')
  const last = await eventually(async () => receiver.received.find(({ status }) => status === 'completed'))
  keep('webhook swap', delivered('A swap was completed', last))
  return path.swapId
}

async function otherWays({ world, recorder: { call } }: Teller): Promise<void> {
  const paid = { ...ROUTE, destination_address: RECIPIENT }
  await call(v2('POST /swaps'), 'Into a deposit address, with an open amount', {
    body: { ...paid, refund_address: REFUND, use_deposit_address: true },
  })
  const owner = world.account(FROM, 4)
  const token = { ...paid, source_token: 'USDC', destination_token: 'ETH', amount: 30, source_address: owner.address }
  await call(v2('POST /swaps'), 'Through the Depository', { body: { ...token, use_depository: true } })
  const made = await call<CreatedSwap>(v2('POST /swaps'), 'By a signature', { body: { ...token, use_gasless: true } })
  const path = { swapId: made.swap.id }
  await call(v2('GET /swaps/{swapId}/authorize'), 'Nothing was signed yet', { path })
  const signature = await world.devnet(FROM).sign?.(owner, made.deposit_actions[0]?.typed_data ?? {})
  const body = { signature, signer_address: owner.address }
  await call(v2('POST /swaps/{swapId}/authorize'), 'Hand the signature in', { path, body })
  await world.client.reaches(path.swapId, 'completed')
  await call(v2('GET /swaps/{swapId}/authorize'), 'On chain', { path })
  const amount = 0.1
  await call(v2('POST /swaps'), 'An address of another kind of network', {
    body: { ...paid, amount, destination_address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' },
  })
  await call(v2('POST /swaps'), 'Two funding methods at once', {
    body: { ...paid, amount, use_depository: true, use_deposit_address: true },
  })
}

/** Too much arrived at a deposit address, and no refund address was given. */
async function refund({ world, recorder: { ask, call }, key }: Teller): Promise<void> {
  const body = { ...ROUTE, destination_address: RECIPIENT, amount: 0.1, use_deposit_address: true }
  const made = await ask<CreatedSwap>(v2('POST /swaps'), { key, body })
  const [action] = made.deposit_actions
  if (!action) throw new Error('there is nothing to send')
  const path = { swapId: made.swap.id }
  const url = v2('POST /swaps/{swapId}/refund_address')
  await call(url, 'While nothing is owed', { key, path, body: { refund_address: REFUND } })
  await world.deposit(world.token(FROM, 'ETH'), action, { units: 1_000n * 10n ** 18n })
  await world.client.reaches(path.swapId, 'pending_refund')
  await call(v2('GET /swaps/{swapId}'), 'Owed, and it is not known where to', {
    path,
    query: { exclude_deposit_actions: 'true' },
  })
  await call(v2('GET /swaps/{swapId}/progress'), 'Owed', { path })
  await call(url, 'Neither the key of its app nor a signature', { path, body: { refund_address: REFUND } })
  await call(url, "By the app's secret key", { key, path, body: { refund_address: REFUND } })
}

async function look({ recorder: { call } }: Teller, id: string): Promise<void> {
  await call(v2('GET /explorer'), 'What was completed last', { query: { statuses: 'completed' } })
  await call(v2('GET /explorer/{search}'), 'By the id of a swap', { path: { search: id } })
  await call(v2('GET /explorer/analytics'), 'The last day', { query: { period: '24h' } })
  await call(v2('GET /routes/health'), 'Routes')
}

async function earn({ world, recorder: { call } }: Teller): Promise<void> {
  const path = { campaign: CAMPAIGN, address: RECIPIENT }
  await call(v2('GET /campaigns'), 'Campaigns')
  await call(v2('GET /campaigns/{campaign}'), 'By its name', { path: { campaign: CAMPAIGN } })
  await call(v2('GET /campaigns/{campaign}'), 'One that does not exist', { path: { campaign: 'autumn' } })
  await call(v2('GET /campaigns/{campaign}/leaderboard'), 'Who earned most', { path: { campaign: CAMPAIGN } })
  await call(v2('GET /campaigns/{campaign}/rewards/{address}'), 'What an address earned', { path })
  // Its period is over.
  await world.query('update reward set period = 0')
  await payRewards(servicesOf(world))
  await eventually(async () => {
    const { data } = await world.client.get(`/api/v2/campaigns/${CAMPAIGN}/payouts/${RECIPIENT}`)
    return (data as { status: string }[]).some(({ status }) => status === 'completed')
  }, 'the reward to be paid')
  await call(v2('GET /campaigns/{campaign}/payouts/{address}'), 'What an address was paid', { path })
}

async function service({ recorder: { call, keep }, receiver, key }: Teller, id: string): Promise<void> {
  const [endpoint] = await call<{ id: string }[]>(v2('GET /webhooks'), 'Endpoints', { key })
  await call(v2('GET /webhooks'), 'Without a secret key')
  await call(v2('POST /webhooks/replay'), 'Send all events of a swap again', { key, body: { swap_id: id } })
  const path = { webhookId: endpoint?.id ?? '' }
  const chosen = ['swap.completed', 'swap.failed', 'swap.refunded', 'swap.pending_refund']
  await call(v2('PATCH /webhooks/{webhookId}'), 'Only the ends of swaps', { key, path, body: { event_types: chosen } })
  await call(v2('POST /webhooks/{webhookId}/test'), 'Send a test event', { key, path })
  const tested = await eventually(async () => receiver.received.find(({ status }) => status === 'webhook.test'))
  keep('webhook test', delivered('A test', tested))
  await call(v2('DELETE /webhooks/{webhookId}'), 'Remove it', { key, path })
  await call(v2('GET /internal/apps'), 'An app', { query: { name: 'shop' } })
  await call(v2('GET /site'), 'The service')
  await call(v2('GET /status'), 'Networks')
  await call(v2('GET /site'), 'A key that is not known', { key: 'causeway_testnet_unknown' })
  await call('GET /.well-known/causeway.json', 'The signing key')
}

/** A delivery as the receiver got it. */
function delivered(summary: string, { headers, body }: Receiver['received'][number]): Example {
  const signed = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'content-type', 'user-agent']
  const shown = Object.fromEntries(signed.map((name) => [name, String(headers[name])]))
  return { summary, request: { headers: shown, body: JSON.parse(body) }, status: 200, answer: '' }
}

/** A client exceeds the rate limit. */
async function tooMany({ world, recorder: { call } }: Teller): Promise<void> {
  await eventually(async () => (await world.client.post('/api/v2/swaps', {})).status === 429)
  await call(v2('POST /swaps'), 'More than the limit', { body: { ...ROUTE, destination_address: RECIPIENT } })
}
