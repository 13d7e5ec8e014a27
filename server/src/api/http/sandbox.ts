/** Whether this server is a sandbox: a sandbox adds its own routes. */
import type { Api } from './schema.ts'

export function isSandbox(server: Pick<Api, 'hasRoute'>): boolean {
  return server.hasRoute({ method: 'GET', url: '/sandbox/' })
}
