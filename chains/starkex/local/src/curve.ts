/**
 * The Stark curve, its Pedersen hash and signature verification, by the ledger's rules. Used only by the double and
 * written from the curve's constants: the adapter uses a library, and a mistake there is not repeated here.
 */
import { weierstrass } from '@noble/curves/abstract/weierstrass.js'

const P = 2n ** 251n + 17n * 2n ** 192n + 1n
export const ORDER = 0x800000000000010ffffffffffffffffb781126dcae7b2321e66a241adc64d2fn
const BETA = 0x6f21413efbe40de150e596d72f7a8c5609ad26c15c915c1f4cdfcb99cee9e89n

const Point = weierstrass({
  p: P,
  n: ORDER,
  h: 1n,
  a: 1n,
  b: BETA,
  Gx: 0x1ef15c18599971b7beced415a40f0c7deacfd9b0d1819e03d723d8bc943cfcan,
  Gy: 0x5668060aa49730b7be4801df46ec62de53ecd11abe43a32873000c36e8dc1fn,
})
type Point = typeof Point.BASE

const at = (x: bigint, y: bigint): Point => Point.fromAffine({ x, y })
const SHIFT = at(
  0x49ee3eba8c1600700ee1b87eb599f16716b0b1022947733551fde4050ca6804n,
  0x3ca0cfe4b3bc6ddf346d49d06ea0ed34e621062c0e056c1d0405d266e10268an,
)
/** Steps of the Pedersen hash: for the low 248 bits of the first number and its high four, then of the second. */
const STEPS = [
  at(
    0x234287dcbaffe7f969c748655fca9e58fa8120b6d56eb0c1080d17957ebe47bn,
    0x3b056f100f96fb21e889527d41f4e39940135dd7a6c94cc6ed0268ee89e5615n,
  ),
  at(
    0x4fa56f376c83db33f9dab2656558f3399099ec1de5e3018b7a6932dba8aa378n,
    0x3fa0984c931c9e38113e0c0e47e4401562761f92a7a23b45168f4e80ff5b54dn,
  ),
  at(
    0x4ba4cc166be8dec764910f75b45f74b40c690c74709e90f3aa372f0bd2d6997n,
    0x40301cf5c1751f4b971e46c4ede85fcac5c59a5ce5ae7c48151f27b24b219cn,
  ),
  at(
    0x54302dcb0e6cc1c6e44cca8f61a63bb2ca65048d53fb325d36ff12c49a58202n,
    0x1b77b3e37d13504b348046268d8ae25ce98ad783c25561a879dcc77e99c2426n,
  ),
]
const LOW_BITS = 248n
const LOW = (1n << LOW_BITS) - 1n

export function pedersenHash(a: bigint, b: bigint): bigint {
  for (const felt of [a, b]) if (felt < 0n || felt >= P) throw new RangeError('not an element of the field')
  const parts = [a & LOW, a >> LOW_BITS, b & LOW, b >> LOW_BITS]
  return parts.reduce((sum, part, place) => sum.add((STEPS[place] as Point).multiplyUnsafe(part)), SHIFT).toAffine().x
}

/** Whether the key signed the hash. Only one coordinate of the key is known, so either of two points may be meant. */
export function isSigned(key: bigint, hash: bigint, { r, s }: { r: bigint; s: bigint }): boolean {
  if (hash < 0n || hash >= 1n << 251n || r <= 0n || r >= 1n << 251n || s <= 0n || s >= ORDER) return false
  const point = pointAt(key)
  if (!point) return false
  const w = power(s, ORDER - 2n, ORDER)
  const ours = Point.BASE.multiplyUnsafe((hash * w) % ORDER)
  const theirs = point.multiplyUnsafe((r * w) % ORDER)
  return [ours.add(theirs), ours.subtract(theirs)].some((sum) => !sum.is0() && sum.toAffine().x % ORDER === r)
}

function pointAt(x: bigint): Point | null {
  try {
    return Point.fromHex(`02${x.toString(16).padStart(64, '0')}`)
  } catch {
    return null
  }
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n
  for (let square = base % modulus, left = exponent; left > 0n; left >>= 1n, square = (square * square) % modulus) {
    if (left & 1n) result = (result * square) % modulus
  }
  return result
}
