/** The form inside another page's iframe: the same form, without the header, with the fields that the page locked. */
import { render } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { LocationProvider, Route, Router, useLocation } from 'preact-iso'
import { loadSite } from '../api/client.ts'
import { pinKey } from '../api/keys.ts'
import { keep, kept } from '../api/storage.ts'
import { announce, LiveRegion } from '../app/announce.tsx'
import { StatusPage } from '../pages/status/page.tsx'
import { details } from '../pages/status/state.ts'
import { SwapForm } from '../pages/swap/form/form.tsx'
import { startSomewhere, Unread } from '../pages/swap/page.tsx'
import { loadRoutes, locked, prefill } from '../pages/swap/state.ts'
import { openBridge } from './bridge.ts'
import { applyLook, readLook } from './theme.ts'
import '../app/tokens.css'
import '../app/base.css'
import '../ui/ui.css'
import './frame.css'

const query = new URLSearchParams(location.search)
applyLook(readLook(query))
const key = query.get('key')
if (key) pinKey(key)
locked.value = (query.get('lock') ?? '').split(/[\s,]+/).filter(Boolean)

let open: (id: string) => void = () => undefined
const bridge = openBridge((asked) => {
  if (asked.do === 'setTheme') applyLook(readLook(new URLSearchParams({ theme: asked.theme })))
  if (asked.do === 'setRoute') prefill({ from: asked.from ?? '', to: asked.to ?? '', amount: asked.amount ?? '' })
  if (asked.do === 'open') open(asked.id)
})

/** The swap that this form made, so that a reload of the host page shows it again. One per form: by its attributes. */
const KEPT = `embed.${location.search}`
const KEPT_MS = 24 * 3_600_000

function keptSwap(): string | null {
  const made = kept<{ id: string; at: number }>(KEPT)
  return made && Date.now() - made.at < KEPT_MS ? made.id : null
}

function Frame() {
  const { path, route } = useLocation()
  const before = useRef(path)
  open = (id) => route(`/swap/${id}`)
  useEffect(() => {
    const last = keptSwap()
    if (last) route(`/swap/${last}`, true)
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
    return () => size.disconnect()
  }, [])
  const status = details.value?.swap.status
  useEffect(() => {
    const id = details.value?.swap.id
    if (id && status) bridge.tell({ name: 'status', id, status })
  }, [status])
  useEffect(() => {
    announce('')
    // The person went on to another swap.
    if (before.current.startsWith('/swap/') && !path.startsWith('/swap/')) keep(KEPT, null)
    before.current = path
  }, [path])
  const created = (id: string) => {
    keep(KEPT, { id, at: Date.now() })
    bridge.tell({ name: 'created', id, url: `${location.origin}/swap/${id}` })
    route(`/swap/${id}`)
  }
  return (
    <Router>
      <Route path="/swap/:id" component={StatusPage} />
      <Route
        default
        component={() => (
          <div class="stack">
            <Unread />
            <SwapForm onCreated={created} />
          </div>
        )}
      />
    </Router>
  )
}

const place = document.getElementById('app')
if (place)
  render(
    <LocationProvider>
      <main>
        <Frame />
      </main>
      <LiveRegion />
    </LocationProvider>,
    place,
  )
void loadSite().catch(() => null)
