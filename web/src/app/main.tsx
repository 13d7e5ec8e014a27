/** Starts the pages. A first visit waits a moment for the site info, so that the header does not jump. */
import './styles.ts'
import { render } from 'preact'
import { loadSite, site } from '../api/client.ts'
import { App } from './router.tsx'

const MOMENT_MS = 400

const asked = loadSite().catch(() => null)
if (!site.value) await Promise.race([asked, new Promise((resolve) => setTimeout(resolve, MOMENT_MS))])
const place = document.getElementById('app')
if (place) render(<App />, place)
