/** Errors of java-tron's HTTP API, and what they mean for us. The code is that of a broadcast's answer. */
import { classOfError, type ErrorClass, type ErrorRow, type NodeError, RATE_LIMITS } from '@causeway/chain-kit'

export const ERRORS: readonly ErrorRow[] = [
  {
    class: 'known',
    code: 'DUP_TRANSACTION_ERROR',
    origin: 'java-tron 4.8, Wallet.broadcastTransaction; some nodes remember transactions that they failed to accept',
    example: 'Dup transaction.',
  },
  {
    class: 'rate limited',
    text: /lack of computing resources/i,
    origin: 'java-tron 4.8, RateLimiterServlet: HTTP 200 with an Error',
    example: 'class java.lang.IllegalAccessException : lack of computing resources',
  },
  {
    class: 'rate limited',
    code: 'SERVER_BUSY',
    origin: 'java-tron 4.8, Wallet.broadcastTransaction: too many transactions wait',
    example: 'Server busy.',
  },
  {
    class: 'behind',
    code: 'NO_CONNECTION',
    origin: 'java-tron 4.8, Wallet.broadcastTransaction: the node has no peers',
    example: 'No connection.',
  },
  {
    class: 'behind',
    code: 'NOT_ENOUGH_EFFECTIVE_CONNECTION',
    origin: 'java-tron 4.8, Wallet.broadcastTransaction',
    example: 'No effective connection.',
  },
  {
    class: 'behind',
    code: 'BLOCK_UNSOLIDIFIED',
    origin: 'java-tron 4.8, Wallet.broadcastTransaction: the solid block is too far behind the head',
    example: 'Block unsolidified.',
  },
  {
    class: 'insufficient funds',
    text: /balance is not sufficient|account resource insufficient/i,
    origin: 'java-tron 4.8, TransferActuator.validate and Manager.consumeBandwidth',
    example: 'contract validate error : Validate TransferContract error, balance is not sufficient.',
  },
  {
    class: 'recipient refuses',
    text: /revert|opcode/i,
    origin: 'java-tron 4.8, Program: a contract that rejects the call',
    example: 'REVERT opcode executed',
  },
  ...RATE_LIMITS,
]

export function classOf(error: NodeError): ErrorClass {
  return classOfError(ERRORS, error)
}
