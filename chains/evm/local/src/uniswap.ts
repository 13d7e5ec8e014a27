/**
 * Real Uniswap V2 and V3 contracts on a local chain, from their published artifacts: deployment, pools with liquidity, and
 * trades that move a pool. A separate account deploys them in a fixed order, so their addresses are known beforehand.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import {
  type Abi,
  type Address,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  encodePacked,
  erc20Abi,
  getContractAddress,
  getCreate2Address,
  type Hex,
  isAddressEqual,
  keccak256,
  numberToHex,
  parseAbiParameters,
} from 'viem'

export type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>

/** The account that deploys and owns all liquidity. It needs no key: the local chain sends in its name. */
export const EXCHANGE_OWNER: Address = '0x00000000000000000000000000000000005eed01'

const ORDER = ['weth', 'factory2', 'router2', 'factory3', 'router3', 'quoter3', 'manager3'] as const
type Contract = (typeof ORDER)[number]

const FILES: Record<Contract | 'pair2' | 'pool3', string> = {
  weth: '@uniswap/v2-periphery/build/WETH9.json',
  factory2: '@uniswap/v2-core/build/UniswapV2Factory.json',
  router2: '@uniswap/v2-periphery/build/UniswapV2Router02.json',
  pair2: '@uniswap/v2-core/build/UniswapV2Pair.json',
  factory3: '@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json',
  router3: '@uniswap/v3-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json',
  quoter3: '@uniswap/v3-periphery/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json',
  manager3: '@uniswap/v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json',
  pool3: '@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json',
}

export const UNISWAP = Object.fromEntries(
  ORDER.map((name, nonce) => [name, getContractAddress({ from: EXCHANGE_OWNER, nonce: BigInt(nonce) })]),
) as Record<Contract, Address>

/** Gas for the largest deployment, the position manager. */
const DEPLOYMENT_GAS = 6_000_000n
const CALL_GAS = 8_000_000n
const OWNER_ETHER = 10n ** 24n
const FAR_FUTURE = 10n ** 12n
const DESCRIPTOR = '0x0000000000000000000000000000000000000001'

export interface V3Position {
  tickLower: number
  tickUpper: number
  amount0: bigint
  amount1: bigint
}

export type Uniswap = ReturnType<typeof uniswapOn>

/** Deploys all contracts. */
export async function deployUniswap(ask: Ask): Promise<Uniswap> {
  await ask('hardhat_impersonateAccount', [EXCHANGE_OWNER])
  await ask('hardhat_setBalance', [EXCHANGE_OWNER, numberToHex(OWNER_ETHER)])
  const { weth, factory2, factory3 } = UNISWAP
  const constructors: Record<Contract, unknown[]> = {
    weth: [],
    factory2: [EXCHANGE_OWNER],
    router2: [factory2, weth],
    factory3: [],
    router3: [factory3, weth],
    quoter3: [factory3, weth],
    manager3: [factory3, weth, DESCRIPTOR],
  }
  const uniswap = uniswapOn(ask)
  for (const name of ORDER) {
    const { abi, bytecode } = artifactOf(FILES[name])
    await uniswap.send({ data: encodeDeployData({ abi, bytecode, args: constructors[name] }), gas: DEPLOYMENT_GAS })
  }
  return uniswap
}

