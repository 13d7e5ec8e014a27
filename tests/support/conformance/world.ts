/**
 * Shared by the cases of the conformance suite: a chain with a funded treasury, the adapter under test, and the basic
 * steps of every case. Nothing here assumes that blocks are made automatically, nor that they are not.
 */
import {
  type Address,
  type Capabilities,
  type ChainAdapter,
  type Cursor,
  type Devnet,
  type DevnetFamily,
  type Family,
  type Network,
  type Order,
  type PreparedTransfer,
  RetryLater,
  type Scan,
  type Sighting,
  type SignedTransfer,
  type Slot,
  type TestAccount,
  type Token,
  type TransferStatus,
  type TxHash,
} from '@causeway/core'
import { expect } from 'vitest'
import { type TestSigner, testSigner } from '../chains/signer.ts'
import { staticWatchlist } from '../chains/watchlist.ts'
import { eventually } from '../runner/eventually.ts'

/** Sample addresses by their written form; a family names the forms that it parses. */
export const SAMPLE_ADDRESSES = {
  hex20: '0x52908400098527886E0F7030069857D2E4169EE7',
  hex32: '0x049d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7',
  base58: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  base58check00: '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
  base58check41: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  base64crc: 'EQDtFpEwcFAEcRe5mLVh2N6C0x-_hJEM7W61_JLnSF74p4q2',
  segwit: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  bech32: 'cosmos1fl48vsnmsdzcv85q5d2q4z5ajdha8yu34mf0eh',
} as const

type AddressForm = keyof typeof SAMPLE_ADDRESSES

/** A family under test. */
export interface Subject {
  family: Family
  devnet: DevnetFamily
  /** With its tokens at the devnet's contracts; the nodes are filled in. */
  network: Network
  /** The sample forms that this family parses, or that look exactly like its own. */
  addressForms: readonly AddressForm[]
  /** The capabilities that the family has on this network. */
  capabilities: readonly (keyof Capabilities)[]
  /** Why no reorg can be made on demand; absent if the chain can. The cases that need one are then not applicable. */
  noReorgs?: string
  /** Why a slot admits only one transaction; absent if several may be signed in one slot, of which one is mined. */
  noReplacement?: string
  /** Why a sweep of a token fails if more arrived after it was signed; absent if it lands anyway. */
  closesAccounts?: string
  /** False if nodes return only our own transactions: those between others are unknown then. */
  seesOthers?: boolean
  /** Why nodes show only our balance; absent if they show all. Others' balances are then read from the devnet. */
  hidesOthers?: string
  /** Rent that the chain may charge an account between two payments to it, in native units. */
  rentUnits?: bigint
  /** The smallest transferable step; one unit if absent. */
  unitStep?(token: Token): bigint
  /** Why the chain has no fees; absent if it has. */
  noFees?: string
  /** Set if the chain is an external one that existed before the suite and stays. */
  elsewhere?: Elsewhere
}

/** For an external chain: other accounts than in the last run, and little money. */
interface Elsewhere {
  /** The seed for the keys of the treasury and of third parties. */
  seed: string
  treasuryWhole: bigint
}

export interface Attempt {
  order: Order
  slot: Slot
  draft: PreparedTransfer
  signed: SignedTransfer
}

type Included = Extract<TransferStatus, { state: 'included' }>

export type World = Awaited<ReturnType<typeof openWorld>>

/** Whole tokens of each kind that the treasury starts with. */
const LOCAL: Elsewhere = { seed: 'conformance', treasuryWhole: 1_000n }
/** More scans than this without reaching the head are a fault. */
const MAX_SCANS = 1_000
const SOON_MS = 20_000

export async function openWorld(subject: Subject) {
  const { family, elsewhere: { seed, treasuryWhole } = LOCAL } = subject
  const signer = testSigner(seed)
  const treasury = await family.treasury(subject.network, signer)
  const treasuries = { [subject.network.name]: treasury }
  const devnet = await subject.devnet.start({ networks: [subject.network], treasuries })
  const network = { ...subject.network, nodes: [devnet.nodes[subject.network.name] ?? ''] }
  for (const token of network.tokens) await devnet.fund(token, treasury, treasuryWhole * 10n ** BigInt(token.decimals))
  await devnet.mine(network.name, 1)
  const adapter = await family.open({ network, signer, log: { info() {}, warn() {}, error() {} } })
  const unitStep = subject.unitStep ?? (() => 1n)
  const { hidesOthers } = subject
  return worldOver({ family, adapter, devnet, network, signer, treasury, seed, unitStep, hidesOthers })
}

interface Parts {
  family: Family
  adapter: ChainAdapter
  devnet: Devnet
  network: Network
  signer: TestSigner
  treasury: Address
  seed: string
  unitStep(token: Token): bigint
  hidesOthers: string | undefined
}

