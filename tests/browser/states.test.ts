/**
 * Every state of the swap page, without serious accessibility faults, in both widths and themes. A real swap is
 * created, and the service's responses are altered on their way to the page, so that no state has to be waited for.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PATIENCE_MS, START_MS, type Stage, startStage } from './support/browser.ts'
import { BRIEFLY, faultsOf } from './support/faults.ts'
import { makeSwap, type Real, STATES, showAs } from './support/telling.ts'

let stage: Stage
let real: Real
beforeAll(async () => {
  stage = await startStage(['ETHEREUM_SEPOLIA', 'BASE_SEPOLIA'])
  real = await makeSwap(stage.url)
}, START_MS)
afterAll(() => stage?.stop())

test.each(STATES)(
  '%s: says so, and has no serious fault',
  async (_name, heading, says, told) => {
    const page = await stage.open()
    await showAs(page, stage.url, real, told)
    await page.goto(`${stage.url}/swap/${real.details.swap.id}`)
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    await page.getByText(says).first().waitFor()
    expect(await faultsOf(page, BRIEFLY)).toEqual([])
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 2,
)

test(
  'a service that does not answer is reported, and the page continues once it answers',
  async () => {
    const page = await stage.open()
    await page.route('**/api/v2/swaps/**', (route) => route.abort())
    await page.goto(`${stage.url}/swap/${real.details.swap.id}`)
    await page.getByText('The service isn’t answering. Trying again…').waitFor()
    expect(await faultsOf(page, BRIEFLY)).toEqual([])
    await page.unroute('**/api/v2/swaps/**')
    await page.getByRole('heading', { level: 1, name: 'Send 0.1 ETH on Ethereum Sepolia' }).waitFor()
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 2,
)
