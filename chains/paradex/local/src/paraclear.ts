/**
 * Paraclear, simulated in TypeScript: trading balances with eight decimals over a token with six, socialized losses on
 * withdrawals, and a lockdown without deposits.
 */
import { balanceCell, type Contract, type LocalChain, named, Revert } from '@causeway/starknet-local'

const [DEPOSIT_FOR, DEPOSIT, WITHDRAW, BALANCE] = [
  named('deposit_on_behalf_of'),
  named('deposit'),
  named('withdraw'),
  named('getTokenAssetBalance'),
]
const [TRANSFER, TRANSFER_FROM] = [named('transfer'), named('transfer_from')]
const SCALE = 100n
const WHOLE = 10_000n

export interface Market {
  isLocked: boolean
  /** The part of a withdrawal that the exchange keeps to cover losses of its users, in ten-thousandths. */
  loss: bigint
}

const assetCell = (account: bigint) => `asset ${account}`

function paraclearContract(token: bigint, market: Market): Contract {
  return ({ cells, caller, self, call }, name, calldata) => {
    const deposit = (account: bigint, asked: bigint | undefined, amount = 0n): bigint[] => {
      if (market.isLocked) throw new Revert('Paraclear: lockdown')
      if (asked !== token || amount === 0n || amount % SCALE !== 0n) throw new Revert('Paraclear: invalid amount')
      call(token, TRANSFER_FROM, [caller, self, amount / SCALE, 0n])
      cells.set(assetCell(account), cells.get(assetCell(account)) + amount)
      return []
    }
    if (name === DEPOSIT_FOR) return deposit(calldata[0] ?? 0n, calldata[1], calldata[2])
    if (name === DEPOSIT) return deposit(caller, calldata[0], calldata[1])
    if (name === BALANCE) return [cells.get(assetCell(calldata[0] ?? 0n))]
    if (name !== WITHDRAW) throw new Revert('ENTRYPOINT_NOT_FOUND')
    const [asked, amount = 0n] = calldata
    const held = cells.get(assetCell(caller))
    if (asked !== token || held < amount) throw new Revert('Paraclear: insufficient collateral')
    cells.set(assetCell(caller), held - amount)
    call(token, TRANSFER, [caller, (amount * (WHOLE - market.loss)) / WHOLE / SCALE, 0n])
    return []
  }
}

/** Deploys Paraclear. It holds all users' money, except a little in the wallet for fees. */
export function openParaclear(chain: LocalChain, market: Market): void {
  const { paraclear = '0x0', riches = '0' } = chain.plan.more ?? {}
  const contract = BigInt(paraclear)
  chain.contracts.set(contract, paraclearContract(chain.feeToken, market))
  const { people } = chain.plan
  for (const { address } of people) chain.ledger.write(assetCell(BigInt(address)), BigInt(riches) * SCALE, 0)
  chain.ledger.write(balanceCell(chain.feeToken, contract), BigInt(riches) * BigInt(people.length), 0)
}
