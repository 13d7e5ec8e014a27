/** As the network prints amounts: as doubles with ten decimals, without trailing zeros but always with a point. */
export function decimal(units: bigint, decimals: number): string {
  const printed = (Number(units) / 10 ** decimals).toFixed(10)
  return printed.replace(/0+$/, '').replace(/\.$/, '.0')
}
