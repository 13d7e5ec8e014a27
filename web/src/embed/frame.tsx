/** The form inside another page's iframe: the same form, without the header, with the fields that the page locked. */
import '../app/styles.ts'
import { signal } from '@preact/signals'
import { render } from 'preact'
import { useEffect } from 'preact/hooks'
import { loadSite } from '../api/client.ts'
import { pinKey } from '../api/keys.ts'
import { announce, LiveRegion } from '../app/announce.tsx'
import { SwapStatus } from '../pages/status/page.tsx'
import { details } from '../pages/status/state.ts'
import { prefill } from '../pages/swap/changes.ts'
import { SwapForm } from '../pages/swap/form/form.tsx'
import { startSomewhere, Unread } from '../pages/swap/page.tsx'
import { loadRoutes } from '../pages/swap/routes.ts'
import { locked } from '../pages/swap/state.ts'
import { openBridge } from './bridge.ts'
import { applyLook, readLook } from './theme.ts'
import './frame.css'

const query = new URLSearchParams(location.search)
applyLook(readLook(query))
const key = query.get('key')
if (key) pinKey(key)
locked.value = (query.get('lock') ?? '').split(/[\s,]+/).filter(Boolean)

/**
 * The shown swap; null for the form. The host's element keeps its id over reloads, because a frame may store nothing.
 * The URL of the frame never changes: a browser may restore it, and no other page of ours may be framed.
 */
const shown = signal<string | null>(query.get('swap'))

function show(id: string | null): void {
  shown.value = id
  announce('')
  if (id === null) bridge.tell({ name: 'left' })
}

const bridge = openBridge((asked) => {
  if (asked.do === 'setTheme') applyLook(readLook(new URLSearchParams({ theme: asked.theme })))
  if (asked.do === 'setRoute') prefill({ from: asked.from ?? '', to: asked.to ?? '', amount: asked.amount ?? '' })
  if (asked.do === 'open') show(asked.id)
})

function Frame() {
  const id = shown.value
  useEffect(() => {
    const named = Object.fromEntries(query)
    loadRoutes(() => {
      prefill(named)
      startSomewhere()
      bridge.tell({ name: 'ready' })
    }, named)
    const size = new ResizeObserver(() =>
      bridge.tell({ name: 'resize', height: Math.ceil(document.body.getBoundingClientRect().height) }),
    )
    size.observe(document.body)
    document.addEventListener('click', followLink)
    return () => {
      size.disconnect()
      document.removeEventListener('click', followLink)
    }
  }, [])
  const status = details.value?.swap.status
  useEffect(() => {
    const followed = details.value?.swap.id
    if (followed && status) bridge.tell({ name: 'status', id: followed, status })
  }, [status])
  const created = (made: string) => {
    bridge.tell({ name: 'created', id: made, url: `${location.origin}/swap/${made}` })
    show(made)
  }
  if (id !== null) return <SwapStatus id={id} />
  return (
    <div class="stack">
      <Unread />
      <SwapForm onCreated={created} />
    </div>
  )
}

/** "Swap again" and "Swap back" show the form; other pages of the service open outside the frame. */
function followLink(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (!link || link.origin !== location.origin || link.target === '_blank') return
  event.preventDefault()
  if (link.pathname !== '/') {
    window.open(link.href, '_blank', 'noopener')
    return
  }
  const wanted = Object.fromEntries(new URLSearchParams(link.search))
  // Fields that the host page locked stay.
  const fixed = Object.fromEntries(locked.value.map((name) => [name, query.get(name) ?? '']))
  show(null)
  prefill({ ...wanted, ...fixed })
  loadRoutes()
}

const place = document.getElementById('app')
if (place)
  render(
    <>
      <main>
        <Frame />
      </main>
      <LiveRegion />
    </>,
    place,
  )
void loadSite().catch(() => null)
