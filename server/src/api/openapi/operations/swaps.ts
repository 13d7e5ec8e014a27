/** Creating a swap, reading it, and what its depositor may do. */
import { AMOUNT_CODES, type Operation, ROUTE_CODES } from './operation.ts'

const LISTED =
  "Newest first, 20 a page. By `address` (source, destination, refund or deposit address; up to 20), or by `reference_id`: a secret key finds its own app's, everybody else those that were made without a key. With neither, a secret key lists all swaps of its app, a public key gets `[]`, and without a key it is a 400. Expired swaps are left out unless `include_expired` or `statuses` asks for them. For accounting: `created_from`, `created_before`, `source_network` and `destination_network` narrow the list, `cursor` (the id of the last swap of a page) goes on after it without end, and `Accept: text/csv` answers a table, one line per swap."

export const swaps: Record<string, Operation> = {
  'POST /api/v2/swaps': {
    id: 'createSwap',
    tag: 'Swaps',
    summary: 'Make a swap, and learn what to deposit',
    description:
      'Fixes the terms and answers the swap, its quote and `deposit_actions`: what to send, where to, with which `call_data`. Nothing is taken before the deposit is sent. Send an `Idempotency-Key`: after a lost answer the same request then gets the same swap. `use_deposit_address` excludes `use_depository` and `use_gasless`. `deposit_actions` is empty where a node does not answer at this moment: ask `/swaps/{swapId}/deposit_actions` for them then.',
    codes: [
      ...ROUTE_CODES,
      ...AMOUNT_CODES,
      'INVALID_ADDRESS_ERROR',
      'REFUND_ADDRESS_REQUIRED',
      'BLACKLISTED_ADDRESS',
      'IDEMPOTENCY_KEY_REUSED',
    ],
    headers: ['IdempotencyKey'],
  },
  'GET /api/v2/swaps': {
    id: 'listSwaps',
    tag: 'Swaps',
    summary: "An address's, a reference's or an app's swaps",
    description: LISTED,
  },
  'GET /api/v2/swaps/{swapId}': {
    id: 'getSwap',
    tag: 'Swaps',
    summary: 'A swap, its quote and its transactions',
    description:
      "Whoever knows the id may read it. `status` says where it stands, `transactions` what happened on chain: `input` (the deposit), `output`, `refuel`, `refund`. Poll it every second or two with `exclude_deposit_actions=true`, or follow `/swaps/{swapId}/events`. `reference_id` is shown to the secret key of the swap's app, and to all where it was made without a key.",
    codes: ['NOT_FOUND'],
  },
  'GET /api/v2/swaps/{swapId}/deposit_actions': {
    id: 'getDepositActions',
    tag: 'Swaps',
    summary: 'What to deposit, and how',
    description:
      "Carry actions out in the order of `order`, each exactly as it says. `call_data` and `to_address` name the swap: changed, the deposit is nobody's. Where a family builds the transaction for its payer (Solana), `source_address` is needed here or at creation.",
    codes: ['NOT_FOUND', 'INVALID_ADDRESS_ERROR', 'UNSUPPORTED_DEPOSITORY'],
  },
  'GET /api/v2/swaps/{swapId}/progress': {
    id: 'getSwapProgress',
    tag: 'Swaps',
    summary: 'How far a swap is, against the usual time, and what it waits for',
    description:
      "For people who wait: the usual time of such swaps, until when quote and swap hold, why a payout waits, what is owed and whether an address for it is missing. Times are by the service's own clock, `now`.",
    codes: ['NOT_FOUND'],
  },
  'GET /api/v2/swaps/{swapId}/events': {
    id: 'streamSwap',
    tag: 'Swaps',
    summary: 'The swap as server-sent events, until it reaches a terminal state',
    description: [
      'A `text/event-stream`. Each event is named `swap`; its `data` is what `GET /swaps/{swapId}?exclude_deposit_actions=true` answers (`{"data": SwapDetails}`), its `id` the status. The first comes at once, the next with every change, also of a transaction; a comment line every 15 seconds keeps proxies from closing it. After a terminal status the stream ends.',
      "A browser's `EventSource` comes back after every end, with the last id in `Last-Event-ID`: where that is the terminal status that the swap still has, the answer is 204, which stops it. An address may hold 20 streams, a key more; one too many is a 429.",
    ].join('\n\n'),
    codes: ['NOT_FOUND'],
    content: 'text/event-stream',
    headers: ['LastEventId'],
  },
  'GET /api/v2/swaps/by_transaction_hash/{transactionHash}': {
    id: 'getSwapByTransactionHash',
    tag: 'Swaps',
    summary: 'The swap of a transaction',
    description:
      "By any transaction of the swap: its deposit, output, refuel or refund. In any case where the chain's hashes have none. A deposit is found once the service has seen it.",
    codes: ['NOT_FOUND'],
  },
  'POST /api/v2/swaps/{swapId}/deposit_speedup': {
    id: 'speedUpDeposit',
    tag: 'Swaps',
    summary: 'Name the deposit that was sent',
    description:
      'Has the named transaction looked at now instead of with the next blocks. It saves a moment and is never needed. The hash is not trusted: what counts is what the chain says.',
    codes: ['NOT_FOUND'],
  },
  'POST /api/v2/swaps/{swapId}/authorize': {
    id: 'authorizeDeposit',
    tag: 'Swaps',
    summary: 'Submit the authorization of a gasless deposit',
    description:
      'With the signature of `typed_data` of the deposit action whose `type` is `sign`, made by the swap\'s `source_address`. The service then sends the deposit and pays its gas. The answer\'s `status` is `initiated` where it is taken; `insufficient` (too little there: top up and hand in the same signature again) or `rejected` where not. A second signature is a 400 with the words "already authorized", a late one with "expired": then ask for the deposit actions again and have the fresh text signed.',
    codes: ['NOT_FOUND'],
  },
  'GET /api/v2/swaps/{swapId}/authorize': {
    id: 'getAuthorization',
    tag: 'Swaps',
    summary: 'What became of a gasless authorization',
    description:
      '`awaiting_signature` until a signature is handed in, `initiated` (taken), `published` (sent: `transaction` is there), `completed`, or `expired`, `insufficient`, `rejected`. A 404 for a swap without a gasless deposit.',
    codes: ['NOT_FOUND'],
  },
  'POST /api/v2/swaps/{swapId}/refund_address': {
    id: 'setRefundAddress',
    tag: 'Swaps',
    summary: 'Say where owed money shall go',
    description:
      "While money is owed (`pending_refund`, or what came to a swap after its end). Either by the secret key of the swap's own app, or by a `signature` of the address that sent the deposit over exactly the text that `/swaps/{swapId}/progress` shows as `refund.text_to_sign`. It is for deposits, not for the swap: by the key for all that is owed now, by a signature for what its signer sent; what comes later is owed until an address is given for it too. A refund that is ordered already is not sent elsewhere.",
    codes: ['NOT_FOUND', 'INVALID_ADDRESS_ERROR', 'BLACKLISTED_ADDRESS'],
  },
}
