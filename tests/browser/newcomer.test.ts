/** A newcomer's first swap: with clicks only, using the wallet that the sandbox provides, across families. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PATIENCE_MS, START_MS, type Stage, startStage } from './support/browser.ts'
import { connect, create, fillRoute } from './support/form.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage(['ETHEREUM_SEPOLIA', 'BASE_SEPOLIA', 'BITCOIN_TESTNET', 'SOLANA_DEVNET', 'TON_TESTNET'])
}, START_MS)
afterAll(() => stage?.stop())

test.each([
  { from: 'ETH Ethereum', to: 'BTC Bitcoin', amount: '0.1', network: 'BITCOIN_TESTNET', token: 'BTC' },
  { from: 'SOL Solana', to: 'USDC Base', amount: '2', network: 'BASE_SEPOLIA', token: 'USDC' },
  { from: 'TON TON', to: 'SOL Solana', amount: '40', network: 'SOLANA_DEVNET', token: 'SOL' },
])(
  '$from for $to by clicks alone: what was promised is at the address',
  async (route) => {
    const page = await stage.open()
    await page.goto(stage.url)
    await fillRoute(page, route)
    await connect(page, /Test wallet/)
    await page
      .getByRole('button', { name: /^Use a test address/ })
      .first()
      .click()
    const recipient = await page.getByLabel(/^Recipient address/).inputValue()
    const id = await create(page)
    await page.getByRole('button', { name: /^Send .* Test wallet/ }).click()
    await page.getByRole('heading', { level: 1, name: /^You received/ }).waitFor({ timeout: PATIENCE_MS })
    const told = await (await fetch(`${stage.url}/api/v2/swaps/${id}`)).json()
    expect(told.data.swap.status).toBe('completed')
    const query = new URLSearchParams({ network: route.network, token: route.token, address: recipient })
    const held = await (await fetch(`${stage.url}/sandbox/balance?${query}`)).json()
    expect(held.data.amount).toBeGreaterThanOrEqual(told.data.quote.min_receive_amount)
    await page.getByRole('heading', { name: 'Receipt', exact: true }).waitFor()
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 3,
)
