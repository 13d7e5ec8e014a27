/**
 * A small part of Fuel's virtual machine, written from the specification: enough for scripts that call the watchdog,
 * for the watchdog itself, and for attacks on either. Gas is counted, but not at the prices of a real network.
 */
import { digest, hex, words } from './codec.ts'

export interface Receipt {
  receiptType: string
  [field: string]: string | null
}

export interface Run {
  result: 'success' | 'revert' | 'panic'
  gasUsed: bigint
  receipts: Receipt[]
  /** The remaining balance of each asset after the script. */
  balances: Map<string, bigint>
  /** Payments into variable outputs, by output index. */
  paid: Map<number, { to: string; amount: bigint; asset: string }>
  /** The return value; null if the script ended before it returned. */
  returned: bigint | null
}

export interface Program {
  code: Buffer
  /** The address of the code in memory, and the memory before it starts. */
  start: number
  memory: Buffer
  stack: number
  gasLimit: bigint
  contracts: ReadonlyMap<string, Buffer>
  /** Contracts that the transaction names among its inputs. */
  inputs: ReadonlySet<string>
  /** Indexes of outputs that a script may fill. */
  variables: ReadonlySet<number>
  balances: ReadonlyMap<string, bigint>
}

const [ZERO, ONE, PC, SSP, SP, FP, GGAS, CGAS, BAL, IS, RET] = [0, 1, 3, 4, 5, 6, 9, 10, 11, 12, 13]
const FRAME = { asset: 32, registers: 64, codeSize: 576, first: 584, second: 592, code: 600 }
/** The gas of every instruction, and the extra gas of a few. */
const [STEP, CALLING, RETURNING] = [10n, 300n, 720n]

class Panic extends Error {
  readonly reason: number
  constructor(reason: number) {
    super(`panic ${reason}`)
    this.reason = reason
  }
}
const REASON = { revert: 1, outOfGas: 2, memory: 4, output: 13, notEnough: 14, notInInputs: 27, instruction: 36 }

