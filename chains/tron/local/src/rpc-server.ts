/**
 * The local chain as java-tron's HTTP API shows it: the methods that this family and wallets call, with their real names and
 * fields, and a few of our own (`devnet/…`) to fund, mine and take back.
 */
import { toFunctionSelector } from 'viem'
import { evm, headerTree, type LocalBlock, type LocalChain } from './chain.ts'
import type { Executed } from './execute.ts'
import { decode, encode, HEADER, TRANSACTION } from './messages.ts'
import { PRICES, Rejected } from './rules.ts'
import { shown } from './transaction.ts'

type Body = Readonly<Record<string, unknown>>
type Method = (chain: LocalChain, body: Body) => unknown

const MOST_BLOCKS = 100

const newest: Method = (chain, body) => oneBlock(chain, body, chain.head)
const newestSolid: Method = (chain, body) => oneBlock(chain, body, chain.solid)

export const METHODS: Readonly<Record<string, Method>> = {
  'wallet/getnowblock': (chain) => showBlock(chain.head),
  'walletsolidity/getnowblock': (chain) => showBlock(chain.solid),
  'wallet/getblock': newest,
  'walletsolidity/getblock': newestSolid,
  'wallet/getblockbynum': (chain, { num }) => showOr(chain.blocks[Number(num)]),
  'wallet/getblockbylimitnext': (chain, { startNum, endNum }) => {
    const [from, end] = [Number(startNum), Number(endNum)]
    if (!(from >= 0 && end > from && end - from <= MOST_BLOCKS))
      throw new Error('class java.lang.Exception : wrong range')
    return { block: chain.blocks.slice(from, end).map((block) => showBlock(block)) }
  },
  'wallet/gettransactionbyid': (chain, { value }) => {
    const found = chain.landed(String(value))
    return found ? shown(found.executed.transaction, found.executed.result) : {}
  },
  'wallet/gettransactioninfobyid': (chain, { value }) => {
    const found = chain.landed(String(value))
    return found ? receiptOf(found.block, found.executed) : {}
  },
  'wallet/gettransactioninfobyblocknum': (chain, { num }) => {
    const block = chain.blocks[Number(num)]
    return block ? block.transactions.map((executed) => receiptOf(block, executed)) : []
  },
  'wallet/gettransactionfrompending': (chain, { value }) => {
    const waiting = chain.pool.get(String(value))
    return waiting ? shown(waiting.transaction, null) : {}
  },
  'wallet/getaccount': (chain, { address }) => {
    const at = hexAddress(address)
    return chain.inTurn(async () => {
      if (!(await chain.exists(at))) return {}
      const isContract = (await chain.vm.codeAt(evm(at))) !== '0x'
      const balance = Number(await chain.vm.balance(evm(at)))
      return { address: at, ...(isContract ? { type: 'Contract' } : {}), ...(balance ? { balance } : {}) }
    })
  },
  'wallet/getaccountresource': () => ({ freeNetLimit: 600, TotalEnergyLimit: 180_000_000_000 }),
  'wallet/getchainparameters': () => ({
    chainParameter: [
      { key: 'getEnergyFee', value: Number(PRICES.energy) },
      { key: 'getTransactionFee', value: Number(PRICES.byte) },
      { key: 'getMemoFee', value: Number(PRICES.memo) },
      { key: 'getCreateAccountFee', value: Number(PRICES.createAccount) },
      { key: 'getCreateNewAccountFeeInSystemContract', value: Number(PRICES.createAccountInSystem) },
      { key: 'getForbidTransferToContract', value: 1 },
      { key: 'getMaxFeeLimit', value: 15_000_000_000 },
    ],
  }),
  'wallet/getnodeinfo': () => ({ configNodeInfo: { codeVersion: 'causeway double' } }),
  'wallet/triggerconstantcontract': tryCall,
  'walletsolidity/triggerconstantcontract': tryCall,
  'wallet/broadcasthex': async (chain, { transaction }) => answerTo(chain, Buffer.from(String(transaction), 'hex')),
  'wallet/broadcasttransaction': async (chain, { raw_data_hex, signature, txID }) => {
    const signatures = (Array.isArray(signature) ? signature : []).map((one) => Buffer.from(String(one), 'hex'))
    const raw = Buffer.from(String(raw_data_hex), 'hex')
    return answerTo(chain, encode(TRANSACTION, { raw_data: raw, signature: signatures }), String(txID))
  },
  'devnet/fund': async (chain, { token, address, units }) => {
    const contract = token === null ? null : hexAddress(token)
    await chain.fund(contract, hexAddress(address), BigInt(String(units)))
    return {}
  },
  'devnet/mine': async (chain, { blocks }) => {
    await chain.mine(Number(blocks))
    return {}
  },
  'devnet/skip': async (chain, { ms }) => {
    await chain.skip(Number(ms))
    return {}
  },
  'devnet/reorg': async (chain, { depth }) => {
    await chain.reorg(Number(depth))
    return {}
  },
  'devnet/timer': (chain, { ms }) => {
    chain.mineEvery(Number(ms))
    return {}
  },
  'devnet/waiting': (chain) => ({ count: chain.pool.size }),
  'devnet/automine': (chain, { on }) => {
    chain.automine = on === true
    return {}
  },
}

