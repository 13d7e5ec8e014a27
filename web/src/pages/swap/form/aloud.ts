/** Announces a price to screen readers once it is stable, not every intermediate number. */
import type { Quoted } from '@causeway/sdk/light'
import { useEffect } from 'preact/hooks'
import { announce } from '../../../app/announce.tsx'
import { formatAmount } from '../../../money/format.ts'
import { swap as text } from '../../../text/texts.ts'

const RESTS_MS = 1_000

export function useAloud(quoted: Quoted | null): void {
  const gets = quoted?.quote
  useEffect(() => {
    if (!gets) return
    const said = `${text.receive}: ${formatAmount(gets.receive_amount ?? 0, gets.destination_token.symbol)}`
    const timer = setTimeout(() => announce(said), RESTS_MS)
    return () => clearTimeout(timer)
  }, [gets?.receive_amount])
}
