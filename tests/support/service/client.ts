/** A plain HTTP client of the API, as an integrator would write it, without the server's code. */
import { eventually } from '../runner/eventually.ts'

interface WireToken {
  symbol: string
  contract: string | null
  decimals: number
}

export interface WireTransaction {
  type: 'input' | 'output' | 'refuel' | 'refund'
  status: string
  transaction_hash: string | null
  from: string | null
  to: string | null
  amount: number
  token: WireToken
  confirmations: number
}

export interface WireAction {
  type: string
  to_address: string
  amount: number
  amount_in_base_units: string
  call_data: string | null
  gas_limit: string | null
  encoded_args: string[]
  valid_after: number | null
  valid_before: number | null
  nonce: string | null
  typed_data: Record<string, unknown> | null
}

export interface WireSwap {
  swap: {
    id: string
    status: string
    fail_reason: string | null
    requested_amount: number
    metadata: { sequence_number: number }
    transactions: WireTransaction[]
    legs: { type: string; made_by: string; status: string; transaction_hash: string | null }[]
  }
  quote: {
    requested_amount: number
    receive_amount: number
    min_receive_amount: number
    blockchain_fee: number
    total_fee: number
    path: { provider: string; order: number }[]
  }
  refuel: { amount: number } | null
  deposit_actions: WireAction[]
}

interface Answer {
  status: number
  data?: unknown
  error?: { code: string; message: string; metadata: Record<string, unknown> }
}

export interface Client {
  get(path: string): Promise<Answer>
  post(path: string, body: unknown): Promise<Answer>
  create(body: Record<string, unknown>): Promise<WireSwap>
  swap(id: string): Promise<WireSwap>
  /** Waits until the swap has one of these statuses. */
  reaches(id: string, ...statuses: string[]): Promise<WireSwap>
}

export function clientOf(url: string): Client {
  const ask = async (path: string, init?: RequestInit): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, init)
    const text = await response.text()
    return { status: response.status, ...(text ? JSON.parse(text) : {}) }
  }
  const client: Client = {
    get: (path) => ask(path),
    post: (path, body) =>
      ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    async create(body) {
      const answer = await client.post('/api/v2/swaps', body)
      if (answer.error) throw new Error(`${answer.error.code}: ${answer.error.message}`)
      return answer.data as WireSwap
    },
    async swap(id) {
      const answer = await client.get(`/api/v2/swaps/${id}`)
      if (answer.error) throw new Error(`${answer.error.code}: ${answer.error.message}`)
      return answer.data as WireSwap
    },
    reaches: (id, ...statuses) =>
      eventually(
        async () => {
          const found = await client.swap(id)
          if (statuses.includes(found.swap.status)) return found
          throw new Error(`the swap is ${found.swap.status} (${found.swap.fail_reason})`)
        },
        `${statuses.join(' or ')} of swap ${id}`,
      ),
  }
  return client
}
