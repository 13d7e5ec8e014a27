/** The swap page: the form in the middle, with what people ask about the operator below it. */
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { site } from '../../api/client.ts'
import { problemOf } from '../../api/problems.ts'
import { useTitle } from '../../app/title.ts'
import { shell, swap as text } from '../../text/texts.ts'
import { Icon } from '../../ui/icon.tsx'
import { Notice } from '../../ui/notice.tsx'
import { chooseFirstMethod, prefill } from './changes.ts'
import { SwapForm } from './form/form.tsx'
import { bestOf, loadRoutes } from './routes.ts'
import { from, loadError, sources, to } from './state.ts'
import './page.css'

export function SwapPage() {
  const { query, route } = useLocation()
  const { operator, terms, contact } = site.value ?? {}
  useTitle(text.title)
  useEffect(() => {
    loadRoutes(() => {
      prefill(query)
      startSomewhere()
    }, query)
  }, [])
  return (
    <div class="swap-page">
      <svg class="waves" viewBox="0 0 1280 300" preserveAspectRatio="none" aria-hidden="true">
        <path d="M0 100C110 60 210 70 320 130S560 230 660 130 900 30 1280 100" />
        <path d="M0 130C110 90 210 100 320 170S560 260 660 160 900 70 1280 130" stroke-width="1.4" />
        <path d="M0 165C110 120 210 130 320 200S560 290 660 190 900 100 1280 165" stroke-width="2" />
        <path d="M0 268H1280" stroke-width="2" />
      </svg>
      <Unread />
      <SwapForm onCreated={(id) => route(`/swap/${id}`)} />
      <p class="under">
        <span>
          <Icon name="shield" />
          {text.signedQuotes}
        </span>
        {operator && <span>{shell.operatedBy(operator)}</span>}
        {terms && (
          <a href={terms} target="_self">
            {shell.terms}
          </a>
        )}
        {contact && (
          <a href={contact} target="_self">
            {shell.contact}
          </a>
        )}
      </p>
    </div>
  )
}

/** Shown if the lists cannot be loaded: they are retried automatically. */
export function Unread() {
  return (
    <div role="alert" class="unread">
      {loadError.value !== null && <Notice tone="bad">{problemOf(loadError.value).text}</Notice>}
    </div>
  )
}

/** On a first visit, selects the best ranked source. */
export function startSomewhere(): void {
  if (from.value || to.value) return
  from.value = bestOf(sources.value)
  chooseFirstMethod(from.value)
}
