/** A node that gets one call per request, with a bounded number of concurrent requests. */
import { type Call, type CallNode, callNode } from './calls.ts'
import type { Endpoint } from './json-rpc.ts'
import { semaphore } from './semaphore.ts'

export interface ParallelNodeOptions {
  timeoutMs: number
  /** Limit of concurrent requests: a backfill must not overload a node. */
  parallel: number
  /** Called for every request that is sent. */
  spent?: ((method: string) => void) | undefined
}

/** `post` sends one call and decodes its answer. */
export function parallelNode(
  url: string,
  { timeoutMs, parallel, spent }: ParallelNodeOptions,
  post: (endpoint: Endpoint, call: Call<unknown>) => Promise<unknown>,
): CallNode {
  const endpoint = { name: new URL(url).host, url, timeoutMs }
  const limited = semaphore(parallel)
  const send = (call: Call<unknown>) =>
    limited(() => {
      spent?.(call.method)
      return post(endpoint, call)
    })
  return callNode(endpoint.name, (calls) => Promise.all(calls.map(send)))
}
