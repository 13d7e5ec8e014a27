/** Starts the console. */
import '../../app/styles.ts'
import '../../app/shell.css'
import { render } from 'preact'
import { findSeat, seat } from './calls.ts'
import { Console } from './console.tsx'
import './operator.css'

await findSeat().catch(() => {
  seat.value = null
})
const place = document.getElementById('app')
if (place) render(<Console />, place)
