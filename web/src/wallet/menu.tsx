/** Connects a wallet for a network: those found in this browser, and the sandbox's own. */
import { type Wallet, WalletProblem } from '@causeway/core/wallet'
import type { Network } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { shortAddress, visible } from '../money/format.ts'
import { shell, wallet as text } from '../text/en.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Notice } from '../ui/notice.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { canSend } from './families.ts'
import { connect, disconnect, lookFor, sessionFor, walletsFor } from './session.ts'
import './menu.css'

export function WalletButton({ network, look = 'small' }: { network: Network; look?: 'small' | 'primary wide' }) {
  const isOpen = useSignal(false)
  const session = sessionFor(network)
  useEffect(() => void lookFor(network.type), [network.type])
  return (
    <>
      <Button look={look} icon="wallet" onClick={() => (isOpen.value = true)}>
        {session ? shortAddress(session.account.address) : text.connect}
      </Button>
      {isOpen.value && <WalletSheet network={network} onClose={() => (isOpen.value = false)} />}
    </>
  )
}

function WalletSheet({ network, onClose }: { network: Network; onClose: () => void }) {
  const problem = useSignal<string | null>(null)
  const session = sessionFor(network)
  const wallets = walletsFor(network)
  const take = async (wallet: Wallet) => {
    try {
      if (await connect(network, wallet)) onClose()
    } catch (error) {
      problem.value = sentenceFor(error, wallet.name)
    }
  }
  return (
    <Sheet title={text.choose(visible(network.display_name))} closeLabel={shell.close} onClose={onClose}>
      {wallets.length === 0 && (
        <Notice>{(canSend(network.type) ? text.none : text.noneEver)(visible(network.display_name))}</Notice>
      )}
      <ul class="stack tight">
        {wallets.map((wallet) => (
          <li key={wallet.id}>
            <button type="button" class="wallet-row" onClick={() => void take(wallet)}>
              {wallet.icon ? <img src={wallet.icon} alt="" width={32} height={32} /> : <Icon name="wallet" />}
              <span>
                <strong>{visible(wallet.name)}</strong>
                {wallet.kind === 'sandbox' && <span class="soft small">{text.sandboxNote}</span>}
              </span>
              {session?.wallet.id === wallet.id && <Icon name="check" />}
            </button>
          </li>
        ))}
      </ul>
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

function sentenceFor(error: unknown, name: string): string {
  const code = error instanceof WalletProblem ? error.code : 'failed'
  if (code === 'rejected') return text.rejected
  if (code === 'busy') return text.busy(name)
  return text.locked(name)
}
