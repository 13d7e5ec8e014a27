/** Routes. Only the swap page is in the first bundle. */
import { ErrorBoundary, LocationProvider, lazy, Route, Router } from 'preact-iso'
import { SwapPage } from '../pages/swap/page.tsx'
import { shell as text } from '../text/en.ts'
import { Shell } from './shell.tsx'

const StatusPage = lazy(() => import('../pages/status/page.tsx').then(({ StatusPage }) => StatusPage))
const HistoryPage = lazy(() => import('../pages/history/page.tsx').then(({ HistoryPage }) => HistoryPage))
const ExplorerPage = lazy(() => import('../pages/explorer/page.tsx').then(({ ExplorerPage }) => ExplorerPage))
const RoutesPage = lazy(() => import('../pages/explorer/routes.tsx').then(({ RoutesPage }) => RoutesPage))
const DevelopersPage = lazy(() => import('../pages/developers/page.tsx').then(({ DevelopersPage }) => DevelopersPage))
const SandboxPage = lazy(() => import('../pages/developers/sandbox.tsx').then(({ SandboxPage }) => SandboxPage))
const EmbedPage = lazy(() => import('../pages/developers/embed.tsx').then(({ EmbedPage }) => EmbedPage))

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
            <Route path="/history" component={HistoryPage} />
            <Route path="/explorer" component={ExplorerPage} />
            <Route path="/explorer/routes" component={RoutesPage} />
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
      <p class="row">
        <a href="/">{text.startSwap}</a>
        <a href="/explorer">{text.lookUp}</a>
      </p>
    </div>
  )
}
