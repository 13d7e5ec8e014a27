/** Checks an address: format and checksum here, then with the chain and the service. */
import type { RouteNetwork } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client } from '../../../api/client.ts'
import { visible } from '../../../money/format.ts'
import { swap as text } from '../../../text/texts.ts'
import { loadAll, loadFamily } from '../../../wallet/families.ts'
import type { Choice } from '../logic.ts'
import { sources } from '../state.ts'

export interface Judged {
  state: 'empty' | 'asking' | 'ok' | 'bad'
  address: string | null
  /** The message to show; null if there is none. */
  text: string | null
  /** The amount and token that a payment link requested. */
  asks: Asked | null
}

export interface Asked {
  amount: string
  /** The token's contract; null for the network's native token. */
  contract: string | null
}

const NOTHING: Judged = { state: 'empty', address: null, text: null, asks: null }
const ASK_AFTER_MS = 250

/** The verdict on an address of the chosen network. `onRead` gets the plain address of a pasted payment link. */
export function useJudged(given: string, choice: Choice | null, onRead: (address: string) => void): Judged {
  const verdict = useSignal<Judged>(NOTHING)
  // The amount of a payment link is kept while its address is in the field.
  const linked = useSignal<Judged | null>(null)
  const network = choice?.network
  useEffect(() => {
    const asked = new AbortController()
    verdict.value = given.trim() === '' ? NOTHING : { ...NOTHING, state: 'asking' }
    if (given.trim() !== '' && network) {
      void judge(given, network, choice.token.symbol, asked.signal).then((judged) => {
        if (asked.signal.aborted) return
        if (judged.asks) linked.value = judged
        if (judged.address && judged.address !== given) onRead(judged.address)
        verdict.value = judged
      })
    }
    return () => asked.abort()
  }, [given, network?.name])
  const asks = linked.value && linked.value.address === verdict.value.address ? linked.value.asks : null
  return { ...verdict.value, asks }
}

async function judge(given: string, network: RouteNetwork, symbol: string, signal: AbortSignal): Promise<Judged> {
  const bad = (reason: string): Judged => ({ ...NOTHING, state: 'bad', text: reason })
  const name = visible(network.display_name)
  if (/^[\w-]+\.(eth|sol|ton|box|lens)$/i.test(given.trim())) return bad(text.names)
  // If the code cannot be loaded, the service's answer has to do.
  const family = await loadFamily(network.type).catch(() => null)
  const verdict = family?.readAddress(given, network)
  if (verdict?.state === 'checksum') return bad(text.checksum)
  if (verdict?.state === 'other_network') return bad(text.linkElsewhere(name))
  if (verdict?.state === 'not_one') {
    const other = await familyOf(given, network)
    return bad(other ? text.looksLike(name, other) : text.notAddress(name))
  }
  const address = verdict?.address ?? given.trim()
  const asks = verdict?.amount ? { amount: verdict.amount, contract: verdict.contract ?? null } : null
  await new Promise((resolve) => setTimeout(resolve, ASK_AFTER_MS))
  if (signal.aborted) return NOTHING
  try {
    const told = await client.address({ network: network.name, address }, { signal })
    if (!told.valid) return bad(text.notAddress(name))
    if (told.blocked) return bad(text.unpayable)
    const warning = told.contract
      ? text.contract(name, visible(symbol))
      : told.activated === false
        ? text.inactive
        : null
    return { state: 'ok', address, text: warning, asks }
  } catch {
    // The service checks it again when the swap is created.
    return { state: 'ok', address, text: null, asks }
  }
}

/** The name of another network that this address belongs to; null if none is found. */
async function familyOf(given: string, network: RouteNetwork): Promise<string | null> {
  if (isTruncated(given.trim())) return null
  for (const { type, family } of await loadAll().catch(() => [])) {
    const known = sources.value.find((entry) => entry.type === type)
    if (type === network.type || !known) continue
    if (family.readAddress(given, known).state === 'ok') return visible(known.display_name)
  }
  return null
}

/** Hex text that is neither an Ethereum address nor long enough for any other family is a truncated address. */
function isTruncated(given: string): boolean {
  return /^0x[0-9a-f]*$/i.test(given) && given.length !== 42 && given.length < 60
}
