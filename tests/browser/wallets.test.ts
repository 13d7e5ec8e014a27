/** Scripted wallets: they send, decline, do not answer, or are on another network; and the page reports it. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PATIENCE_MS, START_MS, type Stage, startStage } from './support/browser.ts'
import { BRIEFLY, faultsOf } from './support/faults.ts'
import { connect, create, fillRoute } from './support/form.ts'
import { announceEvm, registerSolana, type Script } from './support/wallets.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage(['ETHEREUM_SEPOLIA', 'BASE_SEPOLIA', 'SOLANA_DEVNET'])
}, START_MS)
afterAll(() => stage?.stop())

const EVM = { from: 'ETH Ethereum', to: 'USDC Base', amount: '0.1' }
const SOLANA = { from: 'SOL Solana', to: 'USDC Base', amount: '2' }

/** Lets the local chain carry out the wallet's transaction, and returns its hash: the chain has the wallet's keys. */
async function depositFor(swapId: string): Promise<string> {
  const answer = await fetch(`${stage.url}/sandbox/deposit`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ swap_id: swapId }),
  })
  return (await answer.json()).data.transaction_hash
}

const accountOn = (network: string) => stage.sandbox.devnets.get(network)?.accounts[0]?.address ?? ''
const walletCalls = (page: Page) => page.evaluate(() => (window as unknown as { asked: string[] }).asked)

/** A minute later by the page's clock: the wallet was asked before. */
function letTimePass(): void {
  const asked: Record<string, { at: number }> = JSON.parse(localStorage.getItem('causeway.asked') ?? '{}')
  for (const mark of Object.values(asked)) mark.at -= 61_000
  localStorage.setItem('causeway.asked', JSON.stringify(asked))
}

async function openEvm(script: Omit<Script, 'address'>, sent: object[] = []) {
  const given = { address: accountOn('ETHEREUM_SEPOLIA'), ...script }
  const page = await stage.open({
    prepare: (fresh) =>
      announceEvm(fresh, given, async (transaction) => {
        sent.push(transaction)
        return depositFor(fresh.url().slice(-36))
      }),
  })
  await page.goto(stage.url)
  await fillRoute(page, EVM)
  await connect(page, /^Scripted$/)
  const id = await create(page)
  return { page, id }
}

describe('an EIP-6963 wallet', () => {
  test(
    'is found by its announcement, and sends exactly what the service signed',
    async () => {
      const sent: object[] = []
      const { page, id } = await openEvm({ does: 'send' }, sent)
      await page.getByRole('button', { name: 'Send 0.1 ETH with Scripted' }).click()
      await page.getByRole('heading', { level: 1, name: /^You received/ }).waitFor({ timeout: PATIENCE_MS })
      const { data } = await (await fetch(`${stage.url}/api/v2/swaps/${id}`)).json()
      const [action] = data.deposit_actions
      const { to, value, data: callData } = sent[0] as Record<string, string>
      expect({ to, value, callData }).toEqual({
        to: action.to_address,
        value: `0x${BigInt(action.amount_in_base_units).toString(16)}`,
        callData: action.call_data,
      })
      expect(sent).toHaveLength(1)
      stage.expectClean()
      await page.context().close()
    },
    PATIENCE_MS * 2,
  )

  test(
    'that declines is believed: nothing was sent, and it can be asked again',
    async () => {
      const { page } = await openEvm({ does: 'reject' })
      await page.getByRole('button', { name: /^Send 0.1 ETH/ }).click()
      await page.getByText('You declined in your wallet. Nothing was sent.').waitFor()
      await page.getByRole('button', { name: /^Send 0.1 ETH/, disabled: false }).waitFor()
      expect(await faultsOf(page, BRIEFLY)).toEqual([])
      await page.context().close()
    },
    PATIENCE_MS * 2,
  )

  test(
    'that does not answer may have sent: the page says so after a reload, and offers no second send',
    async () => {
      const { page } = await openEvm({ does: 'keep silent' })
      await page.getByRole('button', { name: /^Send 0.1 ETH/ }).click()
      await page.getByText(/^Confirm in Scripted/).waitFor()
      await page.reload()
      await page.getByText(/didn’t answer. It may have sent your deposit/).waitFor()
      expect(await page.getByRole('button', { name: /^Send/ }).count()).toBe(0)
      expect(await faultsOf(page, BRIEFLY)).toEqual([])
      const other = await page.context().newPage()
      await other.goto(page.url())
      await other.getByText(/didn’t answer. It may have sent your deposit/).waitFor()
      expect(await page.getByRole('button', { name: /shows no transaction/ }).count()).toBe(0)
      await page.evaluate(letTimePass)
      await page.reload()
      await page.getByRole('button', { name: /shows no transaction/ }).click()
      await page.getByRole('main').getByRole('button', { name: 'Connect wallet' }).waitFor()
      await page.context().close()
    },
    PATIENCE_MS * 2,
  )

  test(
    'on another network is asked to switch by the names of both, and sends nothing before',
    async () => {
      const sent: object[] = []
      const { page } = await openEvm({ does: 'send', chainId: '0x89' }, sent)
      await page.getByRole('button', { name: /^Send 0.1 ETH/ }).click()
      await page.getByText('Scripted is on Polygon. This swap starts on Ethereum Sepolia.').waitFor()
      expect(await faultsOf(page, BRIEFLY)).toEqual([])
      expect(sent).toEqual([])
      await page.getByRole('button', { name: 'Switch' }).click()
      await page.getByRole('heading', { level: 1, name: /^You received/ }).waitFor({ timeout: PATIENCE_MS })
      expect(await walletCalls(page)).toContain('wallet_switchEthereumChain')
      stage.expectClean()
      await page.context().close()
    },
    PATIENCE_MS * 2,
  )
})

