/** Filters a list of swaps by status and network. */
import type { ListedNetwork } from '@causeway/sdk/light'
import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client } from '../../api/client.ts'
import { visible } from '../../money/format.ts'
import { explorer as text } from '../../text/en.ts'

export interface Filtered {
  status: string
  network: string
}

export const NO_FILTER: Filtered = { status: '', network: '' }

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
  const names = networks.value.map(({ name, display_name }) => [name, visible(display_name)] as const)
  return (
    <div class="row filters">
      <Choice label={text.filterStatus} options={Object.entries(text.words)} onChange={(status) => set({ status })} />
      <Choice label={text.filterNetwork} options={names} onChange={(network) => set({ network })} />
    </div>
  )
}

interface ChoiceProps {
  label: string
  options: readonly (readonly [string, string])[]
  onChange: (value: string) => void
}

function Choice({ label, options, onChange }: ChoiceProps) {
  return (
    <label class="row small">
      <span class="soft">{label}</span>
      <select class="input" onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="">{text.any}</option>
        {options.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
