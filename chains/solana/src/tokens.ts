/**
 * Token accounts: the program of a mint, the address of a wallet's tokens, and their amount. Both token programs share
 * the layout that is read here and the instructions that we send.
 */
import { type Address, type Balances, RetryLater, type Token } from '@causeway/core'
import { address } from '@solana/kit'
import { findAssociatedTokenPda } from '@solana-program/token'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './address.ts'
import { accounts, blockRoot, latestBlock, nativeBalance } from './node/calls.ts'
import type { Node } from './node/node.ts'
import type { Settings } from './settings.ts'

/** Remembers the program of each mint: a mint never changes it. */
export interface TokenPrograms {
  of(node: Node, mint: Address): Promise<Address>
}

export function openTokenPrograms(): TokenPrograms {
  const known = new Map<string, Address>()
  return {
    async of(node, mint) {
      // Cached per node: one node's answer must not be used for another.
      const key = `${node.name} ${mint}`
      const remembered = known.get(key)
      if (remembered !== undefined) return remembered
      const [{ accounts: found }] = await node.ask([accounts([mint])])
      const owner = found[0]?.owner
      if (!isTokenProgram(owner)) throw new RetryLater(`${mint} is no mint on this chain`)
      known.set(key, owner)
      return owner
    },
  }
}

export function isTokenProgram(program: Address | undefined): program is Address {
  return program === TOKEN_PROGRAM || program === TOKEN_2022_PROGRAM
}

/** The program of a mint comes from the network file, not from a node. */
export function programOf({ token2022 }: Settings, mint: Address): Address {
  return token2022.includes(mint) ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM
}

/** The associated token account; no other token account is paid, credited or swept. */
export async function associatedAccount(owner: Address, mint: Address, program: Address): Promise<Address> {
  const seeds = { owner: address(owner), mint: address(mint), tokenProgram: address(program) }
  return (await findAssociatedTokenPda(seeds))[0]
}

export async function unitsOf(node: Node, programs: TokenPrograms, owner: Address, token: Token): Promise<bigint> {
  if (token.contract === null) return (await node.ask([nativeBalance(owner)]))[0]
  const account = await associatedAccount(owner, token.contract, await programs.of(node, token.contract))
  const [{ accounts: found }] = await node.ask([accounts([account])])
  return tokenUnits(found[0]?.data ?? null)
}

/** The maximum per request. */
const MOST_ACCOUNTS = 100
/** Slots are short, so two requests in quick succession may see different ones: the read is repeated this often. */
const TRIES = 5

/** Reads all balances at one slot. */
export async function holdings(
  node: Node,
  programs: TokenPrograms,
  wanted: readonly { owner: Address; token: Token }[],
): Promise<Balances> {
  const places = await Promise.all(
    wanted.map(async ({ owner, token: { contract } }) =>
      contract === null ? owner : associatedAccount(owner, contract, await programs.of(node, contract)),
    ),
  )
  const groups = Array.from({ length: Math.ceil(places.length / MOST_ACCOUNTS) }, (_, group) =>
    places.slice(group * MOST_ACCOUNTS, (group + 1) * MOST_ACCOUNTS),
  )
  for (let tries = 0; tries < TRIES; tries++) {
    const [head] = await node.ask([latestBlock('confirmed')])
    const answers = await node.ask(groups.map((group) => accounts(group, 'confirmed', head.slot)))
    const slots = new Set(answers.map(({ slot }) => slot))
    const [slot = head.slot, ...others] = slots
    if (others.length > 0) continue
    const hash = slot === head.slot ? head.blockhash : (await node.ask([blockRoot(slot)]))[0].hash
    const found = answers.flatMap((answer) => answer.accounts)
    const units = wanted.map(({ token }, position) => {
      const account = found[position] ?? null
      return token.contract === null ? (account?.lamports ?? 0n) : tokenUnits(account?.data ?? null)
    })
    return { block: { number: slot, hash }, units }
  }
  throw new RetryLater('the chain went on while it was read')
}

/** Offset of the amount in a token account: after the mint and the owner. */
const AMOUNT_AT = 64

export function tokenUnits(data: Uint8Array | null): bigint {
  if (data === null || data.length < AMOUNT_AT + 8) return 0n
  return new DataView(data.buffer, data.byteOffset).getBigUint64(AMOUNT_AT, true)
}
