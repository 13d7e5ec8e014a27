/** The frame of every console page: the operator, the navigation, and the logout. */
import { Fragment } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { LocationProvider, Route, Router, useLocation } from 'preact-iso'
import { LiveRegion } from '../../app/announce.tsx'
import { SandboxBar } from '../../app/sandbox-bar.tsx'
import { chooseTheme, nextTheme, theme } from '../../app/theme.ts'
import { operator as text } from '../../text/en/operator.ts'
import { shell } from '../../text/texts.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { FeedsPage } from '../lists/feeds.tsx'
import { ROOMS } from '../lists/offices.ts'
import { RoomPage } from '../lists/room.tsx'
import { wordFor } from '../lists/words.ts'
import { OverviewPage } from '../overview/overview.tsx'
import { needsOf } from '../overview/verdict.ts'
import { SwapPage } from '../swaps/swap.tsx'
import { overview, watchAlerts } from './alerts.ts'
import { logOut, sandbox, seat } from './calls.ts'
import { InvitePage } from './invite.tsx'
import { LoginPage } from './login.tsx'

/** Pages that are lists, by the command line's names. */
const LISTS = Object.keys(ROOMS) as (keyof typeof text.rooms)[]
/** The console's pages except the overview, most needed first. */
type Room = keyof typeof text.rooms
const GROUPS: { name: string | null; rooms: Room[] }[] = [
  { name: null, rooms: ['swaps', 'requests', 'wallets', 'limits'] },
  { name: text.records, rooms: ['feeds', 'books', 'audit'] },
  { name: text.setup, rooms: ['apps', 'webhooks', 'campaigns', 'depository', 'people'] },
]
const ICONS: Record<Room, IconName> = {
  overview: 'home',
  swaps: 'list',
  requests: 'check',
  wallets: 'wallet',
  limits: 'sliders',
  feeds: 'signal',
  books: 'book',
  audit: 'clock',
  apps: 'key',
  webhooks: 'hook',
  campaigns: 'gift',
  depository: 'box',
  people: 'people',
}
const NAMES = GROUPS.flatMap(({ rooms }) => rooms)

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
      {LISTS.map((name) => (
        <Route key={name} path={`/operator/${name}`} component={() => <RoomPage key={name} name={name} />} />
      ))}
      <Route path="/operator/swap/:id" component={SwapPage} />
      <Route path="/operator/feeds" component={FeedsPage} />
      <Route default component={OverviewPage} />
    </Router>
  )
}

function Head() {
  const { path } = useLocation()
  const waiting = overview.value ? needsOf(overview.value) : 0
  const isIn = seat.value != null
  useEffect(() => (isIn ? watchAlerts() : undefined), [isIn])
  const rooms = useRef<HTMLElement>(null)
  // On a phone the navigation is one scrolling line: keep the current page visible.
  useEffect(() => {
    rooms.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' })
  }, [path, isIn])
  const here = (name: string) =>
    path === `/operator/${name}` || (name === 'swaps' && path.startsWith('/operator/swap/'))
  return (
    <>
      {sandbox.value && <SandboxBar says={shell.sandbox} />}
      <header class="side">
        <div class="side-in">
          <div class="side-head">
            <a class="brand" href="/operator">
              <img src="/icon.svg" alt="" width={28} height={28} />
              {text.title}
            </a>
            {waiting > 0 && (
              <a class="badge bad" href="/operator">
                {text.waits(waiting)}
              </a>
            )}
          </div>
          {seat.value && (
            <nav ref={rooms} class="rooms" aria-label={text.nav}>
              <a href="/operator" aria-current={NAMES.some(here) ? undefined : 'page'}>
                <Icon name="home" />
                {text.rooms.overview}
              </a>
              {GROUPS.map(({ name, rooms }) => (
                <Fragment key={rooms[0]}>
                  {name && <span class="rooms-title">{name}</span>}
                  {rooms.map((room) => (
                    <a key={room} href={`/operator/${room}`} aria-current={here(room) ? 'page' : undefined}>
                      <Icon name={ICONS[room]} />
                      {text.rooms[room]}
                    </a>
                  ))}
                </Fragment>
              ))}
            </nav>
          )}
          <div class="side-foot small">
            {seat.value && (
              <span class="soft who">
                <b>{seat.value.name}</b> · {wordFor('role', seat.value.role)}
              </span>
            )}
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
        </div>
      </header>
    </>
  )
}
