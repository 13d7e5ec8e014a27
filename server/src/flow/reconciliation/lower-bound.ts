/**
 * The fast alarm: a wallet must hold at least the ledger's balance less everything that may be in flight. Two checks in
 * a row below that bound halt the wallet, before their block is final. With nothing in flight, the bound is exact.
 */
import type { BlockRef, ChainAdapter, Token } from '@causeway/core'
import type { Services } from '../../services.ts'
import { ledgerUnits } from '../../store/ledger/balances.ts'
import { lockFinding, saveFinding, unsettledUnits } from '../../store/ledger/ledger.ts'
import { readPosition } from '../../store/watch/cursors.ts'
import { allowanceOf } from './allowances.ts'
import { peekScan, type ScanPreview } from './comparable.ts'
import { haltWalletForShortfall } from './halt.ts'

/** Used only if the cost of signed bytes is unknown (`sign`): fees fall faster than payouts are settled. */
const UNKNOWN_FEE_MULTIPLE = 1_000n

export async function lowerBoundAlarm(
  services: Services,
  chain: ChainAdapter,
  token: Token,
  seen: { units: bigint; block: BlockRef | null },
): Promise<void> {
  const { treasury, network } = chain
  const { database } = services
  const isNative = token.contract === null
  const position = await readPosition(database, network.name)
  // A node that was stuck for a long time reports an old balance.
  const isOld = seen.block !== null && position && seen.block.number + BigInt(network.finalDepth) < position.headNumber
  if (isOld) return
  const unknownFee = isNative ? await unknownFeeOf(chain) : null
  const missingNow = async (queries: Parameters<typeof ledgerUnits>[0]) =>
    (await ledgerUnits(queries, treasury, token)) -
    (await unsettledUnits(queries, token, treasury, unknownFee)) -
    (isNative ? await allowanceOf(queries, chain, null, services.now()) : 0n) -
    seen.units -
    (chain.balanceNoise?.(seen.units) ?? 0n)
  const isShort = (await missingNow(database)) > 0n
  const outlook = isShort ? await peekScan(services, chain)() : null
  const excused = outlook && unreadReceipts(chain, token, outlook)
  await database.transaction().execute(async (queries) => {
    const last = await lockFinding(queries, treasury, token)
    if (!last?.opened) return
    const now = await missingNow(queries)
    const block = seen.block?.number ?? position?.headNumber ?? 0n
    const missing = { units: now, block, isFinal: false }
    if (excused !== null && now > excused && last.short)
      await haltWalletForShortfall(services, queries, token, treasury, missing)
    if (last.short !== now > 0n) await saveFinding(queries, treasury, token, { short: now > 0n })
  })
}

/**
 * The cost of receiving that the ledger has not booked yet. Null if it is unknown: then the comparison at final depth
 * decides.
 */
function unreadReceipts(
  { allowances, treasury }: ChainAdapter,
  token: Token,
  { isAtHead, coming }: ScanPreview,
): bigint | null {
  const receiptUnits = allowances?.receiptUnits ?? 0n
  if (receiptUnits === 0n || token.contract !== null) return 0n
  return isAtHead ? receiptUnits * BigInt(coming.filter(({ to }) => to === treasury).length) : null
}

async function unknownFeeOf(chain: ChainAdapter): Promise<bigint> {
  const dearest = Object.values(await chain.fees()).reduce((most, fee) => (fee > most ? fee : most), 0n)
  return UNKNOWN_FEE_MULTIPLE * dearest
}
