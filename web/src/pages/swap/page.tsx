/** The swap page: the form, and next to it the breakdown of the amount. */

import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { problemOf } from '../../api/problems.ts'
import { shell, swap as text } from '../../text/en.ts'
import { Notice } from '../../ui/notice.tsx'
import { SwapForm } from './form/form.tsx'
import { Breakdown } from './review/breakdown.tsx'
import { from, loadError, loadRoutes, prefill, quote, sources, to } from './state.ts'
import './page.css'

export function SwapPage() {
  const { query, route } = useLocation()
  useEffect(() => {
    document.title = `${text.title} · ${shell.name}`
    loadRoutes(() => {
      prefill(query)
      startSomewhere()
    })
  }, [])
  const { quoted, isAsking } = quote.value
  return (
    <div class={quoted ? 'swap-page with-details' : 'swap-page'}>
      <h1 class="out-of-sight">{text.heading}</h1>
      <div class="stack">
        <Unread />
        <SwapForm onCreated={(id) => route(`/swap/${id}`)} />
      </div>
      {quoted && (
        <aside class={isAsking ? 'card details dim' : 'card details'} aria-label={text.details}>
          <h2 class="form-title">{text.details}</h2>
          <Breakdown quoted={quoted} />
        </aside>
      )}
    </div>
  )
}

/** Shown if the lists cannot be loaded: they are retried automatically. */
export function Unread() {
  return (
    <div role="alert">{loadError.value !== null && <Notice tone="bad">{problemOf(loadError.value).text}</Notice>}</div>
  )
}

/** On a first visit, selects the best ranked route. */
export function startSomewhere(): void {
  if (from.value || to.value || sources.value.length === 0) return
  const byRank = [...sources.value].sort((a, b) => a.source_rank - b.source_rank)
  const [network] = byRank
  const token = network?.tokens.find(({ status }) => status === 'active')
  if (network && token) {
    from.value = { network, token }
    loadRoutes()
  }
}
