/** A block as everybody names it: by its place and by its content. */
export interface BlockRef {
  number: bigint
  hash: string
}
