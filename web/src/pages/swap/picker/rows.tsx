/** The rows of the picker: popular tokens, and one token on one network. */

import type { RouteNetwork } from '@causeway/sdk/light'
import { formatBalance, formatUsd, visible } from '../../../money/format.ts'
import { picker as text } from '../../../text/texts.ts'
import { Button } from '../../../ui/button.tsx'
import { Logo, TokenLogo } from '../../../ui/logo.tsx'
import type { Found } from '../logic.ts'
import { nameOf } from '../token-names.ts'
import type { Held } from './balances.ts'
import { popularOf } from './groups.ts'

interface PopularProps {
  side: 'source' | 'destination'
  networks: readonly RouteNetwork[]
  onFind: (words: string) => void
}

export function Popular({ networks, side, onFind }: PopularProps) {
  return (
    <>
      <div class="picker-title">{text.popular}</div>
      <div class="popular">
        {popularOf(networks, side).map(({ symbol, logo }) => (
          <Button key={symbol} look="small" onClick={() => onFind(symbol)}>
            <Logo token={logo} />
            {visible(symbol)}
          </Button>
        ))}
      </div>
    </>
  )
}

interface RowProps {
  entry: Found
  held: Held | undefined
  isActive: boolean
  onPoint: () => void
  onTake: () => void
}

export function Row({ entry, held, isActive, onPoint, onTake }: RowProps) {
  const { token, network, key } = entry
  const isOpen = token.status === 'active'
  const symbol = visible(token.symbol)
  return (
    <div
      id={`pick-${key}`}
      role="option"
      class="pick"
      tabIndex={-1}
      aria-selected={isActive}
      aria-disabled={!isOpen}
      onMouseMove={isActive ? undefined : onPoint}
      onClick={onTake}
      onKeyDown={(event) => event.key === 'Enter' && onTake()}
    >
      <TokenLogo token={token} network={network} />
      <span class="pick-name">
        <b>{visible(nameOf(token))}</b>
        <small>
          {symbol} · {visible(network.display_name)}
        </small>
      </span>
      {token.status === 'active' ? (
        held && (
          <span class="pick-have">
            <b>{formatUsd(held.usd)}</b>
            <small>
              {formatBalance(held.amount)} {symbol}
            </small>
          </span>
        )
      ) : (
        <small class="pick-have">{network.notice ? visible(network.notice) : text.reasons[token.status]}</small>
      )}
    </div>
  )
}
