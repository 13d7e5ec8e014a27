/** Chain ids of chains whose coins have value. */
export const MAINNETS: ReadonlySet<string> = new Set([
  'cosmoshub-4',
  'osmosis-1',
  'noble-1',
  'dydx-mainnet-1',
  'injective-1',
  'celestia',
  'neutron-1',
  'pacific-1',
  'kava_2222-10',
  'stride-1',
  'juno-1',
  'axelar-dojo-1',
  'stargaze-1',
  'akashnet-2',
  'secret-4',
  'phoenix-1',
])
