/**
 * The operator's API: the paths that clients used, those this family needs in addition (batches, the nonce), and a few
 * test controls.
 */
import type { Asked } from '@causeway/devnet/kit'
import { assetOf, type Request, transferHash } from './codec.ts'
import { type Batch, type Operator, Refused, type Taken } from './operator.ts'

type Given = Record<string, unknown>

export async function answer(operator: Operator, body: unknown, asked: Asked): Promise<unknown> {
  const [version = '', room = '', name = ''] = asked.path.split('/')
  const given = (body ?? {}) as Given
  const isPost = asked.method === 'POST'
  if (version === 'devnet') return control(operator, room, given)
  if (room === 'instance') return { name: operator.plan.instance }
  if (room === 'users' && isPost) return operator.register(given).then(() => ({ tx_hash: '' }))
  if (room === 'users') return { accounts: [operator.keyOf(name)] }
  if (room === 'signable-transfer-details') return signable(operator, given)
  if (room === 'transfers' && isPost) return submit(operator, given, asked)
  if (room === 'transfers' && name !== '') {
    const found = operator.taken.get(name)
    if (!found) throw new Refused(404, 'transfer_not_found', 'Transfer not found')
    return { head: refOf(operator.head), result: written(operator, found) }
  }
  if (room === 'transfers') return sentUnder(operator, asked.query)
  if (room === 'batches') return batches(operator, asked.query)
  if (room === 'balances') return balances(operator, asked.query)
  throw new Refused(404, 'not_found', `no such path: ${asked.path}`)
}

interface Wanted {
  amount: string
  receiver: string
  token: { type: string; data: { token_address?: string } }
}

function signable(operator: Operator, given: Given): unknown {
  const [{ amount, receiver, token }] = given.signable_requests as [Wanted]
  const sender_stark_key = operator.keyOf(String(given.sender_ether_key))
  const receiver_stark_key = operator.falseKey ?? operator.keyOf(receiver)
  const listed = operator.plan.tokens.find(
    ({ contract }) => (contract ?? '').toLowerCase() === (token.data.token_address ?? '').toLowerCase(),
  )
  if (!listed) throw new Refused(404, 'token_not_found', 'no such token')
  const asset_id = assetOf(listed.contract, BigInt(listed.quantum))
  const request = {
    amount: (BigInt(amount) / BigInt(listed.quantum)).toString(),
    asset_id,
    expiration_timestamp: `${Math.floor(Date.now() / 3_600_000) + 24}`,
    // The nonce is never one that could be a swap's reference.
    nonce: `${2 ** 30 + Math.floor(Math.random() * 2 ** 30)}`,
    receiver_stark_key,
    receiver_vault_id: operator.vault(receiver_stark_key, asset_id).id,
    sender_vault_id: operator.vault(sender_stark_key, asset_id).id,
  }
  const payload_hash = `0x${transferHash(request).toString(16)}`
  return { sender_stark_key, signable_message: '', signable_responses: [{ ...request, payload_hash, token }] }
}

async function submit(operator: Operator, given: Given, { headers }: Asked): Promise<unknown> {
  const requests = given.requests as Request[]
  const [request] = requests
  if (!request || requests.length > 1) throw new Refused(400, 'bad_request_error', 'one transfer a call')
  const address = String(headers['x-imx-eth-address'])
  const id = await operator.submit(String(given.sender_stark_key), request, address, headers['x-imx-eth-signature'])
  if (operator.lostAnswers > 0) {
    operator.lostAnswers -= 1
    throw new Refused(502, 'bad_gateway', 'the answer was lost')
  }
  return { transfer_ids: [id] }
}

function sentUnder(operator: Operator, query: URLSearchParams): unknown {
  const user = query.get('user')?.toLowerCase()
  const found = [...operator.taken.values()].filter(
    (one) => one.user.toLowerCase() === user && one.request.nonce === query.get('nonce'),
  )
  return { head: refOf(operator.head), result: found.map((one) => written(operator, one)) }
}

const MOST_BATCHES = 200

function batches(operator: Operator, query: URLSearchParams): unknown {
  const from = Number(query.get('from'))
  const shown = operator.batches.slice(from, from + Math.min(Number(query.get('limit')), MOST_BATCHES))
  return {
    head: refOf(operator.head),
    result: shown.map((batch) => ({
      ...refOf(batch),
      parent: batch.parent,
      time: batch.time.toISOString(),
      transfers: batch.transfers.map((one) => written(operator, one)),
    })),
  }
}

function balances(operator: Operator, query: URLSearchParams): unknown {
  const owners = (query.get('owners') ?? '').split(',').filter((owner) => owner !== '')
  const result = owners.flatMap((owner) =>
    operator.plan.tokens.map(({ contract, symbol }) => ({
      owner,
      token_address: contract ?? '',
      symbol,
      balance: operator.balance(owner, contract).toString(),
    })),
  )
  return { head: refOf(operator.head), result }
}

function refOf({ number, root }: Batch) {
  return { number: `${number}`, root }
}

function written(operator: Operator, { id, user, receiver, request, batch }: Taken): unknown {
  const { stark_signature, ...message } = request
  const token = operator.plan.tokens.find((one) => assetOf(one.contract, BigInt(one.quantum)) === request.asset_id)
  const quantity = (BigInt(request.amount) * BigInt(token?.quantum ?? '1')).toString()
  const within = batch === null ? undefined : operator.batches[batch]
  return {
    transaction_id: id,
    status: 'success',
    user,
    receiver,
    token: { type: token?.contract ? 'ERC20' : 'ETH', data: { token_address: token?.contract ?? '', quantity } },
    batch: within ? refOf(within) : null,
    message,
    stark_signature,
  }
}

function control(operator: Operator, what: string, given: Given): unknown {
  if (what === 'fund') operator.fund(String(given.address), contractIn(given), BigInt(String(given.units)))
  else if (what === 'link') operator.link(String(given.address), String(given.key))
  else if (what === 'mine') operator.mine(Number(given.batches))
  else if (what === 'rollback') operator.rollback(Number(given.depth))
  else if (what === 'lose') operator.lostAnswers = Number(given.answers)
  else if (what === 'lie') operator.falseKey = given.key === null ? null : String(given.key)
  else if (what === 'advance') operator.skewMs += Number(given.seconds) * 1000
  else throw new Refused(404, 'not_found', `nothing of ours: ${what}`)
  return {}
}

function contractIn({ contract }: Given): string | null {
  return contract === null ? null : String(contract)
}
