declare module 'autocannon' {
  interface Result {
    /** In seconds. */
    duration: number
    requests: { total: number }
    latency: { p50: number; p99: number }
    throughput: { total: number }
    non2xx: number
    errors: number
  }
  interface Request {
    method: string
    path: string
    body?: string
    headers?: Record<string, string>
  }
  export default function autocannon(options: {
    url: string
    connections: number
    duration: number
    requests: Request[]
    /** Called for each connection before its first request. */
    setupClient?(client: { setRequests(requests: Request[]): void }): void
  }): Promise<Result>
}
