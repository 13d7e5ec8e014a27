/** JavaScript adds to /docs: copying, a theme, search, languages, and trying a call. Everything is readable without it. */

const el = (name, attributes = {}, ...children) => {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children)
  return made
}

// The contents are long: on a phone they begin folded.
const contents = document.querySelector('.contents details')
if (matchMedia('(max-width: 60rem)').matches) contents.open = false

const THEME = 'causeway.theme'
const THEMES = ['auto', 'light', 'dark']
let theme = 'auto'
try {
  theme = localStorage.getItem(THEME) ?? 'auto'
} catch {}
const themeButton = el('button', { type: 'button', class: 'plain' })
const applyTheme = () => {
  const isChosen = theme === 'light' || theme === 'dark'
  if (isChosen) document.documentElement.dataset.theme = theme
  else delete document.documentElement.dataset.theme
  themeButton.textContent = `Theme: ${isChosen ? theme : 'auto'}`
}
themeButton.addEventListener('click', () => {
  theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]
  try {
    if (theme === 'auto') localStorage.removeItem(THEME)
    else localStorage.setItem(THEME, theme)
  } catch {}
  applyTheme()
})
document.getElementById('tools').append(themeButton)
applyTheme()

for (const box of document.querySelectorAll('.code')) {
  const text = box.querySelector('code').textContent
  const label = box.querySelector('pre').getAttribute('aria-label')
  const button = el('button', { type: 'button', class: 'copy', 'aria-label': `Copy: ${label}` }, 'Copy')
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text)
      button.textContent = 'Copied'
    } catch {
      button.textContent = 'Not copied'
    }
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2000)
  })
  box.append(button)
}

// One language for all calls, remembered for the next visit.
const LANGUAGE = 'causeway.language'
const LANGUAGES = ['curl', 'TypeScript', 'Python', 'Go']
const tabs = []
for (const place of document.querySelectorAll('.languages')) {
  const curl = place.previousElementSibling.querySelector('.code')
  const others = [...place.querySelectorAll('details')]
  const names = ['curl', ...others.map(({ dataset }) => dataset.language)]
  const bar = el('div', { class: 'bar tabs', role: 'group', 'aria-label': 'Language' })
  const show = (wanted) => {
    const chosen = names.includes(wanted) ? wanted : 'curl'
    curl.hidden = chosen !== 'curl'
    for (const other of others) {
      other.open = other.dataset.language === chosen
      other.hidden = !other.open
    }
    for (const button of bar.children) button.setAttribute('aria-pressed', String(button.textContent === chosen))
  }
  for (const name of names) {
    const button = el('button', { type: 'button', class: 'plain' }, name)
    button.addEventListener('click', () => chooseLanguage(name))
    bar.append(button)
  }
  for (const other of others) other.querySelector('summary').hidden = true
  curl.before(bar)
  curl.after(place)
  tabs.push(show)
}
const chooseLanguage = (name) => {
  try {
    localStorage.setItem(LANGUAGE, name)
  } catch {}
  for (const show of tabs) show(name)
}
let language = 'curl'
try {
  language = localStorage.getItem(LANGUAGE) ?? language
} catch {}
for (const show of tabs) show(LANGUAGES.includes(language) ? language : 'curl')

// The index of all pages is loaded when a reader begins to search.
const MOST_FOUND = 12
const finder = el('input', { type: 'search', placeholder: 'Search', 'aria-label': 'Search all pages' })
const found = el('ul', { class: 'found', 'aria-label': 'Search results', hidden: '' })
let index = null
finder.addEventListener('input', async () => {
  index ??= fetch('/docs/search.json').then((answer) => answer.json())
  const words = finder.value.toLowerCase().split(/\s+/).filter(Boolean)
  const entries = await index
  const hits = entries
    .map((entry) => ({ entry, title: entry.title.toLowerCase(), text: `${entry.title} ${entry.text}`.toLowerCase() }))
    .filter(({ text }) => words.length > 0 && words.every((word) => text.includes(word)))
    .sort(
      (a, b) =>
        Number(words.every((word) => b.title.includes(word))) - Number(words.every((word) => a.title.includes(word))),
    )
    .slice(0, MOST_FOUND)
  found.replaceChildren(
    ...hits.map(({ entry }) =>
      el('li', {}, el('a', { href: entry.url }, entry.title), el('span', { class: 'soft' }, entry.page)),
    ),
    ...(words.length > 0 && hits.length === 0 ? [el('li', {}, 'Nothing found')] : []),
  )
  found.hidden = words.length === 0
})
finder.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return
  finder.value = ''
  found.hidden = true
})
document.getElementById('tools').prepend(el('span', { class: 'finder' }, finder, found))

const links = [...document.querySelectorAll('.contents li li a')]
if (document.querySelector('.try')) {
  const search = el('input', { type: 'search', placeholder: 'Find a call', 'aria-label': 'Find a call' })
  search.addEventListener('input', () => {
    const wanted = search.value.toLowerCase()
    for (const link of links) link.parentElement.hidden = !link.textContent.toLowerCase().includes(wanted)
  })
  contents.querySelector('summary').after(search)
  const key = el('input', { type: 'password', autocomplete: 'off', spellcheck: 'false', placeholder: 'X-LS-APIKEY' })
  document
    .getElementById('keys')
    .nextElementSibling.after(
      el('label', { class: 'key' }, 'Your key, for trying calls here; kept in this page only', key),
    )
  for (const place of document.querySelectorAll('.try')) place.append(trial(place.dataset, key))
}

addEventListener('hashchange', openNamed)
openNamed()

/** A folded shape that is linked to opens. */
function openNamed() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (named instanceof HTMLDetailsElement) named.open = true
}

function trial({ method, url, body }, key) {
  const place = el('input', { 'aria-label': `Path of ${method} ${url}`, spellcheck: 'false', value: url })
  const text = body
    ? el('textarea', { 'aria-label': `Body of ${method} ${url}`, spellcheck: 'false', rows: '8' })
    : null
  if (text) text.value = body
  const send = el('button', { type: 'button', class: 'send' }, 'Send')
  const told = el('span', { role: 'status' })
  const answer = el('pre', { hidden: '', tabindex: '0', role: 'group', 'aria-label': `Answer of ${method} ${url}` })
  send.addEventListener('click', async () => {
    told.textContent = 'Sending…'
    const started = performance.now()
    const headers = {
      ...(text && { 'content-type': 'application/json' }),
      ...(key.value && { 'x-ls-apikey': key.value }),
    }
    // A stream goes on until the swap ends: what comes first is enough here.
    const signal = AbortSignal.timeout(10_000)
    try {
      const response = await fetch(new URL(place.value, location.origin), {
        method,
        headers,
        signal,
        ...(text && { body: text.value }),
      })
      answer.textContent = pretty(await response.text())
      told.textContent = `${response.status} in ${Math.round(performance.now() - started)} ms`
    } catch (error) {
      told.textContent = 'No answer'
      answer.textContent = String(error)
    }
    answer.hidden = false
  })
  const bar = el('div', { class: 'bar' }, send, told)
  return el('details', {}, el('summary', {}, 'Try it here'), place, ...(text ? [text] : []), bar, answer)
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
