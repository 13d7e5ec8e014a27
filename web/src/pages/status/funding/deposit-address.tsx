/** A deposit address: a QR code with the amount, both to copy, and a link that opens a wallet. */
import type { SwapDetails } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ask, site } from '../../../api/client.ts'
import type { VerifiedAction } from '../../../api/verified.ts'
import { formatAmount, visible } from '../../../money/format.ts'
import { fromUnits } from '../../../money/parse-amount.ts'
import { shell, deposit as text, wallet as walletText } from '../../../text/texts.ts'
import { Address } from '../../../ui/address.tsx'
import { Button } from '../../../ui/button.tsx'
import { Copy } from '../../../ui/copy.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { Qr } from '../../../ui/qr.tsx'
import { loadFamily } from '../../../wallet/families.ts'
import { markSent } from '../../../wallet/guard.ts'

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
  const decimal = fromUnits(BigInt(action.amount_in_base_units), action.token.decimals)
  const amount = formatAmount(decimal, token.symbol)
  const sendHere = async () => {
    isSent.value = true
    const body = { swap_id: id, amount: isOpen ? '1' : decimal }
    const isTaken = await ask('/sandbox/deposit', body).then(
      () => true,
      () => false,
    )
    if (isTaken) markSent(id, walletText.sandboxName, null)
    else isSent.value = false
  }
  const name = visible(network.display_name)
  const hasPart = details.swap.transactions.length > 0
  return (
    <>
      <div class="pay">
        <Qr text={link.value} name={text.qr(amount)} logo={token.logo} />
        <div class="stack tight">
          {!isOpen && (
            <div class="copy-line">
              <div>
                <span class="label">{hasPart ? text.stillToSend : text.exactly}</span>
                <strong>{amount}</strong>
              </div>
              <Copy
                text={decimal}
                label={shell.copy}
                done={shell.copied}
                name={shell.copyOf(text.amountShort)}
                look="plain"
              />
            </div>
          )}
          <div class="copy-line">
            <div>
              <span class="label">{text.address(name)}</span>
              <span data-deposit-address>
                <Address text={action.to_address} />
              </span>
            </div>
            <Copy
              text={action.to_address}
              label={shell.copy}
              done={shell.copied}
              name={shell.copyOf(text.addressShort)}
              look="tint"
            />
          </div>
          <p class="signed small">
            <Icon name="shield" />
            {text.signed}
          </p>
        </div>
      </div>
      <Notice tone="warn">
        {isOpen ? text.onlyOpen(visible(token.symbol), name) : text.only(visible(token.symbol), name, amount)}
      </Notice>
      <div class="acts">
        {link.value?.includes(':') && (
          <a class="button primary only-phone" href={link.value} target="_self">
            {text.openWallet}
          </a>
        )}
        {site.value?.isSandbox && (
          <Button disabled={isSent.value} icon="wallet" onClick={() => void sendHere()}>
            {walletText.send(isOpen ? formatAmount('1', token.symbol) : amount, walletText.sandboxName)}
          </Button>
        )}
      </div>
    </>
  )
}
