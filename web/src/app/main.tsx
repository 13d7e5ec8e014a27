/** Starts the pages. */
import { render } from 'preact'
import { loadSite } from '../api/client.ts'
import { App } from './router.tsx'
import './tokens.css'
import './base.css'
import '../ui/ui.css'

const place = document.getElementById('app')
if (place) render(<App />, place)
void loadSite().catch(() => undefined)
