/** Chain ids of public chains whose coins have value: they identify a mainnet even if its file is copied or renamed. */
export const MAINNETS: ReadonlySet<bigint> = new Set(
  [
    1, 10, 25, 56, 100, 130, 137, 143, 146, 169, 204, 250, 252, 324, 480, 999, 1088, 1101, 1135, 1329, 1514, 1868, 2020,
    2741, 4326, 5000, 8217, 8453, 9745, 13371, 33139, 34443, 42161, 42170, 42220, 43114, 50104, 57073, 59144, 60808,
    80094, 81457, 98866, 167000, 534352, 747474, 7777777,
  ].map(BigInt),
)
