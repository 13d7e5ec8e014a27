/** Networks, tokens, exchanges, addresses and transactions. */
import type { Operation } from './operation.ts'

export const discovery: Record<string, Operation> = {
  'GET /api/v2/networks': {
    id: 'listNetworks',
    tag: 'Discovery',
    summary: 'Every network and its tokens',
    description:
      'All that the operator lists, whether or not it can be swapped now. For what can, ask `/sources` and `/destinations`. Store contracts, not symbols: symbols are labels and may change.',
  },
  'GET /api/v2/sources': {
    id: 'listSources',
    tag: 'Discovery',
    summary: 'Tokens that can be swapped from',
    description:
      'With `destination_network` and `destination_token`: what can be swapped into that token. Without them: what can be swapped into anything. Only tokens with the status `active`, unless `include_unavailable` or `include_unmatched` asks for others.',
    codes: ['ROUTE_NOT_FOUND_ERROR'],
  },
  'GET /api/v2/destinations': {
    id: 'listDestinations',
    tag: 'Discovery',
    summary: 'Tokens that can be swapped into',
    description:
      'With `source_network` and `source_token`: what that token can be swapped into. Without them: what anything can be swapped into. `refuel` of a token says what a refuel beside it would be.',
    codes: ['ROUTE_NOT_FOUND_ERROR'],
  },
  'GET /api/v2/transaction_status': {
    id: 'getTransactionStatus',
    tag: 'Discovery',
    summary: 'What a chain says of a transaction',
    description:
      'Asks a node of the network and waits for it for at most five seconds. `completed` means as deep as the largest amounts need. A node that does not answer in time is a 404 too: ask again. It says nothing about a swap; for that there is `/swaps/by_transaction_hash/{transactionHash}`.',
    codes: ['NOT_FOUND'],
  },
  'GET /api/v2/address': {
    id: 'checkAddress',
    tag: 'Discovery',
    summary: 'What an address is, before anything is sent there',
    description:
      'Whether the text is an address of the network, in which form the network writes it, whether the service pays there, and whether it is a contract. For a form that helps while a person types; `POST /swaps` checks all of it again.',
    codes: ['NOT_FOUND'],
  },
  'GET /api/v2/balance': {
    id: 'getBalance',
    tag: 'Discovery',
    summary: 'What an address holds, and what sending costs',
    description:
      'For a "Max" button: `amount_in_base_units` less `transfer_cost_in_base_units` where the token is the native one. Asks a node, and answers for five seconds with what it said.',
    codes: ['NOT_FOUND', 'INVALID_ADDRESS_ERROR', 'SERVICE_STARTING'],
  },
  'GET /api/v2/source_exchanges': {
    id: 'listSourceExchanges',
    tag: 'Discovery',
    summary: 'Exchanges to deposit from',
    description:
      'Names for `source_exchange` and `destination_exchange` of a swap. `[]` where the operator lists none.',
  },
  'GET /api/v2/exchange_withdrawal_networks': {
    id: 'listWithdrawalNetworks',
    tag: 'Discovery',
    summary: 'Where exchanges pay out to',
    description:
      'The networks and tokens that exchanges, or the one that is named, withdraw to. Into a named token: the same token first, then the cheapest. `[]` where none are listed.',
  },
}
