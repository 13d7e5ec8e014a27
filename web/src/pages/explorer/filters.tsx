/** Filters a list of swaps by status and network. */
import type { ListedNetwork } from '@causeway/sdk/light'
import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client } from '../../api/client.ts'
import { visible } from '../../money/format.ts'
import { explorer as text } from '../../text/texts.ts'
import { Button } from '../../ui/button.tsx'

type Kind = keyof typeof text.filters

export interface Filtered {
  kind: Kind
  network: string
}

export const NO_FILTER: Filtered = { kind: 'all', network: '' }

/** The statuses of each choice; empty for all. */
export const STATUSES: Record<Kind, string[]> = {
  all: [],
  progress: ['user_transfer_pending', 'ls_transfer_pending', 'refund_pending', 'pending_refund'],
  done: ['completed'],
  // A swap outside its limits is closed as failed, and refunded.
  refunded: ['refunded', 'failed'],
}

export function Filters({ value }: { value: Signal<Filtered> }) {
  const networks = useSignal<ListedNetwork[]>([])
  useEffect(() => {
    void client
      .networks()
      .then((listed) => (networks.value = listed))
      .catch(() => undefined)
  }, [])
  const set = (change: Partial<Filtered>) => {
    value.value = { ...value.value, ...change }
  }
  return (
    <div class="filters">
      {(Object.keys(STATUSES) as Kind[]).map((kind) => (
        <Button key={kind} look="small" aria-pressed={value.value.kind === kind} onClick={() => set({ kind })}>
          {text.filters[kind]}
        </Button>
      ))}
      <select
        class="button small"
        aria-label={text.filterNetwork}
        onChange={({ currentTarget }) => set({ network: currentTarget.value })}
      >
        <option value="">{text.anyNetwork}</option>
        {networks.value.map(({ name, display_name }) => (
          <option key={name} value={name}>
            {visible(display_name)}
          </option>
        ))}
      </select>
    </div>
  )
}
