/** Every text of the pages in Chinese. The types are those of the English texts. */

export { costs, deposit, exchanging, help, refunding } from './zh/deposit.ts'
export { developers, embed, sandbox, webhooks } from './zh/developers.ts'
export { explorer, history } from './zh/lists.ts'
export { serviceStatus } from './zh/service-status.ts'
export { shell } from './zh/shell.ts'
export { status } from './zh/status.ts'
export { picker, swap } from './zh/swap.ts'
export { units } from './zh/units.ts'
export { wallet } from './zh/wallet.ts'
