/** What stands around every room: who is here, the rooms, and the way out. */
import { LocationProvider, Route, Router, useLocation } from 'preact-iso'
import { LiveRegion } from '../app/announce.tsx'
import { chooseTheme, nextTheme, theme } from '../app/theme.ts'
import { shell, operator as text } from '../text/en.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { logOut, sandbox, seat } from './calls.ts'
import { InvitePage } from './invite.tsx'
import { LoginPage } from './login.tsx'
import { ROOMS } from './offices.ts'
import { OverviewPage } from './overview.tsx'
import { RoomPage } from './room.tsx'

const NAMES = Object.keys(ROOMS) as (keyof typeof text.rooms)[]

export function Console() {
  return (
    <LocationProvider scope="/operator">
      <a class="skip" href="#content">
        {shell.skip}
      </a>
      <Head />
      <main id="content" tabIndex={-1} class="console">
        <Content />
      </main>
      <LiveRegion />
    </LocationProvider>
  )
}

function Content() {
  const { path } = useLocation()
  if (path.startsWith('/operator/invite')) return <InvitePage />
  if (!seat.value) return <LoginPage />
  return (
    <Router>
      {NAMES.map((name) => (
        <Route key={name} path={`/operator/${name}`} component={() => <RoomPage key={name} name={name} />} />
      ))}
      <Route default component={OverviewPage} />
    </Router>
  )
}

function Head() {
  const { path } = useLocation()
  const here = (name: string) => path === `/operator/${name}`
  return (
    <header>
      {sandbox.value && <p class="sandbox-bar">{shell.sandbox}</p>}
      <div class="header">
        <a class="brand" href="/operator">
          <img src="/icon.svg" alt="" width={28} height={28} />
          {text.title}
        </a>
        {seat.value && <span class="soft small">{text.who(seat.value.name, seat.value.role)}</span>}
        {seat.value && (
          <Button look="plain small" onClick={() => void logOut()}>
            {text.logout}
          </Button>
        )}
        <IconButton
          name={shell.theme(shell.themes[theme.value])}
          icon="theme"
          onClick={() => chooseTheme(nextTheme(theme.value))}
        />
      </div>
      {seat.value && (
        <nav class="rooms" aria-label={text.nav}>
          <a href="/operator" aria-current={NAMES.some(here) ? undefined : 'page'}>
            {text.rooms.overview}
          </a>
          {NAMES.map((name) => (
            <a key={name} href={`/operator/${name}`} aria-current={here(name) ? 'page' : undefined}>
              {text.rooms[name]}
            </a>
          ))}
        </nav>
      )}
    </header>
  )
}
