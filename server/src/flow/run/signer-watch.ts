/** Alerts if the signer process, or the signing journal of this process, does not work: nothing is paid meanwhile. */
import { canSign } from '../../keys/orders/signing.ts'
import type { Services } from '../../services.ts'

/** Returns a function that is called every second. It logs each outage once, and its end. */
export function createSignerWatch(services: Services): () => void {
  const { log, metrics } = services
  let wasUp = true
  return () => {
    const isUp = canSign(services.signing, services.now())
    if (isUp === null) return
    metrics.signerUp.set(isUp ? 1 : 0)
    if (wasUp && !isUp) {
      metrics.alerts.inc()
      log.error({ since: services.signing.workedAt }, 'the signer does not work: nothing is paid')
    }
    if (!wasUp && isUp) log.info('the signer works again')
    wasUp = isUp
  }
}