function worldOver(parts: Parts) {
  const { devnet, network, treasury } = parts
  /** All that was signed, as the database would know it. */
  const signedHere = new Map<TxHash, SignedTransfer>()
  const adapter: ChainAdapter = {
    ...parts.adapter,
    async sign(...order) {
      const signed = await parts.adapter.sign(...order)
      signedHere.set(signed.hash, signed)
      return signed
    },
  }
  const handedOut: Slot[] = []
  const settled = new Set<Slot>()
  let counter = 0

  const mine = (blocks = 1): Promise<void> => devnet.mine(network.name, blocks)

  /** A number that no other case has. */
  const unique = (): number => ++counter

  const balance = async (owner: Address, token: Token): Promise<bigint> =>
    parts.hidesOthers !== undefined && owner !== treasury
      ? devnet.balance(token, owner)
      : (await adapter.balance(owner, token)).units

  /** Scans from the cursor until the head is reached. */
  async function drain(cursor: Cursor | null, ...alsoOurs: Address[]): Promise<Drained> {
    const ours = staticWatchlist(treasury, ...alsoOurs)
    const scans: Scan[] = []
    for (let next = cursor; scans.length < MAX_SCANS; ) {
      const scan = await adapter.scan(next, ours)
      scans.push(scan)
      next = scan.next
      if (scan.scannedTo >= scan.head.number) break
    }
    const reorgs = scans.map(({ reorgFrom }) => reorgFrom).filter((from) => from !== null)
    return {
      next: scans.at(-1)?.next ?? '',
      sightings: scans.flatMap(({ sightings }) => sightings).filter(isLanded),
      reorgFrom: reorgs.reduce<bigint | null>((low, from) => (low === null || from < low ? from : low), null),
    }
  }

  /** The one sighting of this transaction in a block, seen from the cursor. */
  async function sighted(cursor: Cursor, txHash: TxHash, ...alsoOurs: Address[]): Promise<LandedSighting> {
    const found = await eventually(async () => {
      const { sightings } = await drain(cursor, ...alsoOurs)
      const matching = sightings.filter((sighting) => sighting.txHash === txHash)
      return matching.length > 0 && matching
    }, `a sighting of ${txHash}`)
    const [only, ...more] = found
    if (!only || more.length > 0) throw new Error(`${txHash} was sighted ${found.length} times`)
    return only
  }

  /** Prepares, allocates a slot and signs, as a worker does, without sending. */
  async function draw(order: Order): Promise<Attempt> {
    const draft = await adapter.prepare(order, null)
    const taken = handedOut.filter((slot) => !settled.has(slot) || slot === handedOut.at(-1))
    const slot = await adapter.nextSlot(order, draft, taken)
    handedOut.push(slot)
    return { order, slot, draft, signed: await adapter.sign(order, slot, draft) }
  }

  const statusOf = ({ signed, slot }: Attempt): Promise<TransferStatus> =>
    adapter.status({ hash: signed.hash, slot, account: treasury }, async (hash) => signedHere.get(hash) ?? null)

  /** Mines until the transaction is in a block; sends nothing. */
  async function included(attempt: Attempt): Promise<Included> {
    const landed = await eventually(async () => {
      await mine()
      const status = await statusOf(attempt)
      return status.state === 'included' && status
    }, `${attempt.signed.hash} in a block`)
    settled.add(attempt.slot)
    return landed
  }

  async function land(attempt: Attempt): Promise<Included> {
    await adapter.broadcast(attempt.signed)
    return included(attempt)
  }

  return {
    ...parts,
    adapter,
    mine,
    unique,
    balance,
    drain,
    sighted,
    draw,
    statusOf,
    included,
    land,
    sender: accountAt(devnet, 0),
    other: accountAt(devnet, 1),
    /** About a hundredth of a token, different each time. */
    someUnits: (token: Token): bigint =>
      10n ** BigInt(token.decimals) / 100n + BigInt(unique()) * parts.unitStep(token),
    /** An address without history that no test account holds. */
    stranger: async (): Promise<Address> => {
      const address = await parts.family.treasury(network, testSigner(`${parts.seed} stranger ${unique()}`))
      await devnet.introduce?.(network.name, address)
      return address
    },
    payment: (to: Address, token: Token, units: bigint): Order => ({
      kind: 'transfers',
      account: treasury,
      transfers: [{ to, amount: { token, units } }],
    }),
  }
}

interface LandedSighting extends Sighting {
  block: NonNullable<Sighting['block']>
}

interface Drained {
  next: Cursor
  /** Sightings in blocks; mempool ones are left out. */
  sightings: LandedSighting[]
  /** The lowest block that any of the scans reported. */
  reorgFrom: bigint | null
}

/** Retries for a while: a node may lag a little behind its own answers. */
export function soon<T>(ask: () => Promise<T>) {
  return expect.poll(ask, { timeout: SOON_MS, interval: 50 })
}

export function identityOf({ txHash, index }: Sighting): string {
  return `${txHash}/${index}`
}

/** For sends that may fail temporarily. */
export async function unlessLater(sending: Promise<void>): Promise<void> {
  try {
    await sending
  } catch (error) {
    if (!(error instanceof RetryLater)) throw error
  }
}

function isLanded(sighting: Sighting): sighting is LandedSighting {
  return sighting.block !== null
}

function accountAt(devnet: Devnet, index: number): TestAccount {
  const account = devnet.accounts[index]
  if (!account) throw new Error('a devnet has at least two funded accounts')
  return account
}
