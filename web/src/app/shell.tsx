/** The frame of every page: header, sandbox bar, footer. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { site } from '../api/client.ts'
import { trustedKeys } from '../api/keys.ts'
import { forgetEverything } from '../api/storage.ts'
import { shell as text } from '../text/en.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { announce, LiveRegion } from './announce.tsx'
import { chooseTheme, nextTheme, theme } from './theme.ts'
import './shell.css'

const PAGES = [
  { href: '/', name: text.swap },
  { href: '/history', name: text.history },
  { href: '/explorer', name: text.explorer },
  { href: '/developers', name: text.developers },
]

export function Shell({ children }: { children: ComponentChildren }) {
  const { path } = useLocation()
  const isHere = (href: string) => (href === '/' ? path === '/' || path.startsWith('/swap/') : path.startsWith(href))
  return (
    <>
      <a class="skip" href="#content">
        {text.skip}
      </a>
      <header>
        {site.value && (site.value.isSandbox || site.value.environment === 'testnet') && (
          <p class="sandbox-bar">{site.value.isSandbox ? text.sandbox : text.testnet}</p>
        )}
        <div class="header">
          <a class="brand" href="/">
            <img src="/icon.svg" alt="" width={28} height={28} />
            {site.value?.name ?? text.name}
          </a>
          <nav aria-label={text.nav}>
            {PAGES.map(({ href, name }) => (
              <a key={href} href={href} aria-current={isHere(href) ? 'page' : undefined}>
                {name}
              </a>
            ))}
          </nav>
          <IconButton
            name={text.theme(text.themes[theme.value])}
            icon="theme"
            onClick={() => chooseTheme(nextTheme(theme.value))}
          />
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      <Footer />
      <LiveRegion />
    </>
  )
}

function Footer() {
  const key = useSignal('')
  useEffect(() => {
    void trustedKeys()
      .then(({ fingerprint }) => (key.value = fingerprint))
      .catch(() => undefined)
  }, [])
  const forget = () => {
    forgetEverything()
    announce(text.forgotten)
  }
  return (
    <footer class="footer">
      {site.value && (
        <span>
          {text.environment(site.value.isSandbox ? 'sandbox' : site.value.environment)}
          {site.value.build && ` · ${site.value.build}`}
        </span>
      )}
      <span class="mono">{key.value && text.key(key.value)}</span>
      <a href="/docs" target="_self">
        {text.reference}
      </a>
      {site.value?.contact && (
        <a href={site.value.contact} target="_self">
          {text.contact}
        </a>
      )}
      <Button look="plain small" onClick={forget}>
        {text.forget}
      </Button>
    </footer>
  )
}
