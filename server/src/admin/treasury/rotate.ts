/**
 * `wallet rotate`: a change of the keys of a network's treasury, as a drill. It shows both wallets and what keeps coins at the
 * former one. With `--apply` it orders the transfers to the new wallet. The change itself is a start with the new keys.
 */
import { roundToTransferable, type Token } from '@causeway/core'
import type { OfferSources } from '../../offer/quote-service.ts'
import { listFindings } from '../../store/ledger/ledger.ts'
import { addressesWithCoins, formerTreasuries, presentTreasury, swapsAtFormer } from '../../store/ledger/treasuries.ts'
import { countOpenPayouts } from '../../store/limits/withdrawals.ts'
import {
  amountAt,
  type Command,
  type CommandContext,
  needed,
  tokenAmount,
  UsageError,
} from '../context/command-context.ts'
import { ADDRESS, NETWORK, optional, YES } from '../context/forms.ts'
import { networkNamed } from '../context/wallet-ref.ts'
import { addressNamed, freeUnits, orderWithdrawal } from './withdraw.ts'

export const rotate: Command = {
  usage: 'rotate --network NAME [--to ADDRESS] [--apply yes]',
  help: `Prepares other keys for a treasury. Shows the present and the former wallets, and what still waits there. --to names the new wallet
      ("withdrawal add" lists it) and shows what would be moved. Without --apply nothing is changed. Needs the settings of the service.`,
  takes: { options: { network: NETWORK, to: optional(ADDRESS), apply: optional(YES) } },
  async run(desk, { values }) {
    if (values.apply !== undefined && values.apply !== 'yes') throw new UsageError('--apply takes yes')
    const { name } = await networkNamed(desk.database, needed(values, 'network'))
    const sources = await desk.market?.()
    const chain = sources?.chains.get(name)
    if (!sources || !chain)
      throw new UsageError('this needs the settings of the service: its networks, nodes and signer')
    const present = (await presentTreasury(desk.database, name)) ?? chain.treasury
    desk.print(`present wallet of ${name}: ${present}`)
    await showFormer(desk, name, present)
    if (chain.treasury !== present) {
      desk.print(`the keys of these settings are of ${chain.treasury}`)
      desk.print(`next: stop every process, and start with NEW_TREASURY=${name}`)
      return
    }
    await showWaiting(desk, name, chain.scansPresentTreasuryOnly === true)
    if (values.to === undefined) {
      if (values.apply) throw new UsageError('--to is needed: the new wallet')
      return desk.print('next: make the new keys, list their wallet ("withdrawal add"), and run this with --to')
    }
    const { address: to } = await addressNamed(desk, name, values.to)
    await moveAll(desk, sources, name, to, values.apply === 'yes')
  },
}

/** Former wallets stay watched: deposits that arrive there are matched as before. */
async function showFormer(desk: CommandContext, network: string, present: string): Promise<void> {
  const findings = await listFindings(desk.database)
  for (const wallet of await formerTreasuries(desk.database, network, present)) {
    const own = findings.filter((row) => row.network === network && row.account === wallet && row.chain_units > 0n)
    const amounts = own.map(({ token, chain_units }) => amountAt(desk, network, token, chain_units)).join(', ')
    desk.print(`former wallet, still watched: ${wallet}; it holds ${amounts || 'nothing'}`)
  }
  const waiting = await swapsAtFormer(desk.database, network, present)
  if (waiting > 0) desk.print(`${waiting} swaps wait for a deposit at a former wallet`)
}

async function showWaiting(desk: CommandContext, network: string, isAlone: boolean): Promise<void> {
  const open = await countOpenPayouts(desk.database, network)
  const atPresent = await swapsAtFormer(desk.database, network, '')
  const unswept = await addressesWithCoins(desk.database, network)
  desk.print(`${open} payouts are open: those that are not signed move to the new wallet`)
  desk.print(`${atPresent} swaps wait for a deposit at these wallets`)
  if (unswept > 0)
    desk.print(`${unswept} deposit addresses hold coins, which only the present keys can sweep: wait for the sweep`)
  if (isAlone && atPresent > 0)
    desk.print(`${network} cannot watch a former wallet: pause new swaps, and wait until none waits for a deposit`)
}

/** Tokens first: each transfer needs gas, which is kept from the native coin. */
async function moveAll(
  desk: CommandContext,
  { market, chains }: OfferSources,
  network: string,
  to: string,
  isApplied: boolean,
): Promise<void> {
  const chain = chains.get(network)
  if (!chain) return
  const tokens = chain.network.tokens.toSorted((a, b) => Number(a.contract === null) - Number(b.contract === null))
  for (const token of tokens) {
    const found = await freeUnits(desk.database, market, chain, token)
    if (!found) {
      desk.print(`${token.symbol}: its balance is not known now`)
      continue
    }
    const units = found.free > 0n ? roundToTransferable(found.free, token) : 0n
    const stays = staying(desk, token, found)
    if (units === 0n) {
      if (stays) desk.print(`${token.symbol}: nothing can be moved; ${stays}`)
      continue
    }
    const amount = tokenAmount(desk, token, units)
    const payout = isApplied ? await orderWithdrawal(desk, { market, chain, token, units, to }) : null
    desk.print(
      `${payout ? `ordered as ${payout.id}` : 'would be moved'}: ${amount} to ${to}${stays ? `; ${stays}` : ''}`,
    )
  }
  if (!isApplied) return desk.print('nothing is changed: this is a drill. --apply yes orders these transfers')
  desk.print(
    'next: wait until "payout list --kind withdrawal" shows them as confirmed, and run this again for what is left',
  )
  desk.print(`then stop every process, and start with the new keys and NEW_TREASURY=${network}`)
}

function staying(desk: CommandContext, token: Token, found: { reserved: bigint; owed: bigint; gas: bigint }): string {
  const parts = [
    ...(found.reserved > 0n ? [`${tokenAmount(desk, token, found.reserved)} reserved for payouts`] : []),
    ...(found.owed > 0n ? [`${tokenAmount(desk, token, found.owed)} owed to users`] : []),
    ...(found.gas > 0n ? [`${tokenAmount(desk, token, found.gas)} for gas`] : []),
  ]
  return parts.length > 0 ? `it stays: ${parts.join(', ')}` : ''
}
