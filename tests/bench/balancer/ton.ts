/** A lagging liteserver behind toncenter: no block above its own, no later transactions, and older states. */
import { type Ask, type Dialect, fieldsOf, type Question, Refused, type Then } from './dialect.ts'

const MASTERCHAIN = { workchain: -1, shard: '-9223372036854775808' }

export const ton: Dialect = {
  isToncenter: true,
  send: 'sendBoc',
  bytes: ({ params }) => String(fieldsOf(params).boc),
  height: async (ask) => Number(fieldsOf(fieldsOf(await ask('getMasterchainInfo', {})).last).seqno),
  behind,
  refusals: [
    // A message that this server considers to be from the future.
    new Refused(500, `LITE_SERVER_UNKNOWN: cannot apply external message to current state : ${rejected(35)}`),
    new Refused(500, 'LITE_SERVER_NOTREADY: too many pending external messages'),
    new Refused(504, 'Timeout: liteserver timeout'),
  ],
}

async function behind(question: Question, then: Then, ask: Ask): Promise<unknown> {
  const { method, params } = question
  const { height } = then
  const fields = fieldsOf(params)
  switch (method) {
    case 'getMasterchainInfo': {
      const now = fieldsOf(await ask(method, params))
      return { ...now, last: fieldsOf(await ask('getBlockHeader', { ...MASTERCHAIN, seqno: height })).id }
    }
    case 'getAddressInformation':
    case 'runGetMethod':
      // An item that was not read then is current.
      return then.remembered(question) ?? ask(method, params)
    case 'getTransactions':
      if ((await blockOf(fields.lt, ask)) > height) {
        throw new Refused(500, 'LITE_SERVER_UNKNOWN: cannot compute block with specified transaction')
      }
      return ask(method, params)
    case 'tryLocateResultTx': {
      const found = fieldsOf(await ask(method, params))
      const isLater = (await blockOf(fieldsOf(found.transaction_id).lt, ask)) > height
      if (isLater) throw new Refused(404, 'message not found in the destination')
      return found
    }
    case 'lookupBlock': {
      const found = fieldsOf(await ask(method, params))
      if (Number(found.seqno) > height) throw new Refused(500, 'LITE_SERVER_NOTREADY: block is not in db')
      return found
    }
    case 'getBlockHeader':
      if (Number(fields.seqno) > height) throw new Refused(500, 'LITE_SERVER_NOTREADY: block is not in db')
      return ask(method, params)
    default:
      return ask(method, params)
  }
}

async function blockOf(lt: unknown, ask: Ask): Promise<number> {
  return Number(fieldsOf(await ask('lookupBlock', { ...MASTERCHAIN, lt: String(lt) })).seqno)
}

function rejected(exitCode: number): string {
  return `inbound external message rejected by transaction:\nexitcode=${exitCode}, steps=0`
}
