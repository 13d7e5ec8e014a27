/** Chooses a token on a network: a search field, network filters, and unavailable tokens greyed out with a reason. */
import type { RouteNetwork } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { visible } from '../../../money/format.ts'
import { shell, picker as text } from '../../../text/en.ts'
import { Logo } from '../../../ui/logo.tsx'
import { Sheet } from '../../../ui/sheet.tsx'
import { type Choice, type Found, searchTokens } from '../logic.ts'
import { recentKeys } from '../state.ts'
import './picker.css'

/** The types require an explicit `list`, although the native list is not used. */
const NO_LIST = { list: undefined } as const

interface PickerProps {
  side: 'source' | 'destination'
  networks: readonly RouteNetwork[]
  onChoose: (choice: Choice) => void
  onClose: () => void
}

export function Picker({ side, networks, onChoose, onClose }: PickerProps) {
  const search = useSignal('')
  const only = useSignal<string | null>(null)
  const active = useSignal(0)
  const list = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const found = searchTokens(networks, search.value, only.value, recentKeys(), side)
  const current = found[active.value]

  useEffect(() => field.current?.focus(), [])
  useEffect(() => {
    list.current?.children[active.value]?.scrollIntoView({ block: 'nearest' })
  }, [active.value])

  const take = (entry: Found | undefined) => {
    if (entry?.token.status !== 'active') return
    onChoose(entry)
    onClose()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
    const move = moves[event.key]
    if (move !== undefined) {
      event.preventDefault()
      active.value = Math.min(Math.max(active.value + move, 0), found.length - 1)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      take(current)
    }
  }
  const narrow = (name: string | null) => {
    only.value = name
    active.value = 0
  }

  return (
    <Sheet title={side === 'source' ? text.titleFrom : text.titleTo} closeLabel={shell.close} onClose={onClose} wide>
      <input
        ref={field}
        class="input"
        {...NO_LIST}
        type="text"
        role="combobox"
        aria-label={text.search}
        aria-expanded="true"
        aria-controls="picker-list"
        aria-activedescendant={current ? `pick-${current.key}` : undefined}
        placeholder={text.search}
        autocomplete="off"
        spellcheck={false}
        value={search.value}
        onInput={({ currentTarget }) => {
          search.value = currentTarget.value
          active.value = 0
        }}
        onKeyDown={onKeyDown}
      />
      <div class="picker">
        <ul class="picker-networks" aria-label={text.networks}>
          {[null, ...networks].map((network) => (
            <li key={network?.name ?? ''}>
              <button
                type="button"
                aria-pressed={only.value === (network?.name ?? null)}
                onClick={() => narrow(network?.name ?? null)}
              >
                {network && <Logo network={network.logo} />}
                <span>{network ? visible(network.display_name) : text.all}</span>
              </button>
            </li>
          ))}
        </ul>
        <div class="picker-list" id="picker-list" role="listbox" aria-label={text.results(found.length)} ref={list}>
          {found.map((entry, at) => (
            <Row key={entry.key} entry={entry} isActive={at === active.value} onTake={() => take(entry)} />
          ))}
        </div>
        {found.length === 0 && <p class="soft picker-empty">{text.nothing(search.value)}</p>}
      </div>
    </Sheet>
  )
}

function Row({ entry, isActive, onTake }: { entry: Found; isActive: boolean; onTake: () => void }) {
  const { token, network, key } = entry
  const isOpen = token.status === 'active'
  return (
    <div
      id={`pick-${key}`}
      role="option"
      class="pick"
      tabIndex={-1}
      aria-selected={isActive}
      aria-disabled={!isOpen}
      onClick={onTake}
      onKeyDown={(event) => event.key === 'Enter' && onTake()}
    >
      <Logo token={token.logo} network={network.logo} />
      <span class="pick-name">
        <strong>{visible(token.symbol)}</strong>
        <span class="soft small">{visible(network.display_name)}</span>
      </span>
      {token.status !== 'active' && <span class="soft small">{text.reasons[token.status]}</span>}
    </div>
  )
}
