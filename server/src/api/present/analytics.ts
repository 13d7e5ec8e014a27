/** The explorer's volumes in wire format. */
import type { Token } from '@causeway/core'
import type * as wire from '@causeway/sdk'
import type { AnalyticsView, Both, NetworkVolumes, TokenVolume, Volume } from '../../swaps/analytics.ts'
import { presentNetwork, presentToken } from './network.ts'
import { human, humanUsd } from './numbers.ts'
import type { PresentationContext } from './presentation-context.ts'

export function presentAnalytics(viewpoint: PresentationContext, view: AnalyticsView): wire.Analytics {
  const { catalogue } = viewpoint.services
  return {
    generated_at: view.madeAt.toISOString(),
    range: { from: view.from.toISOString(), to: view.to.toISOString(), bucket_size: view.step },
    available_networks: catalogue.networks.map((network) => {
      const { name, display_name, logo } = presentNetwork(viewpoint, network)
      return { name, display_name, logo }
    }),
    networks: view.networks.map((volumes) => presentVolumes(viewpoint, volumes)),
  }
}

function presentVolumes(
  viewpoint: PresentationContext,
  { network, totals, ...volumes }: NetworkVolumes,
): wire.NetworkVolumes {
  return {
    network,
    totals: {
      inflow: presentVolume(totals.inflow),
      outflow: presentVolume(totals.outflow),
      net_amount_in_usd: netUsd(totals),
    },
    timeline: [...volumes.timeline].map(([at, { inflow, outflow }]) => ({
      bucket_start: new Date(at).toISOString(),
      inflow_transfer_count: inflow.transfers,
      outflow_transfer_count: outflow.transfers,
      inflow_amount_in_usd: humanUsd(inflow.usd),
      outflow_amount_in_usd: humanUsd(outflow.usd),
    })),
    assets: [...volumes.assets].map(([token, { inflow, outflow }]) => ({
      asset: token.symbol,
      logo: presentToken(viewpoint, token).logo,
      inflow: presentTokens(inflow, token),
      outflow: presentTokens(outflow, token),
    })),
    source_chains: neighbours(volumes.sources),
    destination_chains: neighbours(volumes.destinations),
  }
}

function presentVolume({ transfers, usd }: Volume) {
  return { transfer_count: transfers, amount_in_usd: humanUsd(usd) }
}

function presentTokens(volume: TokenVolume, token: Token) {
  return { ...presentVolume(volume), token_amount: human(volume.units, token) }
}

function neighbours(chains: ReadonlyMap<string, Volume>) {
  return [...chains].map(([network, volume]) => ({ network, ...presentVolume(volume) }))
}

/** Negative if more was delivered on a network than came in. */
function netUsd({ inflow, outflow }: Both): number {
  const net = inflow.usd - outflow.usd
  return net < 0n ? -humanUsd(-net) : humanUsd(net)
}
