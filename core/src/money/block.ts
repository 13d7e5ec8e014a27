/** A block, named by its height and its hash. */
export interface BlockRef {
  number: bigint
  hash: string
}
