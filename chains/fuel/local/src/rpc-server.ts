/**
 * The HTTP interface of a local chain: GraphQL queries with their required height, subscriptions as events, and our own
 * commands to fund, mine and replace blocks.
 */
import { execute, parse, type Resolved } from './graphql.ts'
import type { Ledger, Plan } from './ledger.ts'
import { rootAt } from './schema.ts'

interface Request {
  query?: string
  operationName?: string
  variables?: Record<string, unknown>
  extensions?: { required_fuel_block_height?: number; devnet_lag?: number }
}

interface Answer {
  body: unknown
  events?: unknown[]
}

/** How close a block must be for a node to wait for it, and how long it waits. */
const NEAR = 10
const PATIENCE_MS = 3_000
const LOOK_MS = 50

export function answerOver(ledger: Ledger): (request: unknown) => Promise<Answer> {
  const commands: Record<string, (variables: Record<string, unknown>) => unknown> = {
    devnet_mine: ({ blocks }) => {
      for (let count = 0; count < Number(blocks); count++) ledger.mine()
    },
    devnet_fund: ({ coins }) => ledger.fund(coins as Plan['coins']),
    devnet_reorg: ({ depth }) => ledger.reorg(Number(depth)),
    devnet_price: ({ price }) => ledger.setGasPrice(BigInt(String(price))),
    devnet_forget: () => ledger.forget(),
    devnet_deploy: ({ id, code }) => {
      ledger.codes.set(String(id), Buffer.from(String(code).slice(2), 'hex'))
    },
  }
  return async (raw) => {
    const request = raw as Request
    const { query = '', operationName = '', variables = {}, extensions = {} } = request
    const command = commands[operationName]
    if (command) {
      command(variables)
      return { body: { data: {} } }
    }
    const heightNow = () => ledger.blocks.length - 1 - (extensions.devnet_lag ?? 0)
    const required = extensions.required_fuel_block_height ?? 0
    const isThere = await reached(heightNow, required)
    const current = heightNow()
    const told = { current_fuel_block_height: current }
    if (!isThere) {
      const message = `The required fuel block height is higher than the current block height. Required: ${required}, Current: ${current}`
      return {
        body: {
          data: null,
          errors: [{ message }],
          extensions: { ...told, fuel_block_height_precondition_failed: true },
        },
      }
    }
    try {
      const operation = parse(query)
      if (operation.kind === 'subscription') return { body: null, events: await statuses(ledger, operation, variables) }
      return { body: { data: await execute(operation, rootAt(ledger, current), variables), extensions: told } }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      const body = { data: null, errors: [{ message }], extensions: told }
      return /^\s*subscription\b/.test(query) ? { body, events: [body] } : { body }
    }
  }
}

async function reached(heightNow: () => number, required: number): Promise<boolean> {
  if (required - heightNow() > NEAR) return false
  for (let waitedMs = 0; heightNow() < required; waitedMs += LOOK_MS) {
    if (waitedMs >= PATIENCE_MS) return false
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  return true
}

/** The status events of a subscriber until the transaction is in a block, all sent at the end. */
async function statuses(
  ledger: Ledger,
  operation: ReturnType<typeof parse>,
  variables: Record<string, unknown>,
): Promise<unknown[]> {
  const [field] = operation.selections
  const isSubmission = field?.kind === 'field' && field.name === 'submitAndAwaitStatus'
  const id = isSubmission
    ? ledger.submit(Buffer.from(String(variables.encodedTransaction).slice(2), 'hex'))
    : String(variables.transactionId)
  for (let waitedMs = 0; !ledger.find(id) && waitedMs < 10_000; waitedMs += LOOK_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  const height = ledger.blocks.length - 1
  const { transaction } = rootAt(ledger, height) as { transaction(args: { id: string }): Resolved | null }
  const status = transaction({ id })?.status
  const name = isSubmission ? 'submitAndAwaitStatus' : 'statusChange'
  const root = { __typename: 'Subscription', [name]: status }
  const data = await execute(operation, root, variables)
  return [{ data, extensions: { current_fuel_block_height: height } }]
}
