/** The public status page, in Spanish. */
import type { serviceStatus as English } from '../en/service-status.ts'
import { plural } from './plural.ts'

export const serviceStatus: typeof English = {
  title: 'Estado',
  allUp: 'Todas las redes funcionan',
  trouble: (count) => `${count} ${plural(count, 'red tiene', 'redes tienen')} un problema`,
  paused: 'Algunos intercambios están en pausa',
  unknown: 'Aún no se ha comprobado ninguna red',
  outOfDate: 'El estado no está actualizado',
  lead: 'Cada red se comprueba una vez por minuto. Una comprobación perdida cuenta como inactividad.',
  checked: (age) => `Comprobado ${age}.`,
  stale: (age) => `La última comprobación fue ${age}. Puede que el servicio esté caído.`,
  network: 'Red',
  state: 'Ahora',
  history: (days) => `Últimos ${days} días`,
  uptime: 'Disponibilidad',
  lastBlock: 'Último bloque',
  states: {
    up: 'Operativa',
    behind: 'Con retraso',
    down: 'No se puede leer',
    paused: 'En pausa',
    unknown: 'Sin comprobar',
  },
  day: (day, share) => `${day}: ${share}`,
  noData: (day) => `${day}: sin datos`,
  since: (day) => `Medido desde el ${day}.`,
  sinceDay: (day) => `Desde el ${day}`,
  routes: 'Estado de las rutas',
}
