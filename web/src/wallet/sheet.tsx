/** The list of wallets for a network: found ones, the sandbox’s own, and well-known ones to install. */
import { type Wallet, WalletProblem } from '@causeway/core/wallet'
import type { Network } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { shortAddress, visible } from '../money/format.ts'
import { shell, wallet as text } from '../text/texts.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Notice } from '../ui/notice.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { canSend } from './families.ts'
import { knownFor } from './known.ts'
import { connect, disconnect, lookFor, sessionFor, walletsFor } from './session.ts'
import './menu.css'

interface SheetProps {
  network: Network
  /** Networks of other families, to switch to. */
  others?: readonly Network[]
  onNetwork?: (network: Network) => void
  onClose: () => void
}

export function WalletSheet({ network, others = [], onNetwork, onClose }: SheetProps) {
  const problem = useSignal<string | null>(null)
  useEffect(() => void lookFor(network.type), [network.type])
  const session = sessionFor(network)
  const wallets = walletsFor(network)
  const name = visible(network.display_name)
  const take = async (wallet: Wallet) => {
    try {
      if (await connect(network, wallet)) onClose()
    } catch (error) {
      problem.value = sentenceFor(error, wallet.name)
    }
  }
  const missing = knownFor(network.type).filter((known) => !wallets.some((wallet) => isNamed(wallet.name, known.name)))
  return (
    <Sheet
      title={session ? text.yours : others.length > 1 ? text.connect : text.choose(name)}
      closeLabel={shell.close}
      onClose={onClose}
    >
      {others.length > 1 && (
        <div class="row wallet-families">
          {others.map((other) => (
            <Button
              key={other.name}
              look="small"
              aria-pressed={other.type === network.type}
              onClick={() => onNetwork?.(other)}
            >
              {visible(other.display_name)}
            </Button>
          ))}
        </div>
      )}
      {wallets.length === 0 && (
        <Notice tone="plain">{(canSend(network.type) ? text.none : text.noneEver)(name)}</Notice>
      )}
      <ul class="wallets">
        {wallets.map((wallet) => (
          <li key={wallet.id}>
            <button type="button" class="wallet-row" onClick={() => void take(wallet)}>
              <WalletLogo name={wallet.name} icon={wallet.icon ?? null} />
              <span>
                <strong>{visible(wallet.name)}</strong>
                {session?.wallet.id === wallet.id ? (
                  <span class="soft small mono">{shortAddress(session.account.address)}</span>
                ) : (
                  wallet.kind === 'sandbox' && <span class="soft small">{text.sandboxNote}</span>
                )}
              </span>
              {session?.wallet.id === wallet.id && <Icon name="check" />}
            </button>
          </li>
        ))}
      </ul>
      {canSend(network.type) && missing.length > 0 && (
        <>
          <h3 class="wallet-more">{text.more}</h3>
          <ul class="wallets">
            {missing.map((known) => (
              <li key={known.name}>
                <a class="wallet-row" href={known.link(location.href)} target="_blank" rel="noreferrer noopener">
                  <WalletLogo name={known.name} icon={known.icon} />
                  <span>
                    <strong>{known.name}</strong>
                    <span class="soft small">{known.opens ? text.opensApp : text.install}</span>
                  </span>
                  <Icon name="out" />
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
      {problem.value && <Notice tone="bad">{problem.value}</Notice>}
      {session && (
        <Button
          onClick={() => {
            disconnect(network.type)
            onClose()
          }}
        >
          {text.disconnect}
        </Button>
      )}
    </Sheet>
  )
}

/** A wallet's own logo, or the first letter of its name. */
function WalletLogo({ name, icon }: { name: string; icon: string | null }) {
  if (icon) return <img src={icon} alt="" width={32} height={32} />
  return (
    <span class="wallet-letter" aria-hidden="true">
      {visible(name).slice(0, 1)}
    </span>
  )
}

function isNamed(found: string, known: string): boolean {
  return found.toLowerCase().includes(known.toLowerCase())
}

function sentenceFor(error: unknown, name: string): string {
  const code = error instanceof WalletProblem ? error.code : 'failed'
  if (code === 'rejected') return text.rejected
  if (code === 'busy') return text.busy(name)
  return text.locked(name)
}