export function run(program: Program): Run {
  const { memory, contracts, inputs, variables } = program
  const r: bigint[] = Array.from({ length: 64 }, () => 0n)
  const reg = (index: number): bigint => r[index] ?? 0n
  const frames: { contract: string | null; registers: bigint[] }[] = [{ contract: null, registers: [] }]
  const receipts: Receipt[] = []
  const balances = new Map(program.balances)
  const paid: Run['paid'] = new Map()
  let returned: bigint | null = null
  let gasLeft = program.gasLimit
  r[ONE] = 1n
  r[PC] = r[IS] = BigInt(program.start)
  r[SSP] = r[SP] = BigInt(program.stack)

  const contractNow = () => frames.at(-1)?.contract ?? null
  const place = () => ({ pc: String(reg(PC)), is: String(reg(IS)) })
  const spend = (gas: bigint) => {
    if (gas > gasLeft) throw new Panic(REASON.outOfGas)
    gasLeft -= gas
    r[GGAS] = r[CGAS] = gasLeft
  }
  const bytes = (at: bigint, length: bigint): Buffer => {
    if (at + length > memory.length) throw new Panic(REASON.memory)
    return memory.subarray(Number(at), Number(at + length))
  }
  /** A program may write to its own stack only. */
  const owned = (at: bigint, length: bigint): Buffer => {
    if (at < reg(SSP) || at + length > reg(SP)) throw new Panic(REASON.memory)
    return bytes(at, length)
  }
  const set = (index: number, value: bigint) => {
    if (index < 16) throw new Panic(REASON.instruction)
    r[index] = BigInt.asUintN(64, value)
  }

  /** Ends a call; true if the whole script has ended. */
  function leave(receipt: Receipt, value: bigint): boolean {
    receipts.push(receipt)
    const frame = frames.pop()
    if (frames.length === 0) {
      returned = value
      return true
    }
    const kept = frame?.registers ?? []
    for (let index = 0; index < 64; index++) r[index] = kept[index] ?? 0n
    r[GGAS] = r[CGAS] = gasLeft
    r[RET] = value
    return false
  }

  function call(a: number, b: number, c: number): void {
    spend(CALLING)
    const target = bytes(reg(a), 48n)
    const to = hex(target.subarray(0, 32))
    const asset = Buffer.from(bytes(reg(c), 32n))
    const code = contracts.get(to)
    if (!inputs.has(to) || !code) throw new Panic(REASON.notInInputs)
    const amount = reg(b)
    const held = balances.get(hex(asset)) ?? 0n
    if (amount > held) throw new Panic(REASON.notEnough)
    if (amount > 0n) balances.set(hex(asset), held - amount)
    const [first, second] = [target.readBigUInt64BE(32), target.readBigUInt64BE(40)]
    receipts.push({
      ...{ receiptType: 'CALL', id: contractNow(), to, amount: String(amount), assetId: hex(asset) },
      ...{ gas: String(gasLeft), param1: String(first), param2: String(second), ...place() },
    })
    const kept = [...r]
    kept[PC] = reg(PC) + 4n
    frames.push({ contract: to, registers: kept })
    const base = Number(reg(SP))
    const size = Math.ceil(code.length / 8) * 8
    if (base + FRAME.code + size > memory.length) throw new Panic(REASON.memory)
    memory.set(target.subarray(0, 32), base)
    memory.set(asset, base + FRAME.asset)
    memory.set(words(...kept), base + FRAME.registers)
    memory.set(words(code.length, first, second), base + FRAME.codeSize)
    memory.set(code, base + FRAME.code)
    r[FP] = BigInt(base)
    r[SSP] = r[SP] = BigInt(base + FRAME.code + size)
    r[PC] = r[IS] = BigInt(base + FRAME.code)
    r[BAL] = amount
  }

  function step(): boolean {
    const word = bytes(reg(PC), 4n).readUInt32BE()
    const [a, b, c, d] = [(word >>> 18) & 63, (word >>> 12) & 63, (word >>> 6) & 63, word & 63]
    const imm12 = BigInt(word & 0xfff)
    const imm18 = BigInt(word & 0x3ffff)
    spend(STEP)
    switch (word >>> 24) {
      case 0x10:
        set(a, reg(b) + reg(c))
        break
      case 0x1a:
        set(a, reg(b))
        break
      case 0x24:
        spend(RETURNING)
        if (leave({ receiptType: 'RETURN', id: contractNow(), val: String(reg(a)), ...place() }, reg(a))) return true
        return false
      case 0x25: {
        const data = bytes(reg(a), reg(b))
        const told = { ptr: String(reg(a)), len: String(reg(b)), digest: hex(digest(data)), data: hex(data) }
        return leave({ receiptType: 'RETURN_DATA', id: contractNow(), ...told, ...place() }, reg(a))
      }
      case 0x28:
        owned(reg(a), reg(c)).set(bytes(reg(b), reg(c)))
        break
      case 0x2d:
        call(a, b, c)
        return false
      case 0x33: {
        const [ra, rb, rc, rd] = [a, b, c, d].map((index) => String(reg(index)))
        receipts.push({
          ...{ receiptType: 'LOG', id: contractNow(), ra: ra ?? '0', rb: rb ?? '0', rc: rc ?? '0', rd: rd ?? '0' },
          ...place(),
        })
        break
      }
      case 0x34: {
        const data = bytes(reg(c), reg(d))
        const told = { ptr: String(reg(c)), len: String(reg(d)), digest: hex(digest(data)), data: hex(data) }
        receipts.push({
          ...{ receiptType: 'LOG_DATA', id: contractNow(), ra: String(reg(a)), rb: String(reg(b)), ...told },
          ...place(),
        })
        break
      }
      case 0x36:
        receipts.push({ receiptType: 'REVERT', id: contractNow(), ra: String(reg(a)), ...place() })
        throw new Panic(REASON.revert)
      case 0x3d: {
        const [to, asset] = [hex(bytes(reg(a), 32n)), hex(bytes(reg(d), 32n))]
        const [output, amount] = [Number(reg(b)), reg(c)]
        const held = balances.get(asset) ?? 0n
        if (!variables.has(output) || paid.has(output)) throw new Panic(REASON.output)
        if (amount > held || amount === 0n) throw new Panic(REASON.notEnough)
        balances.set(asset, held - amount)
        paid.set(output, { to, amount, asset })
        const told = { toAddress: to, amount: String(amount), assetId: asset }
        receipts.push({ receiptType: 'TRANSFER_OUT', id: contractNow(), ...told, ...place() })
        break
      }
      case 0x47:
        break
      case 0x50:
        set(a, reg(b) + imm12)
        break
      case 0x5d:
        set(a, bytes(reg(b) + imm12 * 8n, 8n).readBigUInt64BE())
        break
      case 0x5f:
        owned(reg(a) + imm12 * 8n, 8n).writeBigUInt64BE(reg(b))
        break
      case 0x72:
        set(a, imm18)
        break
      case 0x91:
        r[SP] = reg(SP) + BigInt(word & 0xffffff)
        break
      default:
        throw new Panic(REASON.instruction)
    }
    r[PC] = reg(PC) + 4n
    return false
  }

  const end = (result: Run['result']): Run => {
    const gasUsed = program.gasLimit - gasLeft
    const code = { success: '0', revert: '1', panic: '2' }[result]
    receipts.push({ receiptType: 'SCRIPT_RESULT', id: null, result: code, gasUsed: String(gasUsed) })
    return { result, gasUsed, receipts, balances, paid, returned }
  }
  if (r[ZERO] !== 0n) throw new Error('unreachable')
  try {
    if (program.code.length === 0) return end('success')
    while (!step());
    return end('success')
  } catch (error) {
    if (!(error instanceof Panic)) throw error
    if (error.reason === REASON.revert) return end('revert')
    // A panic's code: the reason in the highest byte, the instruction below it.
    const reason = String(BigInt(error.reason) << 56n)
    receipts.push({ receiptType: 'PANIC', id: contractNow(), reason, ...place() })
    return end('panic')
  }
}

