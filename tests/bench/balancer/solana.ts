/** A lagging Solana node: it has no slot above its own, and accounts as they were when last read. */
import { type Ask, type Dialect, fieldsOf, listOf, type Question, Refused, type Then } from './dialect.ts'

export const solana: Dialect = {
  send: 'sendTransaction',
  bytes: (question) => String(listOf(question)[0]),
  height: async (ask) => Number(await ask('getSlot', [{ commitment: 'confirmed' }])),
  behind,
  refusals: [
    new Refused(-32005, 'Node is behind by 42 slots', { numSlotsBehind: 42 }),
    // The same error for a used nonce and for one whose newest value this node has not seen.
    new Refused(-32002, 'Transaction simulation failed: Blockhash not found', { err: 'BlockhashNotFound' }),
    new Refused(-32002, 'Transaction simulation failed: Attempt to debit an account', { err: 'AccountNotFound' }),
  ],
}

async function behind(question: Question, then: Then, ask: Ask): Promise<unknown> {
  const { method, params } = question
  const { height } = then
  const [first, second] = listOf(question)
  const options = listOf(question).map(fieldsOf)
  if (options.some(({ minContextSlot }) => Number(minContextSlot ?? 0) > height)) {
    throw new Refused(-32016, 'Minimum context slot has not been reached', { contextSlot: height })
  }
  switch (method) {
    case 'getSlot':
    case 'getLatestBlockhash':
    case 'getMultipleAccounts':
    case 'getBalance':
      // The head or the account at that time; an item that was not read then is current.
      return then.remembered(question) ?? ask(method, params)
    case 'getBlock':
      if (Number(first) > height) throw new Refused(-32004, `Block not available for slot ${first}`)
      return ask(method, params)
    case 'getBlocksWithLimit':
      return ((await ask(method, params)) as number[]).filter((slot) => slot <= height)
    case 'getTransaction':
      return known(await ask(method, params), height)
    case 'getSignatureStatuses': {
      const answer = fieldsOf(await ask(method, params))
      const value = (answer.value as unknown[]).map((status) => known(status, height))
      return { context: { ...fieldsOf(answer.context), slot: height }, value }
    }
    case 'getSignaturesForAddress':
      return ((await ask(method, [first, second])) as unknown[]).filter((entry) => known(entry, height) !== null)
    default:
      return ask(method, params)
  }
}

function known(found: unknown, height: number): unknown {
  return found !== null && Number(fieldsOf(found).slot) <= height ? found : null
}
