/** The form inside another page's iframe: the same form, without the header, with the fields that the page locked. */
import { render } from 'preact'
import { useEffect } from 'preact/hooks'
import { LocationProvider, Route, Router, useLocation } from 'preact-iso'
import { loadSite } from '../api/client.ts'
import { pinKey } from '../api/keys.ts'
import { announce, LiveRegion } from '../app/announce.tsx'
import { StatusPage } from '../pages/status/page.tsx'
import { details } from '../pages/status/state.ts'
import { SwapForm } from '../pages/swap/form/form.tsx'
import { startSomewhere, Unread } from '../pages/swap/page.tsx'
import { loadRoutes, locked, prefill } from '../pages/swap/state.ts'
import { swap as text } from '../text/en.ts'
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

function Frame() {
  const { path, route } = useLocation()
  open = (id) => route(`/swap/${id}`)
  useEffect(() => {
    loadRoutes(() => {
      prefill(Object.fromEntries(query))
      startSomewhere()
      bridge.tell({ name: 'ready' })
    })
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
  useEffect(() => announce(''), [path])
  const created = (id: string) => {
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
        <h1 class="out-of-sight">{text.heading}</h1>
        <Frame />
      </main>
      <LiveRegion />
    </LocationProvider>,
    place,
  )
void loadSite().catch(() => undefined)
