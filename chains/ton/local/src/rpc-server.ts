/**
 * The local chain as toncenter's API (v2) shows it: the methods that this family calls, with their real names, fields and
 * refusals, and a few of our own to fund, mine and let time pass.
 */
import { Address, Cell, loadMessage, type Message, type TupleItem } from '@ton/core'
import { type BlockchainTransaction, EmulationError } from '@ton/sandbox'
import type { Block, LocalChain } from './chain.ts'

type Params = Readonly<Record<string, unknown>>
type Method = (chain: LocalChain, params: Params) => Promise<unknown>

/** An error answer: an HTTP status and JSON with `ok: false`. */
export class FacadeError extends Error {
  override name = 'FacadeError'
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

const SHARD = '-9223372036854775808'
const NO_CONTRACT = -13
const MAX_PAGE = 100

export const METHODS: Readonly<Record<string, Method>> = {
  async getMasterchainInfo(chain) {
    return { last: blockId(chain.head), init: { ...blockId(chain.head), seqno: 0, root_hash: chain.zeroState } }
  },

  async getAddressInformation(chain, { address }) {
    const contract = await chain.contract(Address.parse(String(address)))
    const state = contract.accountState
    const init = state?.type === 'active' ? state.state : null
    const newest = chain.pastOf(contract.address).at(-1)
    return {
      balance: contract.balance.toString(),
      state: init ? 'active' : 'uninitialized',
      code: boc(init?.code),
      data: boc(init?.data),
      last_transaction_id: newest
        ? { lt: newest.lt.toString(), hash: newest.hash().toString('base64') }
        : { lt: '0', hash: Buffer.alloc(32).toString('base64') },
      block_id: blockId(chain.head),
      sync_utime: chain.head.time,
    }
  },

  async getTransactions(chain, { address, lt, hash, limit }) {
    const past = chain.pastOf(Address.parse(String(address)))
    const start = past.findLastIndex((each) => each.lt.toString() === lt && each.hash().toString('base64') === hash)
    if (start < 0) throw new FacadeError(500, 'LITE_SERVER_UNKNOWN: cannot compute block with specified transaction')
    const count = Math.min(Number(limit), MAX_PAGE)
    return past
      .slice(Math.max(0, start + 1 - count), start + 1)
      .toReversed()
      .map(written)
  },

  async tryLocateResultTx(chain, { source, destination, created_lt }) {
    const sender = Address.parse(String(source))
    const found = chain.pastOf(Address.parse(String(destination))).find(({ inMessage }) => {
      const info = inMessage?.info
      return info?.type === 'internal' && info.createdLt.toString() === created_lt && info.src.equals(sender)
    })
    if (!found) throw new FacadeError(404, 'message not found in the destination')
    return written(found)
  },

  async runGetMethod(chain, { address, method, stack }) {
    const contract = await chain.contract(Address.parse(String(address)))
    if (contract.accountState?.type !== 'active') return { exit_code: NO_CONTRACT, stack: [] }
    try {
      const items = Array.isArray(stack) ? stack.map(readItem) : []
      const answer = await contract.get(String(method), items, { now: chain.head.time })
      return { exit_code: answer.exitCode, stack: answer.stack.map(writeItem) }
    } catch (error) {
      const exitCode = error instanceof Error && 'exitCode' in error ? error.exitCode : NO_CONTRACT
      return { exit_code: exitCode, stack: [] }
    }
  },

  async lookupBlock(chain, { lt }) {
    const found = chain.blocks.find(({ endLt }) => endLt >= BigInt(String(lt)))
    if (!found) throw new FacadeError(500, 'LITE_SERVER_NOTREADY: block is not in db')
    return blockId(found)
  },

  async getBlockHeader(chain, { seqno }) {
    const found = chain.blocks[Number(seqno)]
    if (!found) throw new FacadeError(500, 'LITE_SERVER_NOTREADY: block is not in db')
    return { id: blockId(found), gen_utime: found.time }
  },

  async sendBoc(chain, { boc: sent }) {
    const message = loadMessage(Cell.fromBase64(String(sent)).beginParse())
    if (message.info.type !== 'external-in') throw new FacadeError(500, 'LITE_SERVER_UNKNOWN: not an external message')
    await accepted(chain.send(message))
    return { '@type': 'ok' }
  },

  /** Sends any message, to test messages that should be refused. */
  async devnet_send(chain, { boc: sent }) {
    await chain.send(loadMessage(Cell.fromBase64(String(sent)).beginParse()))
    return {}
  },

  async devnet_fund(chain, { address, units }) {
    await chain.fund(Address.parse(String(address)), BigInt(String(units)))
    return {}
  },

  async devnet_mint(chain, { master, address, units }) {
    await chain.mint(Address.parse(String(master)), Address.parse(String(address)), BigInt(String(units)))
    return {}
  },

  async devnet_mine(chain, { blocks }) {
    await chain.mine(Number(blocks))
    return {}
  },

  async devnet_advance(chain, { seconds }) {
    await chain.advance(Number(seconds))
    return {}
  },
}

async function accepted(sending: Promise<void>): Promise<void> {
  try {
    await sending
  } catch (error) {
    if (!(error instanceof EmulationError)) throw error
    // The wording of toncenter: wallets and our own `pay.ts` parse the exit code.
    const reason = `inbound external message rejected by transaction:\nexitcode=${error.exitCode ?? 0}, steps=0`
    throw new FacadeError(500, `LITE_SERVER_UNKNOWN: cannot apply external message to current state : ${reason}`)
  }
}

function blockId({ seqno, hash }: Block) {
  return { '@type': 'ton.blockIdExt', workchain: -1, shard: SHARD, seqno, root_hash: hash, file_hash: hash }
}

function written(transaction: BlockchainTransaction) {
  return {
    '@type': 'raw.transaction',
    utime: transaction.now,
    data: boc(transaction.raw),
    transaction_id: { lt: transaction.lt.toString(), hash: transaction.hash().toString('base64') },
    fee: transaction.totalFees.coins.toString(),
    in_msg: transaction.inMessage ? writtenMessage(transaction.inMessage) : null,
    out_msgs: transaction.outMessages.values().map(writtenMessage),
  }
}

function writtenMessage({ info, body }: Message) {
  return {
    source: info.src?.toString() ?? '',
    destination: info.dest?.toString() ?? '',
    value: info.type === 'internal' ? info.value.coins.toString() : '0',
    created_lt: info.type === 'external-in' ? '0' : info.createdLt.toString(),
    body_hash: body.hash().toString('base64'),
    msg_data: { '@type': 'msg.dataRaw', body: boc(body) },
  }
}

function readItem(item: unknown): TupleItem {
  const [type, value] = Array.isArray(item) ? item : []
  if (type === 'num') return { type: 'int', value: BigInt(String(value)) }
  return { type: 'slice', cell: Cell.fromBase64(String(value)) }
}

function writeItem(item: TupleItem): unknown {
  if (item.type === 'int') {
    return ['num', `${item.value < 0n ? '-' : ''}0x${(item.value < 0n ? -item.value : item.value).toString(16)}`]
  }
  if ('cell' in item) return ['cell', { bytes: boc(item.cell) }]
  return [item.type, null]
}

function boc(cell: Cell | null | undefined): string {
  return cell ? cell.toBoc().toString('base64') : ''
}