const FIELDS: Record<string, readonly [number, ...string[]]> = {
  CALL: [0, 'id', 'to', 'amount', 'assetId', 'gas', 'param1', 'param2', 'pc', 'is'],
  RETURN: [1, 'id', 'val', 'pc', 'is'],
  RETURN_DATA: [2, 'id', 'ptr', 'len', 'digest', 'pc', 'is'],
  PANIC: [3, 'id', 'reason', 'pc', 'is'],
  REVERT: [4, 'id', 'ra', 'pc', 'is'],
  LOG: [5, 'id', 'ra', 'rb', 'rc', 'rd', 'pc', 'is'],
  LOG_DATA: [6, 'id', 'ra', 'rb', 'ptr', 'len', 'digest', 'pc', 'is'],
  TRANSFER_OUT: [8, 'id', 'toAddress', 'amount', 'assetId', 'pc', 'is'],
  SCRIPT_RESULT: [9, 'result', 'gasUsed'],
}
const AS_BYTES = new Set(['id', 'to', 'toAddress', 'assetId', 'digest'])

/** A receipt as encoded for the receipts root: data is represented by its digest. */
export function receiptBytes(receipt: Receipt): Buffer {
  const [number, ...names] = FIELDS[receipt.receiptType] ?? [255]
  const parts = names.map((name) => {
    const value = receipt[name] ?? null
    if (!AS_BYTES.has(name)) return words(BigInt(value ?? 0))
    return value === null ? Buffer.alloc(32) : Buffer.from(value.slice(2), 'hex')
  })
  return Buffer.concat([words(number), ...parts])
}