async function tryCall(chain: LocalChain, body: Body): Promise<unknown> {
  const { owner_address, contract_address, function_selector, parameter, data } = body
  const to = hexAddress(contract_address)
  const call = function_selector
    ? `${toFunctionSelector(String(function_selector))}${String(parameter ?? '')}`
    : `0x${String(data ?? '')}`
  return chain.inTurn(async () => {
    if ((await chain.vm.codeAt(evm(to))) === '0x') {
      return { result: { code: 'CONTRACT_VALIDATE_ERROR', message: hex('Smart contract is not exist.') } }
    }
    const outcome = await chain.vm.attempt(evm(hexAddress(owner_address)), evm(to), call as `0x${string}`)
    const message = outcome.isSuccess ? {} : { message: hex('REVERT opcode executed') }
    return {
      result: { result: true, ...message },
      energy_used: Number(outcome.energy),
      constant_result: [outcome.answer.slice(2)],
      transaction: { ret: [outcome.isSuccess ? {} : { ret: 'FAILED' }] },
    }
  })
}

async function answerTo(chain: LocalChain, bytes: Buffer, claimed?: string): Promise<unknown> {
  try {
    const txid = await chain.submit(bytes)
    if (claimed !== undefined && claimed !== txid)
      throw new Rejected('OTHER_ERROR', 'the id is that of another transaction')
    return { result: true, code: 'SUCCESS', txid, message: '' }
  } catch (error) {
    if (!(error instanceof Rejected)) throw error
    return { result: false, code: error.code, message: hex(error.message) }
  }
}

function oneBlock({ blocks }: LocalChain, { id_or_num, detail }: Body, top: LocalBlock): unknown {
  const wanted =
    id_or_num === undefined ? top : blocks.find(({ id, number }) => `${number}` === `${id_or_num}` || id === id_or_num)
  return wanted && wanted.number <= top.number ? showBlock(wanted, detail === true) : {}
}

function showOr(block: LocalBlock | undefined): unknown {
  return block ? showBlock(block) : {}
}

function showBlock(block: LocalBlock, detail = true): Record<string, unknown> {
  const tree = decode(HEADER, encode(HEADER, headerTree(block)))
  const raw_data = Object.fromEntries(
    Object.entries(tree).map(([name, value]) => [
      name,
      value instanceof Buffer ? value.toString('hex') : Number(value),
    ]),
  )
  const transactions = block.transactions.map(({ transaction, result }) => shown(transaction, result))
  return {
    blockID: block.id,
    block_header: { raw_data, witness_signature: block.signature },
    ...(detail && transactions.length > 0 ? { transactions } : {}),
  }
}

function receiptOf(
  block: LocalBlock,
  { transaction, result, fee, energyFee, charge, outcome, created }: Executed,
): unknown {
  const logs = result === 'SUCCESS' ? (outcome?.logs ?? []) : []
  const inner = outcome?.inner ?? []
  return {
    id: transaction.id,
    ...(fee > 0n ? { fee: Number(fee) } : {}),
    blockNumber: block.number,
    blockTimeStamp: block.time,
    contractResult: [''],
    ...(created ? { contract_address: created } : {}),
    receipt: {
      ...(charge.netFee > 0n ? { net_fee: Number(charge.netFee) } : {}),
      ...(charge.netUsage > 0 ? { net_usage: charge.netUsage } : {}),
      ...(outcome ? { energy_usage_total: Number(outcome.energy), energy_fee: Number(energyFee), result } : {}),
    },
    ...(result === 'SUCCESS' ? {} : { result: 'FAILED', resMessage: hex(result) }),
    ...(logs.length > 0 ? { log: logs.map(showLog) } : {}),
    ...(inner.length > 0
      ? {
          internal_transactions: inner.map(({ from, to, value, isRejected }) => ({
            caller_address: `41${from.slice(2)}`,
            transferTo_address: `41${to.slice(2)}`,
            callValueInfo: [{ callValue: Number(value) }],
            note: hex('call'),
            ...(isRejected || result !== 'SUCCESS' ? { rejected: true } : {}),
          })),
        }
      : {}),
  }
}

function showLog({ address, topics, data }: NonNullable<Executed['outcome']>['logs'][number]): unknown {
  return { address: address.slice(2).toLowerCase(), topics: topics.map((topic) => topic.slice(2)), data: data.slice(2) }
}

function hexAddress(raw: unknown): string {
  const text = String(raw).toLowerCase()
  if (!/^41[0-9a-f]{40}$/.test(text)) throw new Error(`class java.lang.Exception : not an address ${text}`)
  return text
}

function hex(text: string): string {
  return Buffer.from(text).toString('hex')
}
