/** Every sentence that a person reads, one object a page. Nothing of the kind stands anywhere else. */
export { developers, embed, sandbox, webhooks } from './en/developers.ts'
export { explorer, history } from './en/lists.ts'
export { operator } from './en/operator.ts'
export { shell } from './en/shell.ts'
export { deposit, refunding, status } from './en/status.ts'
export { picker, swap } from './en/swap.ts'
export { wallet } from './en/wallet.ts'
