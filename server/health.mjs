/**
 * For health checks of containers and units: exits with 0 if the process on this machine answers. Asks the internal port
 * of the service, or the signer's port with `node server/health.mjs signer`.
 */
const url =
  process.argv[2] === 'signer'
    ? `http://127.0.0.1:${process.env.SIGNER_PORT || 8790}/v1/health`
    : `http://127.0.0.1:${process.env.INTERNAL_PORT || 8081}/health`
const TIMEOUT_MS = 4_000

try {
  const { status } = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (status !== 200) throw new Error(`it answers ${status}`)
} catch (error) {
  console.error(`${url}: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
