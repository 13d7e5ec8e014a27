/** The public health check: a 200 while the process runs. */
import type { Api } from '../../http/schema.ts'

export function healthRoutes(api: Api, prefix: string): void {
  api.get(`${prefix}/health`, async (_request, reply) => reply.status(200).send())
}
