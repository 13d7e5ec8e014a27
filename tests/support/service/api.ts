/**
 * The API over simulated chains and a real database, called in this process. Every success is checked against its
 * schema.
 */
import { Failure, Nothing } from '@causeway/sdk'
import type { FastifyInstance, InjectOptions } from 'fastify'
import type { z } from 'zod'
import { createApi } from '../../../server/src/api/server.ts'
import { startDatabase } from '../database/database.ts'
import { expectDescribed } from './openapi.ts'
import { startServices, type TestServices } from './services.ts'

export interface TestApi {
  server: FastifyInstance
  services: TestServices
  /** The response's data, which must have exactly this shape. */
  ask<Data extends z.ZodType>(shape: Data, request: InjectOptions | string): Promise<z.output<Data>>
  /** The response's error and status, which must be documented for this operation. */
  refuse(request: InjectOptions | string): Promise<Refusal>
  stop(): Promise<void>
}

interface Refusal {
  status: number
  code: string
  message: string
  metadata: Record<string, unknown>
}

export async function startApi(env: Record<string, string> = {}, now?: () => Date): Promise<TestApi> {
  const database = await startDatabase()
  const services = await startServices(database.url, env, now)
  const server = await createApi(services)
  return {
    server,
    services,
    async ask(shape, request) {
      const answer = await server.inject(request)
      if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}: ${answer.body}`)
      const { data, ...rest } = answer.json<{ data: unknown }>()
      Nothing.parse(rest)
      return shape.parse(data)
    },
    async refuse(request) {
      const answer = await server.inject(request)
      const { error } = Failure.parse(answer.json())
      const { url = '', method = 'GET' } = typeof request === 'string' ? { url: request } : request
      expectDescribed(method, String(url), answer.statusCode, error.code)
      return { status: answer.statusCode, ...error }
    },
    async stop() {
      await server.close()
      await services.stop()
      await database.stop()
    },
  }
}

export function post(url: string, payload: object): InjectOptions {
  return { method: 'POST', url, payload }
}
