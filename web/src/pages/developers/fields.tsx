/** Fields of the embed builder. */
import type { RouteNetwork } from '@causeway/sdk/light'
import type { Signal } from '@preact/signals'
import { visible } from '../../money/format.ts'
import { embed as text } from '../../text/texts.ts'

export function TokenChoice({
  name,
  value,
  networks,
}: {
  name: string
  value: Signal<string>
  networks: readonly RouteNetwork[]
}) {
  return (
    <label class="field small">
      {name}
      <select class="input" onChange={({ currentTarget }) => (value.value = currentTarget.value)}>
        <option value="">{text.any}</option>
        {networks.map((network) => (
          <optgroup key={network.name} label={visible(network.display_name)}>
            {network.tokens.map(({ symbol }) => (
              <option key={symbol} value={`${network.name}:${symbol}`}>
                {visible(`${symbol} · ${network.display_name}`)}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </label>
  )
}

interface ChoiceProps {
  name: string
  value: Signal<string>
  options: readonly { value: string; name: string }[]
}

export function Choice({ name, value, options }: ChoiceProps) {
  return (
    <label class="field small">
      {name}
      <select class="input" onChange={({ currentTarget }) => (value.value = currentTarget.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.name}
          </option>
        ))}
      </select>
    </label>
  )
}

export function Typed({ name, value }: { name: string; value: Signal<string> }) {
  return (
    <label class="field small">
      {name}
      <input
        class="input"
        value={value.value}
        onChange={({ currentTarget }) => (value.value = currentTarget.value.trim())}
      />
    </label>
  )
}
