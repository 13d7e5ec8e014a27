/** Actions of users' wallets on a chain: plain transfers, optionally with a memo, and contract calls. */
import { Depository } from '@causeway/contracts'
import type { Address, Devnet, TestAccount, TxHash } from '@causeway/core'
import { decodeFunctionData, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { sign } from 'viem/accounts'
import { hexOf } from './accounts.ts'
import { CONTRACTS, encode, RAW_DATA, sha256, TRANSACTION, type Tree } from './messages.ts'

/** Calls one method of a network's node. */
export type Ask = (network: string, path: string, body: Record<string, unknown>) => Promise<unknown>

interface Request {
  type: 1 | 2 | 30 | 31
  /** The contract call's body without the owner. */
  body: Tree
  memo?: string | undefined
  feeLimit?: bigint
}

const FEE_LIMIT = 100_000_000n
const VALID_MS = 120_000
const ARRIVAL_TIMEOUT_MS = 60_000
const POLL_MS = 10
const HEX_CALL = /^0x[0-9a-f]{8,}$/

export interface Wallets extends Pick<Devnet, 'deposit' | 'transfer' | 'balance'> {
  /** Signs and sends, and returns the hash once the transaction is in a block, whatever its result. */
  send(account: TestAccount, network: string, request: Request): Promise<TxHash>
}

export function openWallets(ask: Ask): Wallets {
  let newest = 0
  const wallets: Wallets = {
    async send(account, network, request) {
      newest = Math.max(newest + 1, Date.now())
      const timestamp = newest
      const signed = await signedBy(account, await referenceOf(ask, network), request, timestamp)
      await post(ask, network, signed.bytes)
      await inBlock(ask, network, signed.id)
      return signed.id
    },
    async deposit(account, token, { toAddress, units, callData }) {
      if (callData === null || !HEX_CALL.test(callData)) {
        return wallets.send(account, token.network, {
          ...payment(token.contract, toAddress, units),
          memo: callData ?? undefined,
        })
      }
      const { args } = decodeFunctionData({ abi: Depository.abi, data: callData as Hex })
      const amount = (args as readonly bigint[])[3] ?? 0n
      const spender: Hex = `0x${hexOf(toAddress).slice(2)}`
      const approval = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] })
      await wallets.send(account, token.network, callOf(token.contract ?? '', approval))
      return wallets.send(account, token.network, callOf(toAddress, callData as Hex, units))
    },
    transfer: (account, token, to, units) => wallets.send(account, token.network, payment(token.contract, to, units)),
    async balance({ network, contract }, address) {
      if (contract === null) {
        const { balance = 0 } = (await ask(network, 'wallet/getaccount', { address: hexOf(address) })) as {
          balance?: number
        }
        return BigInt(balance)
      }
      const owner = hexOf(address)
      const { constant_result } = (await ask(network, 'wallet/triggerconstantcontract', {
        owner_address: owner,
        contract_address: hexOf(contract),
        function_selector: 'balanceOf(address)',
        parameter: owner.slice(2).padStart(64, '0'),
      })) as { constant_result: string[] }
      return BigInt(`0x${constant_result[0]}`)
    },
  }
  return wallets
}

export function callOf(contract: Address, data: Hex, value = 0n): Request {
  const body = {
    contract_address: Buffer.from(hexOf(contract), 'hex'),
    data: Buffer.from(data.slice(2), 'hex'),
    call_value: value,
  }
  return { type: 31, body, feeLimit: FEE_LIMIT }
}

/** A request that creates a contract: the constructor's arguments follow the code. */
export function creationOf(owner: Address, creation: Hex): Request {
  const new_contract = {
    origin_address: Buffer.from(hexOf(owner), 'hex'),
    bytecode: Buffer.from(creation.slice(2), 'hex'),
    consume_user_resource_percent: 100n,
    origin_energy_limit: 10_000_000n,
  }
  return { type: 30, body: { new_contract }, feeLimit: 10n * FEE_LIMIT }
}

function payment(contract: Address | null, to: Address, units: bigint): Request {
  if (contract === null) return { type: 1, body: { to_address: Buffer.from(hexOf(to), 'hex'), amount: units } }
  const recipient: Hex = `0x${hexOf(to).slice(2)}`
  return callOf(contract, encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [recipient, units] }))
}

async function referenceOf(ask: Ask, network: string): Promise<{ id: string; time: number }> {
  const { blockID, block_header } = (await ask(network, 'wallet/getblock', { detail: false })) as {
    blockID: string
    block_header: { raw_data: { timestamp: number } }
  }
  return { id: blockID, time: block_header.raw_data.timestamp }
}

async function signedBy(
  { address, secret }: TestAccount,
  reference: { id: string; time: number },
  { type, body, memo, feeLimit = 0n }: Request,
  timestamp: number,
): Promise<{ id: string; bytes: Buffer }> {
  const known = CONTRACTS[type]
  if (!known) throw new Error(`no contract ${type}`)
  const value = encode(known.table, { ...body, owner_address: Buffer.from(hexOf(address), 'hex') })
  const parameter = { type_url: Buffer.from(`type.googleapis.com/protocol.${known.name}`), value }
  const raw = encode(RAW_DATA, {
    ref_block_bytes: Buffer.from(reference.id.slice(12, 16), 'hex'),
    ref_block_hash: Buffer.from(reference.id.slice(16, 32), 'hex'),
    expiration: BigInt(reference.time + VALID_MS),
    ...(memo === undefined ? {} : { data: Buffer.from(memo) }),
    contract: [{ type: BigInt(type), parameter }],
    timestamp: BigInt(timestamp),
    fee_limit: feeLimit,
  })
  const id = sha256(raw).toString('hex')
  const { r, s, yParity = 0 } = await sign({ hash: `0x${id}`, privateKey: `0x${secret}` })
  const signature = Buffer.from(`${r.slice(2)}${s.slice(2)}0${yParity}`, 'hex')
  return { id, bytes: encode(TRANSACTION, { raw_data: raw, signature: [signature] }) }
}

async function post(ask: Ask, network: string, bytes: Buffer): Promise<void> {
  const { result, code, message } = (await ask(network, 'wallet/broadcasthex', {
    transaction: bytes.toString('hex'),
  })) as {
    result?: boolean
    code?: string
    message?: string
  }
  if (result !== true) throw new Error(`${code}: ${Buffer.from(message ?? '', 'hex').toString()}`)
}

async function inBlock(ask: Ask, network: string, value: string): Promise<void> {
  const deadline = Date.now() + ARRIVAL_TIMEOUT_MS
  while (Date.now() < deadline) {
    const found = (await ask(network, 'wallet/gettransactioninfobyid', { value })) as { id?: string }
    if (found.id === value) return
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  throw new Error(`transaction ${value} did not get into a block`)
}
