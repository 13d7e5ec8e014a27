/** Chooses a token on a network: search, popular tokens, what the wallet holds, recent ones, then all by rank. */
import type { RouteNetwork } from '@causeway/sdk/light'
import { useSignal } from '@preact/signals'
import { Fragment } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { visible } from '../../../money/format.ts'
import { shell, picker as text } from '../../../text/texts.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Logo } from '../../../ui/logo.tsx'
import { Sheet } from '../../../ui/sheet.tsx'
import { type Choice, type Found, searchTokens } from '../logic.ts'
import { recentKeys } from '../state.ts'
import { useBalances } from './balances.ts'
import { groupsOf } from './groups.ts'
import './picker.css'
import { Popular, Row } from './rows.tsx'

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
  const held = useBalances(networks)
  const ranked = [...networks].sort((a, b) => a[`${side}_rank`] - b[`${side}_rank`])
  const found = searchTokens(networks, search.value, only.value, recentKeys(), side)
  const groups = groupsOf(found, held, search.value === '' ? recentKeys() : [])
  const inOrder = groups.flatMap(({ entries }) => entries)
  const current = inOrder[active.value]

  useEffect(() => {
    field.current?.focus()
    const focusBySlash = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.target === field.current) return
      event.preventDefault()
      field.current?.focus()
    }
    addEventListener('keydown', focusBySlash)
    return () => removeEventListener('keydown', focusBySlash)
  }, [])
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
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
      active.value = Math.min(Math.max(active.value + move, 0), inOrder.length - 1)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      take(current)
    }
  }
  const find = (words: string) => {
    search.value = words
    active.value = 0
  }
  const narrow = (name: string | null) => {
    only.value = name
    active.value = 0
  }

  return (
    <Sheet title={side === 'source' ? text.titleFrom : text.titleTo} closeLabel={shell.close} onClose={onClose} wide>
      <div class="find">
        <div class="input-line">
          <Icon name="search" />
          <input
            ref={field}
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
            onInput={({ currentTarget }) => find(currentTarget.value)}
            onKeyDown={onKeyDown}
          />
          <kbd class="only-desktop">{text.press}</kbd>
        </div>
      </div>
      <div class="picker">
        <ul class="picker-networks" aria-label={text.networks}>
          {[null, ...ranked].map((network) => (
            <li key={network?.name ?? ''}>
              <button
                type="button"
                aria-pressed={only.value === (network?.name ?? null)}
                onClick={() => narrow(network?.name ?? null)}
              >
                {network ? <Logo network={network.logo} /> : <Icon name="box" />}
                <span>{network ? visible(network.display_name) : text.all}</span>
                {network && <small aria-hidden="true">{network.tokens.length}</small>}
              </button>
            </li>
          ))}
        </ul>
        <div class="picker-tokens">
          {search.value === '' && only.value === null && <Popular {...{ networks, side }} onFind={find} />}
          <div id="picker-list" role="listbox" aria-label={text.results(inOrder.length)} ref={list}>
            {groups.map(({ name, entries }) => (
              <Fragment key={name}>
                {(groups.length > 1 || search.value === '') && (
                  <div class="picker-title" role="presentation">
                    {text.groups[name]}
                  </div>
                )}
                {entries.map((entry) => (
                  <Row
                    key={entry.key}
                    entry={entry}
                    held={held[entry.key]}
                    isActive={entry === current}
                    onPoint={() => (active.value = inOrder.indexOf(entry))}
                    onTake={() => take(entry)}
                  />
                ))}
              </Fragment>
            ))}
          </div>
          {inOrder.length === 0 && <p class="soft picker-empty">{text.nothing(search.value)}</p>}
        </div>
      </div>
    </Sheet>
  )
}
