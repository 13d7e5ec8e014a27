/**
 * The hot wallet: a highload wallet v3. It accepts any number of payouts at once, each with its own query id, and
 * executes a query id once: it remembers it for longer than its messages stay valid.
 */
import { type Address, Bug, type KeyRef, type Signer } from '@causeway/core'
import { beginCell, Cell, contractAddress } from '@ton/core'
import { canonical } from '../address.ts'
import { HIGHLOAD_CODE_BOC } from './highload-code.ts'

export const TREASURY_KEY: KeyRef = { curve: 'ed25519', path: "m/44'/607'/0'" }

/**
 * How long a signed message stays valid, in seconds. It is part of the contract's data and so of its address: never
 * change it. An hour outlasts outages of nodes and networks, and a lost payout is proven dead soon enough.
 */
export const TIMEOUT = 3_600

export interface Treasury {
  address: Address
  /** The address's 32 bytes in hex, as transactions have it. */
  accountId: string
  publicKey: Buffer
  subwalletId: number
  /** Contract code and data, attached until the contract is deployed. */
  init: { code: Cell; data: Cell }
}

export async function treasuryOf(signer: Signer, subwalletId: number): Promise<Treasury> {
  const publicKey = Buffer.from(await signer.publicKey(TREASURY_KEY))
  if (publicKey.length !== 32) throw new Bug('not an ed25519 public key', { length: publicKey.length })
  const data = beginCell()
    .storeBuffer(publicKey)
    .storeUint(subwalletId, 32)
    // The initial state: no queries, never cleaned.
    .storeUint(0, 1 + 1 + 64)
    .storeUint(TIMEOUT, 22)
    .endCell()
  const init = { code: HIGHLOAD_CODE, data }
  const address = contractAddress(0, init)
  return { address: canonical(address), accountId: address.hash.toString('hex'), publicKey, subwalletId, init }
}

const HIGHLOAD_CODE = Cell.fromHex(HIGHLOAD_CODE_BOC)