describe('a wallet with a token that can be paid in other ways', () => {
  const none = async () => undefined
  const WITHOUT_GAS = {
    amount: 100,
    amount_in_base_units: '100000000',
    native_amount_in_base_units: '0',
    transfer_cost_in_base_units: '1000000000000000',
  }
  const TOKEN = { from: 'USDC Ethereum', to: 'ETH Base', amount: '30' }

  /** A wallet that supports everything: its keys are those of a test account, its node is the local chain. */
  async function openToken(sent: Record<string, string>[], method: RegExp, look: (page: Page) => Promise<void> = none) {
    const devnet = stage.sandbox.devnets.get('ETHEREUM_SEPOLIA')
    const [account] = devnet?.accounts ?? []
    const token = stage.sandbox.catalogue.network('ETHEREUM_SEPOLIA').tokens[0]
    if (!devnet || !account || !token) throw new Error('there is no such chain')
    const other = async (asked: string, params: unknown[]) => {
      if (asked === 'eth_signTypedData_v4') return devnet.sign?.(account, JSON.parse(String(params[1])))
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: asked, params })
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(devnet.nodes.ETHEREUM_SEPOLIA ?? '', { method: 'POST', headers, body })
      return (await answer.json()).result
    }
    const relay = async (transaction: object) => {
      const { to = '', data = '' } = transaction as Record<string, string>
      sent.push({ to, data })
      return devnet.deposit(account, token, { toAddress: to, units: 0n, callData: data })
    }
    const page = await stage.open({
      prepare: (fresh) => announceEvm(fresh, { address: account.address, does: 'send' }, relay, other),
    })
    await page.route('**/api/v2/balance?*', (route) => route.fulfill({ json: { data: WITHOUT_GAS } }))
    await page.goto(stage.url)
    await fillRoute(page, TOKEN)
    await connect(page, /^Scripted$/)
    await look(page)
    const id = await create(page, method)
    const { data } = await (await fetch(`${stage.url}/api/v2/swaps/${id}`)).json()
    return { page, id, action: data.deposit_actions[0] }
  }

  test(
    'allows the Depository exactly the amount, then deposits, each told as its step',
    async () => {
      const sent: Record<string, string>[] = []
      const { page, action } = await openToken(sent, /^Smart-contract wallet/)
      await page.getByRole('button', { name: 'Send 30 USDC with Scripted' }).click()
      await page.getByRole('heading', { level: 1, name: /^You received/ }).waitFor({ timeout: PATIENCE_MS })
      const word = (value: bigint) => value.toString(16).padStart(64, '0')
      const [, token, , amount] = action.encoded_args
      expect(BigInt(amount)).toBe(30_000_000n)
      expect(sent).toEqual([
        { to: token, data: `0x095ea7b3${word(BigInt(action.to_address))}${word(30_000_000n)}` },
        { to: action.to_address, data: action.call_data },
      ])
      stage.expectClean()
      await page.context().close()
    },
    PATIENCE_MS * 2,
  )

  test(
    'without gas signs once: the service sends, and a reload asks for no second signature',
    async () => {
      const sent: Record<string, string>[] = []
      const { page } = await openToken(sent, /gas-free/, async (form) => {
        await form.getByText('The network fee is about 0.001 ETH. Your wallet has 0 ETH.').waitFor()
        await form.getByRole('button', { name: 'Pay without gas' }).click()
        await form.getByText(/^The network fee is about/).waitFor({ state: 'detached' })
      })
      const taken = page.waitForResponse(
        (answer) => answer.request().method() === 'POST' && answer.url().endsWith('/authorize'),
      )
      await page.getByRole('button', { name: 'Sign for 30 USDC with Scripted' }).click()
      expect((await taken).status()).toBe(200)
      await page.reload()
      await page.getByRole('heading', { level: 1, name: /^You received/ }).waitFor({ timeout: PATIENCE_MS })
      expect(await walletCalls(page)).not.toContain('eth_signTypedData_v4')
      expect(sent).toEqual([])
      stage.expectClean()
      await page.context().close()
    },
    PATIENCE_MS * 2,
  )
})

