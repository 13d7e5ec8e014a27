/** The sample of the landing page, with names that this server lists. */
export interface Route {
  source_network: string
  source_token: string
  destination_network: string
  destination_token: string
}

export const RECIPIENT = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
export const AMOUNT = '0.1'
const PACKAGE = "'@causeway/sdk'"

export function asTypeScript(route: Route, baseUrl: string): string {
  return `import { createClient, verifyQuote } from ${PACKAGE}

const client = createClient({ baseUrl: '${baseUrl}' })

// 1. What would it deliver, and what does it cost?
const route = {
  source_network: '${route.source_network}', source_token: '${route.source_token}',
  destination_network: '${route.destination_network}', destination_token: '${route.destination_token}',
}
const { quote } = await client.quote({ ...route, amount: '${AMOUNT}' })

// 2. Create the swap and check its signature
const destination_address = '${RECIPIENT}'
const created = await client.createSwap({ ...route, amount: '${AMOUNT}', destination_address })
await verifyQuote(created, await client.wellKnown(), { destination_address, refund_address: null })

// 3. Follow it until it is done
const { swap } = await client.waitForSwap(created.swap.id)`
}
