/** A deposit address: a QR code with the amount, both to copy, and a link that opens a wallet. */
import type { SwapDetails } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ask, site } from '../../api/client.ts'
import type { VerifiedAction } from '../../api/verified.ts'
import { formatAmount, visible } from '../../money/format.ts'
import { fromUnits } from '../../money/parse-amount.ts'
import { shell, deposit as text, wallet as walletText } from '../../text/en.ts'
import { Address } from '../../ui/address.tsx'
import { Button } from '../../ui/button.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Qr } from '../../ui/qr.tsx'
import { loadFamily } from '../../wallet/families.ts'

export function DepositAddress({ action, details }: { action: VerifiedAction; details: SwapDetails }) {
  const link = useSignal<string | null>(null)
  const isSent = useSignal(false)
  const { source_network: network, source_token: token, id } = details.swap
  useEffect(() => {
    void loadFamily(network.type).then((family) => {
      link.value = family?.paymentLink(action) ?? action.to_address
    })
  }, [action.to_address, action.amount_in_base_units])
  const isOpen = action.amount_in_base_units === '0'
  const decimal = fromUnits(BigInt(action.amount_in_base_units), token.decimals)
  const amount = formatAmount(decimal, token.symbol)
  const sendHere = async () => {
    isSent.value = true
    await ask('/sandbox/deposit', { swap_id: id, amount: isOpen ? '1' : decimal }).catch(() => {
      isSent.value = false
    })
  }
  return (
    <div class="stack deposit">
      {!isOpen && <p class="deposit-exactly">{text.exactly(amount, visible(network.display_name))}</p>}
      {link.value && <Qr text={link.value} name={text.qr(amount)} />}
      <div class="deposit-line">
        <span class="soft small">{text.address}</span>
        <span data-deposit-address>
          <Address text={action.to_address} />
        </span>
        <Copy
          text={action.to_address}
          label={shell.copy}
          done={shell.copied}
          name={shell.copyOf(text.address.toLowerCase())}
        />
      </div>
      {!isOpen && (
        <div class="deposit-line">
          <span class="soft small">{text.amount}</span>
          <strong>{amount}</strong>
          <Copy text={decimal} label={shell.copy} done={shell.copied} name={shell.copyOf(text.amount.toLowerCase())} />
        </div>
      )}
      <div class="row">
        {link.value?.includes(':') && (
          <a class="button" href={link.value} target="_self">
            {text.openWallet}
          </a>
        )}
        {site.value?.isSandbox && (
          <Button disabled={isSent.value} icon="wallet" onClick={() => void sendHere()}>
            {walletText.send(isOpen ? formatAmount('1', token.symbol) : amount, walletText.sandboxName)}
          </Button>
        )}
      </div>
    </div>
  )
}
