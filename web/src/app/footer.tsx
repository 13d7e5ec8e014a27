/** The footer: what is paused, the operator's links, the signing key, and the language. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { isAnswering } from '../api/answering.ts'
import { site } from '../api/client.ts'
import { trustedKeys } from '../api/keys.ts'
import { isOnline } from '../api/online.ts'
import { shell as text } from '../text/texts.ts'
import { Forget } from './forget.tsx'
import { LanguageSwitch } from './language-switch.tsx'

/** After everything that the page itself needs. */
const LATER_MS = 1_500

export function Footer() {
  const key = useSignal('')
  useEffect(() => {
    const timer = setTimeout(() => {
      void trustedKeys()
        .then(({ fingerprint }) => (key.value = fingerprint))
        .catch(() => undefined)
    }, LATER_MS)
    return () => clearTimeout(timer)
  }, [])
  const paused = site.value?.paused.length ?? 0
  const isKnown = isOnline.value && isAnswering.value
  const { terms, privacy, imprint, contact, operator } = site.value ?? {}
  const links = [
    { href: terms, name: text.terms, isNearForm: true },
    { href: privacy, name: text.privacy, isNearForm: false },
    { href: imprint, name: text.imprint, isNearForm: false },
    { href: contact, name: text.contact, isNearForm: true },
  ].flatMap(({ href, ...link }) => (href ? [{ href, ...link }] : []))
  const environment = site.value?.isSandbox ? 'sandbox' : site.value?.environment
  return (
    <footer class="footer">
      <div>
        {site.value && (
          <span class={!isKnown ? 'running unknown' : paused > 0 ? 'running warn-text' : 'running'}>
            <span class="dot" aria-hidden="true" />
            {!isKnown ? text.statusUnknown : paused > 0 ? text.somePaused : text.open}
          </span>
        )}
        <a href="/status">{text.status}</a>
        {links.map(({ href, name, isNearForm }) => (
          <a key={name} class={isNearForm ? 'near-form' : undefined} href={href} target="_self">
            {name}
          </a>
        ))}
        <a href="/docs" target="_self">
          {text.reference}
        </a>
        <Forget />
        <span class="push">
          {operator && <span class="near-form">{`${text.operatedBy(operator)} · `}</span>}
          {environment && (text.environments[environment] ?? environment)}
          {site.value?.build && ` · ${site.value.build}`}
        </span>
        <span class="only-desktop" title={key.value}>
          {key.value && text.key(key.value.slice(0, 11))}
        </span>
        <LanguageSwitch />
      </div>
    </footer>
  )
}