describe('a wallet of the Wallet Standard', () => {
  async function openSolana(script: Omit<Script, 'address'>, sent: string[] = []) {
    const given = { address: accountOn('SOLANA_DEVNET'), ...script }
    const page = await stage.open({
      prepare: (fresh) =>
        registerSolana(fresh, given, async (base64) => {
          sent.push(base64)
          await depositFor(fresh.url().slice(-36))
          return Buffer.alloc(64, 7).toString('base64')
        }),
    })
    await page.goto(stage.url)
    await fillRoute(page, SOLANA)
    await connect(page, /^Scripted Solana$/)
    await page
      .getByRole('button', { name: /^Use a test address/ })
      .first()
      .click()
    const id = await create(page)
    return { page, id }
  }

  test(
    'gets our bytes unchanged, and the swap completes',
    async () => {
      const sent: string[] = []
      const { page } = await openSolana({ does: 'send' }, sent)
      await page.getByRole('button', { name: 'Send 2 SOL with Scripted Solana' }).click()
      await page.getByRole('heading', { level: 1, name: /^You received/ }).waitFor({ timeout: PATIENCE_MS })
      expect(sent).toHaveLength(1)
      expect(Buffer.from(sent[0] ?? '', 'base64').length).toBeGreaterThan(100)
      stage.expectClean()
      await page.context().close()
    },
    PATIENCE_MS * 2,
  )

  test(
    'that declines is believed',
    async () => {
      const { page } = await openSolana({ does: 'reject' })
      await page.getByRole('button', { name: /^Send 2 SOL/ }).click()
      await page.getByText('You declined in your wallet. Nothing was sent.').waitFor()
      await page.context().close()
    },
    PATIENCE_MS * 2,
  )

  test(
    'that does not answer may have sent: the page says so after a reload and in another tab',
    async () => {
      const sent: string[] = []
      const { page } = await openSolana({ does: 'keep silent' }, sent)
      await page.getByRole('button', { name: /^Send 2 SOL/ }).click()
      await page.getByText(/^Confirm in Scripted Solana/).waitFor()
      await page.reload()
      await page.getByText(/^Scripted Solana didn’t answer. It may have sent your deposit/).waitFor()
      const other = await page.context().newPage()
      await other.goto(page.url())
      await other.getByText(/didn’t answer. It may have sent your deposit/).waitFor()
      for (const tab of [page, other]) {
        expect(await tab.getByRole('button', { name: /^Send/ }).count()).toBe(0)
        expect(await tab.getByRole('button', { name: /shows no transaction/ }).count()).toBe(0)
      }
      await page.evaluate(letTimePass)
      await page.reload()
      await page.getByRole('button', { name: /shows no transaction/ }).click()
      await page.getByRole('main').getByRole('button', { name: 'Connect wallet' }).waitFor()
      expect(sent).toEqual([])
      stage.expectClean()
      await page.context().close()
    },
    PATIENCE_MS * 2,
  )

  test(
    'of another cluster is reported, and gets nothing to sign',
    async () => {
      const sent: string[] = []
      const { page } = await openSolana({ does: 'send', chainId: 'solana:mainnet' }, sent)
      await page.getByRole('button', { name: /^Send 2 SOL/ }).click()
      const told =
        'Scripted Solana is on mainnet. This swap starts on Solana Devnet. Change it in Scripted Solana, then send again.'
      await page.getByText(told).waitFor()
      expect(await page.getByRole('button', { name: 'Switch' }).count()).toBe(0)
      expect(sent).toEqual([])
      await page.context().close()
    },
    PATIENCE_MS * 2,
  )
})
