/** Wallet support of a node: coin selection, and completing a transaction with coins. */
import { type Decoded, decodeScript, unhex, words } from './codec.ts'
import type { Arguments } from './graphql.ts'
import type { Ledger } from './ledger.ts'
import { type Coin, feeOf, maxGas } from './rules.ts'

interface Excluded {
  utxos?: string[]
}

/** Selects coins for each requested asset, the largest first. */
export function coinsToSpend(ledger: Ledger, { owner, queryPerAsset, excludedIds }: Arguments): Coin[][] {
  const wanted = queryPerAsset as { assetId: string; amount: string }[]
  const excluded = new Set((excludedIds as Excluded | null)?.utxos ?? [])
  return wanted.map(({ assetId, amount }) => pick(ledger, String(owner), assetId, BigInt(amount), excluded))
}

function pick(ledger: Ledger, owner: string, asset: string, wanted: bigint, excluded: ReadonlySet<string>): Coin[] {
  const own = [...ledger.coins.values()]
    .filter((coin) => coin.owner === owner && coin.asset === asset && !excluded.has(coin.utxo))
    .toSorted((a, b) => (a.amount > b.amount ? -1 : 1))
  const chosen: Coin[] = []
  let held = 0n
  for (const coin of own) {
    if (held >= wanted) break
    chosen.push(coin)
    held += coin.amount
  }
  if (held < wanted)
    throw new Error(`the target cannot be met due to no coins available or exceeding the 255 coin limit.`)
  return chosen
}

interface Required {
  account: { address: string }
  amount: string
  assetId: string
  changePolicy: { change: string }
}

/** Gas for a script: more than any script of the local chain uses. */
const SCRIPT_GAS = 100_000n

/**
 * Completes a transaction with coins for the required amounts and the fee, with change, and with space for one witness.
 */
export function assemble(ledger: Ledger, args: Arguments): { decoded: Decoded } {
  const { baseAsset } = ledger
  const draft = decodeScript(unhex(String(args.tx)))
  const required = args.requiredBalances as Required[]
  const payer = required[Number(args.feeAddressIndex)]
  if (!payer) throw new Error('no account pays the fee')
  const excluded = new Set((args.excludeInput as Excluded | null)?.utxos ?? [])
  // A generous fee reserve; the unused part is returned.
  const room = feeOf(maxGas(draft) + SCRIPT_GAS + 200_000n, ledger.gasPrice())
  const wanted = new Map<string, { owner: string; asset: string; amount: bigint; change: string }>()
  const want = (owner: string, asset: string, amount: bigint, change: string) => {
    const key = `${owner} ${asset}`
    wanted.set(key, { owner, asset, amount: amount + (wanted.get(key)?.amount ?? 0n), change })
  }
  for (const { account, amount, assetId, changePolicy } of required) {
    want(account.address, assetId, BigInt(amount), changePolicy.change)
  }
  want(payer.account.address, baseAsset, room, payer.changePolicy.change)
  const coins = [...wanted.values()].flatMap(({ owner, asset, amount }) => pick(ledger, owner, asset, amount, excluded))
  const changes = new Map([...wanted.values()].map(({ asset, change }) => [asset, change]))
  return { decoded: decodeScript(filledUp(draft, coins, changes, room)) }
}

function filledUp(
  draft: Decoded,
  coins: readonly Coin[],
  changes: ReadonlyMap<string, string>,
  maxFee: bigint,
): Buffer {
  const { raw } = draft
  const scriptBytes = Math.ceil(draft.script.length / 8) * 8 + Math.ceil(draft.data.length / 8) * 8
  const oldPolicies = raw.readBigUInt64BE(64)
  const policyCount = [...oldPolicies.toString(2)].filter((bit) => bit === '1').length
  const bodyEnd = 96 + scriptBytes
  const kept = raw.subarray(bodyEnd + policyCount * 8, draft.witnessesAt)
  const outputsAt = outputsStart(draft, kept)
  const head = Buffer.from(raw.subarray(0, 96))
  head.writeBigUInt64BE(SCRIPT_GAS, 8)
  head.writeBigUInt64BE(8n, 64)
  head.writeBigUInt64BE(BigInt(draft.inputs.length + coins.length), 72)
  head.writeBigUInt64BE(BigInt(draft.outputs.length + changes.size), 80)
  head.writeBigUInt64BE(1n, 88)
  const added = coins.map(({ utxo, owner, amount, asset }) => {
    const place = [unhex(utxo.slice(0, 66)), words(Number.parseInt(utxo.slice(66), 16))]
    return Buffer.concat([words(0), ...place, unhex(owner), words(amount), unhex(asset), words(0, 0, 0, 0, 0, 0)])
  })
  const rests = [...changes].map(([asset, to]) => Buffer.concat([words(2), unhex(to), words(0), unhex(asset)]))
  return Buffer.concat([
    ...[head, raw.subarray(96, bodyEnd), words(maxFee), kept.subarray(0, outputsAt), ...added],
    ...[kept.subarray(outputsAt), ...rests, words(64), Buffer.alloc(64)],
  ])
}

/** Offset of the outputs, computed from the end because outputs have fixed sizes. */
function outputsStart({ outputs }: Decoded, kept: Buffer): number {
  const sizes = outputs.map((output) => ('to' in output || output.kind === 'contract' ? 80 : 72))
  return kept.length - sizes.reduce((sum, size) => sum + size, 0)
}
