// Runs before the first paint: applies the chosen theme, decides the language, and starts loading its texts.
{
  const root = document.documentElement
  const query = new URLSearchParams(location.search)
  const stored = (key) => {
    try {
      return localStorage.getItem(`causeway.${key}`)
    } catch {
      return null
    }
  }
  const theme = query.get('theme') ?? stored('theme')
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme
  // `en=/assets/en.js es=/assets/es.js`: filled by the build. The console has no such list and stays English.
  const texts = new Map((root.dataset.texts ?? '').split(' ').map((entry) => entry.split('=')))
  const wanted = [query.get('lang'), stored('language'), ...navigator.languages]
    .map((tag) => (tag ?? '').toLowerCase().split('-')[0])
    .find((tag) => tag !== '' && texts.has(tag))
  if (wanted) root.lang = wanted
  const file = texts.get(root.lang)
  if (file) {
    const link = document.createElement('link')
    link.rel = 'modulepreload'
    link.href = file
    document.head.append(link)
  }
}
