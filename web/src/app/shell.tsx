/** The frame of every page: header, sandbox bar, footer. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { site } from '../api/client.ts'
import { isOnline } from '../api/online.ts'
import { shell as text } from '../text/texts.ts'
import { IconButton } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { AccountButton } from '../wallet/menu.tsx'
import { LiveRegion } from './announce.tsx'
import { Footer } from './footer.tsx'
import { SandboxBar } from './sandbox-bar.tsx'
import { chooseTheme, nextTheme, theme } from './theme.ts'
import './shell.css'

const PAGES = [
  { href: '/', name: text.swap },
  { href: '/history', name: text.history },
  { href: '/explorer', name: text.explorer },
  { href: '/developers', name: text.developers },
]

export function Shell({ children }: { children: ComponentChildren }) {
  const isMenu = useSignal(false)
  const { path } = useLocation()
  useEffect(() => {
    isMenu.value = false
  }, [path])
  return (
    <>
      <a class="skip" href="#content">
        {text.skip}
      </a>
      <header>
        {site.value && (site.value.isSandbox || site.value.environment === 'testnet') && (
          <SandboxBar says={site.value.isSandbox ? text.sandbox : text.testnet} />
        )}
        <div class="header">
          <a class="brand" href="/">
            <img src="/icon.svg" alt="" width={32} height={32} />
            <span class="word">{site.value?.name ?? text.name}</span>
          </a>
          <nav aria-label={text.nav}>
            <Links path={path} />
          </nav>
          <div class="header-end">
            <AccountButton look="header" />
            <span class="only-desktop">
              <ThemeButton />
            </span>
            <span class="only-phone">
              <IconButton name={text.menu} icon="menu" onClick={() => (isMenu.value = true)} />
            </span>
          </div>
        </div>
      </header>
      <div class="page-notice" role="alert">
        {!isOnline.value && <Notice tone="warn">{text.offline}</Notice>}
      </div>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      <Footer />
      <LiveRegion />
      {isMenu.value && (
        <Sheet title={text.menu} closeLabel={text.close} onClose={() => (isMenu.value = false)}>
          <nav class="menu" aria-label={text.nav}>
            <Links path={path} />
          </nav>
          <div class="row between small">
            {text.themeNow(text.themes[theme.value])}
            <ThemeButton />
          </div>
        </Sheet>
      )}
    </>
  )
}

function Links({ path }: { path: string }) {
  const isHere = (href: string) => (href === '/' ? path === '/' || path.startsWith('/swap/') : path.startsWith(href))
  return (
    <>
      {PAGES.map(({ href, name }) => (
        <a key={href} href={href} aria-current={isHere(href) ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </>
  )
}

function ThemeButton() {
  return (
    <IconButton
      name={text.theme(text.themes[theme.value])}
      icon="theme"
      onClick={() => chooseTheme(nextTheme(theme.value))}
    />
  )
}
