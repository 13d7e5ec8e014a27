/** The effect of one transaction on the treasury, from the block that proves it and the node's report on contracts. */
import type { Address, Amount, ChainLog, Movement, Network, Token } from '@causeway/core'
import { TRANSFER_TOPIC } from '../abi.ts'
import { addressInWord, NATIVE_ADDRESS } from '../address.ts'
import { type BlockTransaction, refOf } from '../block.ts'
import { SWEPT_TOPIC } from '../depositing/forwarder.ts'
import type { Log, Receipt } from '../node/calls.ts'
import type { Settings } from '../settings.ts'
import type { ToldBlock } from './receipts.ts'

export interface Ground {
  network: Network
  settings: Settings
  treasury: Address
  tokens: ReadonlyMap<Address, Token>
  log: ChainLog
}

export function movesIn(ground: Ground, block: ToldBlock): Movement[] {
  return block.transactions.flatMap((transaction, position) => {
    const receipt = block.receipts[position]
    if (!receipt) return []
    const isOwn = transaction.owner === ground.treasury
    const changes = changesOf(ground, transaction, receipt)
    if (!isOwn && changes.length === 0) return []
    return [{ txHash: transaction.id, block: refOf(block), changes, slot: isOwn ? [transaction.id] : null }]
  })
}

function changesOf(ground: Ground, transaction: BlockTransaction, receipt: Receipt): Amount[] {
  const { network, treasury } = ground
  const fee = transaction.owner === treasury ? [-receipt.fee] : []
  const moved = transaction.isSuccess
    ? [...coinsOf(ground, transaction, receipt), ...tokensOf(ground, receipt.logs)]
    : []
  const coins = moved.filter(({ token }) => token.contract === null).map(({ units }) => units)
  const all = [...coins, ...fee]
  const sides = [all.filter((units) => units > 0n), all.filter((units) => units < 0n)].map((side) =>
    side.reduce((sum, units) => sum + units, 0n),
  )
  return [
    ...sides.map((units) => ({ token: network.nativeToken, units })),
    ...moved.filter(({ token }) => token.contract !== null),
  ].filter(({ units }) => units !== 0n)
}

function coinsOf(ground: Ground, { contract }: BlockTransaction, receipt: Receipt): Amount[] {
  const { treasury, network } = ground
  const token = network.nativeToken
  const of = (from: Address | null, to: Address | null, units: bigint): Amount[] => [
    ...(to === treasury ? [{ token, units }] : []),
    ...(from === treasury ? [{ token, units: -units }] : []),
  ]
  if (contract?.kind === 'transfer') return of(contract.owner, contract.to, contract.units)
  const sent = contract?.kind === 'call' ? of(contract.owner, contract.contract, contract.value) : []
  // The factory logs swept coins, even if a node keeps no internal transfers.
  const swept = sweptCoins(ground, receipt.logs)
  const inner = receipt.inner.flatMap(({ from, to, units }) => of(from, to, units))
  return [...sent, ...(swept.length > 0 ? swept.map((units) => ({ token, units })) : inner)]
}

function sweptCoins({ settings }: Ground, logs: readonly Log[]): bigint[] {
  return logs.flatMap(({ address, topics, data }) => {
    const isOurs = settings.factory !== null && topics[0] === SWEPT_TOPIC && addressInWord(address) === settings.factory
    return isOurs && addressInWord(topics[2] ?? '') === NATIVE_ADDRESS ? [BigInt(`0x${data}`)] : []
  })
}

function tokensOf(ground: Ground, logs: readonly Log[]): Amount[] {
  return logs.flatMap((log) => {
    const moved = readTransfer(ground, log)
    if (!moved) return []
    const { token, from, to, units } = moved
    return [
      ...(to === ground.treasury ? [{ token, units }] : []),
      ...(from === ground.treasury ? [{ token, units: -units }] : []),
    ]
  })
}

export interface TokenTransfer {
  token: Token
  from: Address
  to: Address
  units: bigint
}

/** Decodes a transfer; null if it is not of a listed token. */
export function readTransfer({ tokens }: Pick<Ground, 'tokens'>, { address, topics, data }: Log): TokenTransfer | null {
  const [event, from, to, ...more] = topics
  if (event !== TRANSFER_TOPIC || !from || !to || more.length > 0 || data.length !== 64) return null
  const token = tokens.get(addressInWord(address))
  return token ? { token, from: addressInWord(from), to: addressInWord(to), units: BigInt(`0x${data}`) } : null
}
