/** A comment as wallets put it into a message: one cell of four zero bytes and the text, in the standard bag of cells. */

/** Longer ones would need a second cell; ours is a number. */
const MOST_BYTES = 120

export function commentCell(text: string): string {
  const words = new TextEncoder().encode(text)
  if (words.length > MOST_BYTES) throw new RangeError('the comment is too long for one cell')
  const data = [0, 0, 0, 0, ...words]
  // Descriptors: no references; two for every whole byte.
  const cell = [0, data.length * 2, ...data]
  // Magic, flags (sizes in one byte), offsets in one byte, one cell, one root, none absent, length, root 0.
  const bag = [0xb5, 0xee, 0x9c, 0x72, 0x01, 0x01, 0x01, 0x01, 0x00, cell.length, 0x00, ...cell]
  return btoa(String.fromCharCode(...bag))
}
