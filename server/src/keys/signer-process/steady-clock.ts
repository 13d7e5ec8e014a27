/**
 * The time of the start plus the time that has passed since. Setting the machine's clock does not change it, so it
 * cannot empty the signer's hourly and daily limits while the signer runs.
 */
export function steadyNow(): Date {
  return new Date(performance.timeOrigin + performance.now())
}
