/** Routes. Only the swap page is in the first bundle. */
import type { ComponentType } from 'preact'
import { ErrorBoundary, LocationProvider, lazy, Route, Router } from 'preact-iso'
import { SwapPage } from '../pages/swap/page.tsx'
import { shell as text } from '../text/texts.ts'
import { Button } from '../ui/button.tsx'
import { Shell } from './shell.tsx'

const StatusPage = page(() => import('../pages/status/page.tsx').then(({ StatusPage }) => StatusPage))
const ServiceStatusPage = page(() =>
  import('../pages/service-status/page.tsx').then(({ ServiceStatusPage }) => ServiceStatusPage),
)
const HistoryPage = page(() => import('../pages/history/page.tsx').then(({ HistoryPage }) => HistoryPage))
const ExplorerPage = page(() => import('../pages/explorer/page.tsx').then(({ ExplorerPage }) => ExplorerPage))
const RoutesPage = page(() => import('../pages/explorer/routes.tsx').then(({ RoutesPage }) => RoutesPage))
const NetworkPage = page(() => import('../pages/explorer/network.tsx').then(({ NetworkPage }) => NetworkPage))
const DevelopersPage = page(() => import('../pages/developers/page.tsx').then(({ DevelopersPage }) => DevelopersPage))
const SandboxPage = page(() => import('../pages/developers/sandbox.tsx').then(({ SandboxPage }) => SandboxPage))
const EmbedPage = page(() => import('../pages/developers/embed.tsx').then(({ EmbedPage }) => EmbedPage))

/** A page in a separate file. After a deploy the old file is gone: the page is then reloaded with the new files. */
function page(load: () => Promise<ComponentType>) {
  return lazy(() => load().catch(() => reloadOnce()))
}

/** Reloads into the new files; a second failure within a while is shown instead. */
function reloadOnce(): ComponentType | Promise<ComponentType> {
  const [at, now] = [Number(readSession(RELOADED)), Date.now()]
  if (now - at < RELOAD_AGAIN_MS || !writeSession(RELOADED, String(now))) return NotLoaded
  location.reload()
  return new Promise(() => undefined)
}

const RELOADED = 'causeway.reloaded'
const RELOAD_AGAIN_MS = 60_000

function readSession(key: string): string | null {
  try {
    return sessionStorage.getItem(key)
  } catch {
    return null
  }
}

/** Stores a value for this tab; false without storage: then nothing would stop a loop of reloads. */
function writeSession(key: string, value: string): boolean {
  try {
    sessionStorage.setItem(key, value)
    return true
  } catch {
    return false
  }
}

function NotLoaded() {
  return (
    <div class="card stack">
      <h1>{text.notLoaded}</h1>
      <p class="row">
        <Button look="primary" onClick={() => location.reload()}>
          {text.reload}
        </Button>
        <a href="/">{text.startSwap}</a>
      </p>
    </div>
  )
}

/** Paths of these pages. Other links are answered by the server and leave the app. */
const OURS = /^\/(?!docs|api|sandbox|openapi|logos|embed$)/

export function App() {
  return (
    <LocationProvider scope={OURS}>
      <Shell>
        <ErrorBoundary>
          <Router onLoadEnd={toTop}>
            <Route path="/" component={SwapPage} />
            <Route path="/swap/:id" component={StatusPage} />
            <Route path="/status" component={ServiceStatusPage} />
            <Route path="/history" component={HistoryPage} />
            <Route path="/explorer" component={ExplorerPage} />
            <Route path="/explorer/routes" component={RoutesPage} />
            <Route path="/explorer/network/:network" component={NetworkPage} />
            <Route path="/explorer/:search" component={ExplorerPage} />
            <Route path="/developers" component={DevelopersPage} />
            <Route path="/developers/sandbox" component={SandboxPage} />
            <Route path="/developers/embed" component={EmbedPage} />
            <Route default component={NoPage} />
          </Router>
        </ErrorBoundary>
      </Shell>
    </LocationProvider>
  )
}

let isFirst = true
/** A new page starts at its top, and screen readers read it from there. */
function toTop(): void {
  if (!isFirst) document.getElementById('content')?.focus({ preventScroll: true })
  isFirst = false
}

function NoPage() {
  return (
    <div class="stack">
      <h1>{text.noPage}</h1>
      <p class="soft">{text.noPageText}</p>
      <p class="row">
        <a class="button primary" href="/">
          {text.startSwap}
        </a>
        <a class="button" href="/explorer">
          {text.lookUp}
        </a>
      </p>
    </div>
  )
}
