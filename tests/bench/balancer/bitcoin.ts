/** A lagging Bitcoin node: its chain ends earlier, recently spent UTXOs look unspent, and its mempool is empty. */
import { parseBlock, parseTransaction, type Transaction } from '../../../chains/bitcoin/src/transaction.ts'
import { type Ask, type Dialect, fieldsOf, listOf, type Question, Refused, type Then } from './dialect.ts'

const NOT_FOUND = -5
const SATS = 1e8

export const bitcoin: Dialect = {
  send: 'sendrawtransaction',
  bytes: (question) => String(listOf(question)[0]),
  height: async (ask) => Number(fieldsOf(await ask('getblockchaininfo', [])).blocks),
  behind,
  refusals: [
    new Refused(-26, 'mempool min fee not met, 141 < 1000'),
    // The node has not seen the block, or the parent transaction, that created the UTXO.
    new Refused(-25, 'bad-txns-inputs-missingorspent'),
    new Refused(-26, 'too-long-mempool-chain'),
  ],
}

async function behind(question: Question, { height }: Then, ask: Ask): Promise<unknown> {
  const { method } = question
  const [first, second] = listOf(question)
  switch (method) {
    case 'getblockchaininfo':
      return { ...fieldsOf(await ask(method, [])), blocks: height, bestblockhash: await ask('getblockhash', [height]) }
    case 'getblockhash':
      if (Number(first) > height) throw new Refused(-8, 'Block height out of range')
      return ask(method, [first])
    case 'getblockheader':
      return header(first, height, ask)
    case 'getblock':
      await header(first, height, ask)
      return ask(method, [first, second])
    case 'getrawtransaction': {
      const found = await ask(method, [first, true])
      const { blockhash, hex } = fieldsOf(found)
      if (blockhash === undefined) throw new Refused(NOT_FOUND, 'No such mempool or blockchain transaction.')
      const { confirmations } = await header(blockhash, height, ask)
      return second ? { ...fieldsOf(found), confirmations } : hex
    }
    case 'getrawmempool':
      return []
    case 'getmempoolentry':
      throw new Refused(NOT_FOUND, 'Transaction not in mempool')
    case 'gettxspendingprevout':
      return (first as { txid: string; vout: number }[]).map(({ txid, vout }) => ({ txid, vout }))
    case 'gettxout':
      return isUnspent(String(first), Number(second), height, ask)
    case 'scantxoutset':
      return scan(question, height, ask)
    default:
      return ask(method, question.params)
  }
}

async function header(hash: unknown, height: number, ask: Ask): Promise<Record<string, unknown>> {
  const [found, head] = [fieldsOf(await ask('getblockheader', [hash])), await bitcoin.height(ask)]
  if (Number(found.height) > height) throw new Refused(NOT_FOUND, 'Block not found')
  const confirmations = Number(found.confirmations)
  return { ...found, confirmations: confirmations < 0 ? confirmations : confirmations - (head - height) }
}

async function since(height: number, ask: Ask): Promise<Transaction[]> {
  const all: Transaction[] = []
  for (let at = height + 1; at <= (await bitcoin.height(ask)); at++) {
    const hash = await ask('getblockhash', [at])
    all.push(...parseBlock(String(await ask('getblock', [hash, 0]))).transactions)
  }
  return all
}

async function isUnspent(txid: string, vout: number, height: number, ask: Ask): Promise<unknown> {
  const newer = await since(height, ask)
  if (newer.some((one) => one.txid === txid)) return null
  const isSpentSince = newer.some(({ inputs }) => inputs?.some((input) => input.txid === txid && input.vout === vout))
  return isSpentSince ? { confirmations: 1 } : ask('gettxout', [txid, vout, false])
}

async function scan(question: Question, height: number, ask: Ask): Promise<unknown> {
  const now = fieldsOf(await ask(question.method, question.params))
  const unspents = (now.unspents as Record<string, unknown>[]).filter((coin) => Number(coin.height) <= height)
  const scripts = new Set((now.unspents as Record<string, unknown>[]).map(({ scriptPubKey }) => scriptPubKey))
  for (const input of (await since(height, ask)).flatMap(({ inputs }) => inputs ?? [])) {
    const made = fieldsOf(await ask('getrawtransaction', [input.txid, true]))
    const output = parseTransaction(String(made.hex)).outputs[input.vout]
    const script = Buffer.from(output?.script ?? []).toString('hex')
    const at = made.blockhash ? Number(fieldsOf(await ask('getblockheader', [made.blockhash])).height) : height + 1
    if (!output || !scripts.has(script) || at > height) continue
    const amount = Number(output.units) / SATS
    unspents.push({ ...input, scriptPubKey: script, amount, coinbase: false, height: at })
  }
  return { ...now, height, bestblock: await ask('getblockhash', [height]), unspents }
}
