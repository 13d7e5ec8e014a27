/** A user's wallet on the local chain: a key, its UTXOs, and transactions with any outputs. */
import { createHash } from 'node:crypto'
import { Bug, type Signer, type TestAccount, type TxHash } from '@causeway/core'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { createBase58check } from '@scure/base'
import { publicKeyAddress, publicKeyScript, sha256 } from '../../src/address.ts'
import { chainInfo, send } from '../../src/node/calls.ts'
import type { Node } from '../../src/node/node.ts'
import { signTransaction } from '../../src/paying/sign.ts'
import { dustLimit, feeFor, sizeOf } from '../../src/paying/size.ts'
import { restingCoins } from '../../src/paying/utxos.ts'
import { sumOf } from '../../src/scanning/locate-tx.ts'
import { CHAINS } from '../../src/settings.ts'
import type { Outpoint, Output } from '../../src/transaction.ts'

const { prefixes } = CHAINS.regtest
const base58check = createBase58check(sha256)
/** Sat per 1000 virtual bytes. */
const WALLET_RATE = 2_000n
const COINBASE_MATURITY = 100
/** The suffix of a WIF key whose public key is compressed. */
const COMPRESSED = 0x01
const SHORT_KEY = 31

export function accountFrom(seed: string): TestAccount {
  const secret = createHash('sha256').update(seed).digest()
  return accountOf(base58check.encode(Uint8Array.from([prefixes.wif, ...secret, COMPRESSED])))
}

/** The account of a private key in the form that wallets export (WIF); its coins are at its P2WPKH address. */
export function accountOf(secret: string): TestAccount {
  return { address: publicKeyAddress(secp256k1.getPublicKey(keyIn(secret), true), prefixes), secret }
}

function keyIn(secret: string): Uint8Array {
  return base58check.decode(secret).subarray(1, 33)
}

/** Signs a text in the older format (BIP 137); the header byte says that the key is compressed. */
export function signText({ secret }: TestAccount, text: string): string {
  const words = Buffer.from(text)
  const size = words.length < 0xfd ? [words.length] : [0xfd, words.length & 0xff, words.length >> 8]
  const framed = Buffer.concat([Buffer.from('\x18Bitcoin Signed Message:\n'), Buffer.from(size), words])
  const options = { prehash: false, format: 'recovered' } as const
  const [recovery = 0, ...rest] = secp256k1.sign(sha256(sha256(framed)), keyIn(secret), options)
  return Buffer.from([SHORT_KEY + recovery, ...rest]).toString('base64')
}

/** Pays these outputs with the account's confirmed UTXOs, and returns the rest to it. */
export async function walletSend(
  node: Node,
  account: TestAccount,
  outputs: readonly Output[],
  options: { rate?: bigint; spend?: readonly (Outpoint & { units: bigint })[] } = {},
): Promise<{ txid: TxHash; spent: (Outpoint & { units: bigint })[] }> {
  const signer = walletSigner(account)
  const publicKey = await signer.publicKey(KEY)
  const home = publicKeyScript(publicKey)
  const wanted = sumOf(outputs)
  const scripts = [...outputs.map(({ script }) => script.length), home.length]
  const spent: (Outpoint & { units: bigint })[] = []
  const needed = () => wanted + feeFor(sizeOf(spent.length, scripts), options.rate ?? WALLET_RATE)
  for (const coin of options.spend ?? (await matureCoins(node, account))) {
    if (spent.length > 0 && sumOf(spent) >= needed()) break
    spent.push(coin)
  }
  const rest = sumOf(spent) - needed()
  if (rest < 0n) throw new Bug('a test account has too little', { address: account.address, wanted })
  const change = rest >= dustLimit(home) ? [{ script: home, units: rest }] : []
  const signed = await signTransaction({
    inputs: spent.map((coin) => ({ ...coin, key: KEY })),
    outputs: [...outputs, ...change],
    signer,
    intent: { network: 'local', order: { kind: 'transfers', account: account.address, transfers: [] }, slot: [] },
  })
  const [txid] = await node.ask([send(signed.bytes)])
  return { txid, spent }
}

export async function matureCoins(node: Node, { address }: TestAccount) {
  const [{ height }] = await node.ask([chainInfo()])
  const coins = await restingCoins(BOOKLESS, node, [address])
  return coins
    .filter((coin) => !coin.isCoinbase || height - coin.height + 1 >= COINBASE_MATURITY)
    .toSorted((a, b) => (a.units > b.units ? -1 : 1))
}

/** A user's wallet has no stored UTXO set: the node is asked. */
export const BOOKLESS = { book: null, treasury: '', prefixes }

const KEY = { curve: 'secp256k1', path: '' } as const

export function walletSigner({ secret }: TestAccount): Signer {
  const key = keyIn(secret)
  return {
    publicKey: async () => secp256k1.getPublicKey(key, true),
    sign: async (_, digest) => {
      const [recovery = 0, ...rest] = secp256k1.sign(digest, key, { prehash: false, format: 'recovered' })
      return Uint8Array.from([...rest, recovery])
    },
  }
}
