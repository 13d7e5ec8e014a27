/** Finds the Chromium that this machine has. */
import { execFileSync } from 'node:child_process'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

export function findChrome(): string {
  const { CHROME } = process.env
  if (CHROME) return CHROME
  for (const name of NAMES) {
    try {
      return execFileSync('which', [name], { encoding: 'utf8' }).trim()
    } catch {
      // The next attempt.
    }
  }
  throw new Error('The journeys need Chromium: install it (Debian: apt-get install chromium), or name one in CHROME.')
}
