/** A Bitcoin deposit that cannot be refunded automatically: only the sender's wallet may sign the refund address. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PATIENCE_MS, START_MS, type Stage, startStage } from './support/browser.ts'
import { connect, create, fillRoute } from './support/form.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage(['BITCOIN_TESTNET', 'BASE_SEPOLIA'])
}, START_MS)
afterAll(() => stage?.stop())

/** Injected as older wallets do it. */
async function injectBitcoin(page: Page, address: string, sign: (text: string) => Promise<string>): Promise<void> {
  await page.exposeFunction('signedBitcoin', sign)
  await page.addInitScript((own: string) => {
    const window_ = window as unknown as { signedBitcoin(text: string): Promise<string> }
    const accounts = async () => [own]
    const unisat = {
      requestAccounts: accounts,
      getAccounts: accounts,
      sendBitcoin: async () => '',
      signMessage: (text: string) => window_.signedBitcoin(text),
    }
    Object.assign(window, { unisat })
  }, address)
}

async function post(path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(stage.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(answer.status).toBe(200)
}

test(
  'a signature of another key is refused, and that of the sender sets the refund address',
  async () => {
    const devnet = stage.sandbox.devnets.get('BITCOIN_TESTNET')
    const [account, stranger, third] = devnet?.accounts ?? []
    if (!devnet?.signText || !account || !stranger || !third) throw new Error('there is no such chain')
    const signed: string[] = []
    let signer = stranger
    const page = await stage.open({
      prepare: (fresh) =>
        injectBitcoin(fresh, account.address, async (text) => {
          signed.push(text)
          return (await devnet.signText?.(signer, text)) ?? ''
        }),
    })
    await page.goto(stage.url)
    await fillRoute(page, { from: 'BTC Bitcoin', to: 'USDC Base', amount: '0.01' })
    await page
      .getByRole('button', { name: /^Use a test address/ })
      .first()
      .click()
    const id = await create(page, /deposit address/)
    await page.locator('[data-deposit-address]').waitFor()
    const ends = {
      ...{ source_network: 'BITCOIN_TESTNET', source_token: 'BTC', use_deposit_address: 'true' },
      ...{ destination_network: 'BASE_SEPOLIA', destination_token: 'USDC' },
    }
    const limits = await (await fetch(`${stage.url}/api/v2/limits?${new URLSearchParams(ends)}`)).json()
    await post('/sandbox/deposit', { swap_id: id, amount: (limits.data.max_amount * 1.1).toFixed(6) })
    await page
      .getByRole('heading', { level: 1, name: 'Where should we send your refund?' })
      .waitFor({ timeout: PATIENCE_MS })
    await connect(page, /^UniSat$/)
    await page.getByLabel(/^Your Bitcoin .*address/).fill(third.address)
    const give = page.getByRole('button', { name: 'Sign and get refund' })
    await give.click()
    await page.getByText(/is not of the address that sent the deposit/).waitFor()
    signer = account
    await give.click()
    await page.getByRole('heading', { level: 1, name: 'Refunded' }).waitFor({ timeout: PATIENCE_MS })
    expect(signed).toHaveLength(2)
    expect(signed[1]).toContain(third.address)
    const told = await (await fetch(`${stage.url}/api/v2/swaps/${id}`)).json()
    const back = told.data.swap.transactions.find(({ type }: { type: string }) => type === 'refund')
    expect(back.to).toBe(third.address)
    stage.expectClean()
    await page.context().close()
  },
  PATIENCE_MS * 4,
)