/** The deployed contracts of a chain, used by their owner. */
export function uniswapOn(ask: Ask) {
  const { weth, factory2, factory3, router2, router3, quoter3, manager3 } = UNISWAP
  const abis = new Map<string, Abi>()
  const abiOf = (name: keyof typeof FILES): Abi => {
    const abi = abis.get(name) ?? artifactOf(FILES[name]).abi
    abis.set(name, abi)
    return abi
  }

  async function send(request: { to?: Address; data: Hex; value?: bigint; gas?: bigint }): Promise<void> {
    const { value = 0n, gas = CALL_GAS, ...rest } = request
    const transaction = { from: EXCHANGE_OWNER, ...rest, value: numberToHex(value), gas: numberToHex(gas) }
    const hash = await ask('eth_sendTransaction', [transaction])
    const receipt = (await ask('eth_getTransactionReceipt', [hash])) as { status: Hex } | null
    if (receipt?.status !== '0x1') throw new Error(`a call of the exchange's owner failed: ${hash}`)
  }

  async function run(name: keyof typeof FILES, to: Address, functionName: string, args: unknown[], value = 0n) {
    await send({ to, data: encodeFunctionData({ abi: abiOf(name), functionName, args }), value })
  }

  async function view(name: keyof typeof FILES, to: Address, functionName: string, args: unknown[] = []) {
    const data = encodeFunctionData({ abi: abiOf(name), functionName, args })
    const answer = (await ask('eth_call', [{ to, data }, 'latest'])) as Hex
    return decodeFunctionResult({ abi: abiOf(name), functionName, data: answer })
  }

  async function token(contract: Address, functionName: 'transfer' | 'approve', to: Address, units: bigint) {
    await send({ to: contract, data: encodeFunctionData({ abi: erc20Abi, functionName, args: [to, units] }) })
  }

  return {
    send,
    view,
    run,
    /** Wraps ether for the owner, who provides all liquidity. */
    wrap: (units: bigint) => run('weth', weth, 'deposit', [], units),
    pair: async (one: Address, other: Address) =>
      (await view('factory2', factory2, 'getPair', [one, other])) as Address,
    pool: async (one: Address, other: Address, fee: number) =>
      (await view('factory3', factory3, 'getPool', [one, other, fee])) as Address,
    /** A V2 pool with these reserves. */
    async openV2(one: Address, other: Address, units: bigint, otherUnits: bigint): Promise<Address> {
      await run('factory2', factory2, 'createPair', [one, other])
      const pair = await this.pair(one, other)
      await token(one, 'transfer', pair, units)
      await token(other, 'transfer', pair, otherUnits)
      await run('pair2', pair, 'mint', [EXCHANGE_OWNER])
      return pair
    },
    /** A V3 pool at this price with these positions. `token0` is the token with the lower address. */
    async openV3(token0: Address, token1: Address, fee: number, sqrtPriceX96: bigint, positions: V3Position[]) {
      await run('manager3', manager3, 'createAndInitializePoolIfNecessary', [token0, token1, fee, sqrtPriceX96])
      for (const { tickLower, tickUpper, amount0, amount1 } of positions) {
        await token(token0, 'approve', manager3, amount0)
        await token(token1, 'approve', manager3, amount1)
        const amounts = { amount0Desired: amount0, amount1Desired: amount1, amount0Min: 0n, amount1Min: 0n }
        const range = { token0, token1, fee, tickLower, tickUpper }
        const mint = { ...range, ...amounts, recipient: EXCHANGE_OWNER, deadline: FAR_FUTURE }
        await run('manager3', manager3, 'mint', [mint])
      }
      return this.pool(token0, token1, fee)
    },
    /** Sells the owner's tokens into a V2 pool, which moves its price. */
    async sellV2(tokenIn: Address, tokenOut: Address, units: bigint): Promise<void> {
      await token(tokenIn, 'approve', router2, units)
      const args = [units, 0n, [tokenIn, tokenOut], EXCHANGE_OWNER, FAR_FUTURE]
      await run('router2', router2, 'swapExactTokensForTokens', args)
    },
    /** Sells into a V3 pool, up to a price if one is given. */
    async sellV3(tokenIn: Address, tokenOut: Address, fee: number, units: bigint, sqrtPriceLimitX96 = 0n) {
      await token(tokenIn, 'approve', router3, units)
      const trade = { tokenIn, tokenOut, fee, recipient: EXCHANGE_OWNER, deadline: FAR_FUTURE, amountIn: units }
      await run('router3', router3, 'exactInputSingle', [{ ...trade, amountOutMinimum: 0n, sqrtPriceLimitX96 }])
    },
    /** Takes the owner's liquidity out of a V2 pool. */
    async emptyV2(one: Address, other: Address): Promise<void> {
      const pair = await this.pair(one, other)
      const shares = (await view('pair2', pair, 'balanceOf', [EXCHANGE_OWNER])) as bigint
      if (shares === 0n) return
      await token(pair, 'transfer', pair, shares)
      await run('pair2', pair, 'burn', [EXCHANGE_OWNER])
    },
    /** Takes the owner's liquidity out of a V3 pool. */
    async emptyV3(one: Address, other: Address, fee: number): Promise<void> {
      const held = (await view('manager3', manager3, 'balanceOf', [EXCHANGE_OWNER])) as bigint
      for (let index = 0n; index < held; index++) {
        const tokenId = await view('manager3', manager3, 'tokenOfOwnerByIndex', [EXCHANGE_OWNER, index])
        const position = (await view('manager3', manager3, 'positions', [tokenId])) as readonly unknown[]
        const [, , token0, token1, positionFee, , , liquidity] = position
        const sides = [token0, token1] as [Address, Address]
        const isOfPool = sides.every((side) => isAddressEqual(side, one) || isAddressEqual(side, other))
        if (!isOfPool || positionFee !== fee || liquidity === 0n) continue
        const least = { amount0Min: 0n, amount1Min: 0n, deadline: FAR_FUTURE }
        await run('manager3', manager3, 'decreaseLiquidity', [{ tokenId, liquidity, ...least }])
      }
    },
    /** The contracts' own quotes. */
    async quoteV2(path: Address[], units: bigint): Promise<bigint> {
      const amounts = (await view('router2', router2, 'getAmountsOut', [units, path])) as bigint[]
      return amounts.at(-1) ?? 0n
    },
    async quoteV3(tokenIn: Address, tokenOut: Address, fee: number, units: bigint): Promise<bigint> {
      const asked = { tokenIn, tokenOut, fee, amountIn: units, sqrtPriceLimitX96: 0n }
      const [out] = (await view('quoter3', quoter3, 'quoteExactInputSingle', [asked])) as [bigint]
      return out
    },
  }
}

/** The address of a pool: the factory derives it from the tokens, and for V3 from the fee. */
export function poolAddress(kind: 'uniswap_v2' | 'uniswap_v3', one: Address, other: Address, fee: number): Address {
  const [token0, token1] = inPoolOrder(one, other)
  const [from, file, salted] =
    kind === 'uniswap_v2'
      ? ([UNISWAP.factory2, FILES.pair2, encodePacked(['address', 'address'], [token0, token1])] as const)
      : ([
          UNISWAP.factory3,
          FILES.pool3,
          encodeAbiParameters(parseAbiParameters('address, address, uint24'), [token0, token1, fee]),
        ] as const)
  const bytecodeHash = keccak256(artifactOf(file).bytecode)
  return getCreate2Address({ from, salt: keccak256(salted), bytecodeHash })
}

/** Uniswap sorts the two tokens of a pool by their addresses. */
export function inPoolOrder(one: Address, other: Address): [Address, Address] {
  return one.toLowerCase() < other.toLowerCase() ? [one, other] : [other, one]
}

/** The artifacts of the two versions were made by different tools. */
function artifactOf(file: string): { abi: Abi; bytecode: Hex } {
  const artifact = JSON.parse(readFileSync(createRequire(import.meta.url).resolve(file), 'utf8'))
  const code: string = artifact.bytecode?.object ?? artifact.bytecode ?? artifact.evm.bytecode.object
  return { abi: artifact.abi, bytecode: (code.startsWith('0x') ? code : `0x${code}`) as Hex }
}
