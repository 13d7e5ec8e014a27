/** Whether this very server is a sandbox's: a sandbox adds its own routes to it. */
import type { Api } from './schema.ts'

export function isSandbox(server: Pick<Api, 'hasRoute'>): boolean {
  return server.hasRoute({ method: 'GET', url: '/sandbox/' })
}
