/** Starts the console. */
import { render } from 'preact'
import { findSeat, seat } from './calls.ts'
import { Console } from './console.tsx'
import '../../app/tokens.css'
import '../../app/base.css'
import '../../app/shell.css'
import '../../ui/ui.css'
import './operator.css'

await findSeat().catch(() => {
  seat.value = null
})
const place = document.getElementById('app')
if (place) render(<Console />, place)
