/** Keccak-256, only for address checksums, so that no library is needed. */

const ROUNDS = 24
const MASK = 0xffffffffffffffffn
const ROTATIONS = [0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14].map(
  BigInt,
)
/** Bytes absorbed per block. */
const RATE = 136

export function keccak256(input: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((input.length + 1) / RATE) * RATE)
  padded.set(input)
  padded[input.length] = (padded[input.length] ?? 0) | 1
  padded[padded.length - 1] = (padded[padded.length - 1] ?? 0) | 0x80
  let state: bigint[] = new Array<bigint>(25).fill(0n)
  const view = new DataView(padded.buffer)
  for (let block = 0; block < padded.length; block += RATE) {
    state = permute(state.map((lane, at) => (at < RATE / 8 ? lane ^ view.getBigUint64(block + at * 8, true) : lane)))
  }
  const out = new DataView(new ArrayBuffer(32))
  for (let at = 0; at < 4; at++) out.setBigUint64(at * 8, state[at] ?? 0n, true)
  return new Uint8Array(out.buffer)
}

function permute(given: bigint[]): bigint[] {
  let state = given
  let register = 1
  for (let round = 0; round < ROUNDS; round++) {
    const lane = (x: number, y: number) => state[(x % 5) + 5 * (y % 5)] ?? 0n
    const columns = [0, 1, 2, 3, 4].map((x) => [0, 1, 2, 3, 4].reduce((sum, y) => sum ^ lane(x, y), 0n))
    const mixed = state.map(
      (value, at) => value ^ (columns[(at + 4) % 5] ?? 0n) ^ rotate(columns[(at + 1) % 5] ?? 0n, 1n),
    )
    const moved = new Array<bigint>(25).fill(0n)
    for (let x = 0; x < 5; x++)
      for (let y = 0; y < 5; y++)
        moved[y + 5 * ((2 * x + 3 * y) % 5)] = rotate(mixed[x + 5 * y] ?? 0n, ROTATIONS[x + 5 * y] ?? 0n)
    state = moved.map((value, at) => {
      const row = at - (at % 5)
      return value ^ (~(moved[row + ((at + 1) % 5)] ?? 0n) & MASK & (moved[row + ((at + 2) % 5)] ?? 0n))
    })
    let constant = 0n
    for (let bit = 0; bit < 7; bit++) {
      if (register & 1) constant ^= 1n << (2n ** BigInt(bit) - 1n)
      register = (register << 1) ^ (register & 0x80 ? 0x171 : 0)
    }
    state[0] = (state[0] ?? 0n) ^ constant
  }
  return state
}

function rotate(value: bigint, by: bigint): bigint {
  return ((value << by) | (value >> (64n - by))) & MASK
}
