/** A user's wallet on the local chain: a key, its coins, and scripts with any outputs. */
import { createHash } from 'node:crypto'
import { Bug, type DepositAction, type TestAccount, type TxHash } from '@causeway/core'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keyAddress } from '../../src/address.ts'
import { bytesOf, hexOf } from '../../src/bytes.ts'
import { encodeTransaction, idOf, scriptParts } from '../../src/encode.ts'
import { coinsOf, type FoundCoin, submit } from '../../src/node/calls.ts'
import type { Node } from '../../src/node/node.ts'
import { compactOf } from '../../src/signature.ts'
import { type CoinInput, type Input, KIND, type Output, POLICY, type Transaction } from '../../src/transaction.ts'

export interface Place {
  node: Node
  chainId: bigint
  baseAsset: string
}

export function accountFrom(seed: string): TestAccount {
  const secret = createHash('sha256').update(seed).digest()
  return { address: keyAddress(secp256k1.getPublicKey(secret, true)), secret: hexOf(secret) }
}

/** A user's transaction: a script (a plain payment has none), inputs and outputs. */
export interface Letter {
  script?: Uint8Array
  data?: Uint8Array
  inputs?: Input[]
  outputs: Output[]
  /** Assets without a change output. */
  withoutChange?: readonly string[]
  /** Other owners whose coins are spent in the same transaction, and who sign. */
  others?: readonly TestAccount[]
  /** Overrides policies, for tests of a node's rejections. */
  policies?: Partial<Record<keyof typeof POLICY, bigint>>
  gasLimit?: bigint
}

/** Far more than a fee of the local chain: the unused part is returned. */
const MAX_FEE = 100_000n
const GAS_LIMIT = 200_000n
const RETURN = Uint8Array.of(0x24, 0, 0, 0)

export async function send(place: Place, account: TestAccount, letter: Letter): Promise<TxHash> {
  const { raw } = await written(place, account, letter)
  return place.node.ask(submit(raw))
}

/** The signed transaction, unsent. */
export async function written(
  place: Place,
  account: TestAccount,
  letter: Letter,
): Promise<{ id: TxHash; raw: string }> {
  const { chainId, baseAsset } = place
  const maxFee = letter.policies?.maxFee ?? MAX_FEE
  const needed = new Map([[baseAsset, maxFee]])
  const spendable = letter.outputs.flatMap((output) => ('units' in output && output.type === 'coin' ? [output] : []))
  for (const { asset, units } of spendable) needed.set(asset, (needed.get(asset) ?? 0n) + units)
  for (const input of letter.inputs ?? []) {
    if (input.type === 'coin') needed.set(input.asset, (needed.get(input.asset) ?? 0n) - input.units)
  }
  const people = [account, ...(letter.others ?? [])]
  const coins: CoinInput[] = []
  for (const [asset, units] of needed) {
    for (const [witnessIndex, { address }] of people.entries()) {
      // Of each other owner one coin is spent, whatever it holds.
      if (witnessIndex > 0 && asset !== baseAsset) continue
      coins.push(...(await coinsFor(place, address, asset, witnessIndex > 0 ? 1n : units, witnessIndex)))
    }
  }
  const inputs = [...(letter.inputs ?? []), ...coins]
  const assets = new Set(inputs.flatMap((input) => (input.type === 'coin' ? [input.asset] : [])))
  const rests = [...assets].filter((asset) => !letter.withoutChange?.includes(asset))
  const given = letter.outputs.flatMap((output) => (output.type === 'change' ? [output.asset] : []))
  const changes = rests
    .filter((asset) => !given.includes(asset))
    .map((asset): Output => ({ type: 'change', to: account.address, units: 0n, asset }))
  const unsigned: Transaction = {
    kind: KIND.script,
    ...scriptParts(letter.script ?? RETURN, letter.data ?? new Uint8Array(), letter.gasLimit ?? GAS_LIMIT),
    policies: policiesOf({ ...letter.policies, maxFee }),
    inputs,
    outputs: [...letter.outputs, ...changes],
    witnesses: [],
  }
  const id = idOf(unsigned, chainId)
  const witnesses = people.map((person) => signed(person, bytesOf(id)))
  return { id, raw: encodeTransaction({ ...unsigned, witnesses }) }
}

function policiesOf(wanted: NonNullable<Letter['policies']>): [number, bigint][] {
  return Object.entries(POLICY).flatMap(([name, bit]): [number, bigint][] => {
    const value = wanted[name as keyof typeof POLICY]
    return value ? [[bit, value]] : []
  })
}

export function signed({ secret }: TestAccount, digest: Uint8Array): Uint8Array {
  const key = bytesOf(secret)
  const [recovery = 0, ...rest] = secp256k1.sign(digest, key, { prehash: false, format: 'recovered' })
  return compactOf(Uint8Array.from([...rest, recovery]), digest, secp256k1.getPublicKey(key, true))
}

async function coinsFor(
  place: Place,
  owner: string,
  asset: string,
  units: bigint,
  witnessIndex: number,
): Promise<CoinInput[]> {
  const chosen: FoundCoin[] = []
  let held = 0n
  for (const coin of await coinsAt(place, owner, asset)) {
    if (held >= units) break
    chosen.push(coin)
    held += coin.units
  }
  if (held < units) throw new Bug('a test account has too little', { owner, asset, units })
  return chosen.map((coin) => coinInput(coin, witnessIndex))
}

export function coinInput(coin: FoundCoin, witnessIndex = 0, predicate: Uint8Array = new Uint8Array()): CoinInput {
  const { txId, index, owner, units, asset } = coin
  return { type: 'coin', txId, index, owner, units, asset, witnessIndex, predicate, predicateData: new Uint8Array() }
}

/** The coins of an owner, the largest first. */
export async function coinsAt({ node }: Place, owner: string, asset: string): Promise<FoundCoin[]> {
  const all: FoundCoin[] = []
  let after: string | null = null
  do {
    const page: { rows: FoundCoin[]; after: string | null } = await node.ask(coinsOf(owner, asset, after))
    all.push(...page.rows)
    after = page.after
  } while (after !== null)
  return all.toSorted((a, b) => (a.units > b.units ? -1 : 1))
}

interface WrittenScript {
  script: string
  scriptData: string
  inputs: { contractId: string }[]
  outputs: ({ inputIndex: number } | { to: string; amount: string; assetId: string })[]
}

/** The script of a deposit action as a wallet reads it from its JSON. */
function letterOf(callData: string): Letter {
  const { script }: { script: WrittenScript } = JSON.parse(callData)
  return {
    script: bytesOf(script.script),
    data: bytesOf(script.scriptData),
    inputs: script.inputs.map(({ contractId }) => ({ type: 'contract', contract: contractId })),
    outputs: script.outputs.map((output) =>
      'to' in output
        ? { type: 'coin', to: output.to, units: BigInt(output.amount), asset: output.assetId }
        : { type: 'contract', inputIndex: output.inputIndex },
    ),
  }
}

export function depositLetter(
  asset: string,
  { toAddress, units, callData }: Pick<DepositAction, 'toAddress' | 'units' | 'callData'>,
): Letter {
  if (callData !== null) return letterOf(callData)
  return { outputs: [{ type: 'coin', to: toAddress, units, asset }] }
}
