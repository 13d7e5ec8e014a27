// Runs before the first paint, so that a chosen theme never flashes.
try {
  const wanted = new URLSearchParams(location.search).get('theme') ?? localStorage.getItem('causeway.theme')
  if (wanted === 'light' || wanted === 'dark') document.documentElement.dataset.theme = wanted
} catch {}
