/** Singular or plural, by the rules of this language. Each language has its own: its file imports nothing of the pages. */
const rules = new Intl.PluralRules('en')

export function plural(count: number, one: string, other: string): string {
  return rules.select(count) === 'one' ? one : other
}

/** A name with its article: “a Base Sepolia”, “an Ethereum Sepolia”. */
export function an(name: string): string {
  return `${/^(?!uni)(?:[aeio]|x\b)/i.test(name) ? 'an' : 'a'} ${name}`
}
