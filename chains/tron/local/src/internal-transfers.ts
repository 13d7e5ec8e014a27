/** Which contracts sent coins in a transaction, from its execution trace. */

export interface StructLog {
  op: string
  depth: number
  stack: string[]
  gas: number | string
  gasCost: number | string
}

export interface InnerTransfer {
  from: string
  to: string
  value: bigint
  /** Whether its effect was reverted. */
  isRejected: boolean
}

interface Frame {
  address: string
  /** Transfers of this frame and of all frames that it called. */
  inside: InnerTransfer[]
}

/** The energy of the steps, before an EVM's refund for cleared storage: Tron has no such refund. */
export function energyOf(steps: readonly StructLog[]): bigint {
  const [first, last] = [steps[0], steps.at(-1)]
  return first && last ? BigInt(first.gas) - BigInt(last.gas) + BigInt(last.gasCost) : 0n
}

export function innerOf(to: string, steps: readonly StructLog[]): InnerTransfer[] {
  const found: InnerTransfer[] = []
  const frames: Frame[] = [{ address: to, inside: [] }]
  let called: Frame | null = null
  let depth = steps[0]?.depth ?? 1
  for (const step of steps) {
    if (step.depth > depth && called) frames.push(called)
    // A call to an address without code has no separate step: its frame ends where the next step begins.
    const ended: Frame[] =
      step.depth < depth ? frames.splice(step.depth - depth) : step.depth === depth && called ? [called] : []
    const [outermost] = ended
    if (outermost && BigInt(wordAt(step, 1)) === 0n) for (const transfer of outermost.inside) transfer.isRejected = true
    depth = step.depth
    called = null
    const here = frames.at(-1)
    if (!here) continue
    const target = `0x${wordAt(step, 2).slice(-40).padStart(40, '0')}`
    if (step.op === 'CALL') {
      const value = BigInt(wordAt(step, 3))
      const transfer = value > 0n ? { from: here.address, to: target, value, isRejected: false } : null
      if (transfer) found.push(transfer)
      for (const frame of frames) if (transfer) frame.inside.push(transfer)
      called = { address: target, inside: transfer ? [transfer] : [] }
    } else if (step.op === 'STATICCALL') called = { address: target, inside: [] }
    else if (step.op === 'DELEGATECALL') called = { address: here.address, inside: [] }
  }
  return found
}

/** The word at this distance from the stack's top, in hex with 0x. */
function wordAt({ stack }: StructLog, fromTop: number): string {
  const word = stack.at(-fromTop) ?? '0x0'
  return word.startsWith('0x') ? word : `0x${word}`
}
