/** The buttons that connect a wallet, on a page and in the header. */
import type { Network } from '@causeway/sdk/light'
import { signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client } from '../api/client.ts'
import { shortAddress } from '../money/format.ts'
import { wallet as text } from '../text/texts.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { current, sessionFor, sessions } from './session.ts'
import { WalletSheet } from './sheet.tsx'

/** How many main buttons of the page ask for a wallet: the header does not repeat them. */
const asking = signal(0)

function useAsking(isAsking: boolean): void {
  useEffect(() => {
    if (!isAsking) return
    asking.value += 1
    return () => {
      asking.value -= 1
    }
  }, [isAsking])
}

export function WalletButton({ network, look = 'small' }: { network: Network; look?: 'small' | 'primary wide' }) {
  const isOpen = useSignal(false)
  const session = sessionFor(network)
  useAsking(look !== 'small' && !session)
  return (
    <>
      <Button look={look} icon="wallet" onClick={() => (isOpen.value = true)}>
        {session ? text.connected(shortAddress(session.account.address)) : text.connect}
      </Button>
      {isOpen.value && <WalletSheet network={network} onClose={() => (isOpen.value = false)} />}
    </>
  )
}

/** For the header and for pages without a network of their own: the network is chosen in the sheet. */
export function AccountButton({ look }: { look: 'header' | 'primary' }) {
  const isOpen = useSignal(false)
  const networks = useSignal<Network[]>([])
  const chosen = useSignal<Network | null>(null)
  const network = chosen.value ?? current.value ?? networks.value[0] ?? null
  const session = (network && sessionFor(network)) ?? Object.values(sessions.value).find(Boolean) ?? null
  const open = () => {
    isOpen.value = true
    chosen.value = null
    if (networks.value.length === 0)
      void client
        .networks()
        .then((found) => (networks.value = onePerFamily(found)))
        .catch(() => undefined)
  }
  const name = session ? shortAddress(session.account.address) : text.connect
  useAsking(look === 'primary')
  if (look === 'header' && !session && asking.value > 0) return null
  return (
    <>
      {look === 'header' ? (
        <button type="button" class="account" onClick={open}>
          {session?.wallet.icon ? <img src={session.wallet.icon} alt="" /> : <Icon name="wallet" />}
          {name}
        </button>
      ) : (
        <Button look="primary" icon="wallet" onClick={open}>
          {text.connect}
        </Button>
      )}
      {isOpen.value && network && (
        <WalletSheet
          network={network}
          others={networks.value}
          onNetwork={(taken) => (chosen.value = taken)}
          onClose={() => (isOpen.value = false)}
        />
      )}
    </>
  )
}

/** The best ranked network of each family: one wallet serves all networks of its family. */
function onePerFamily(networks: readonly Network[]): Network[] {
  const ranked = [...networks].sort((a, b) => a.source_rank - b.source_rank)
  return ranked.filter(({ type }, at) => ranked.findIndex((other) => other.type === type) === at)
}
