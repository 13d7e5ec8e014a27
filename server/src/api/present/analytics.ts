/** The explorer's sums as the API shows them. */
import type * as wire from '@causeway/sdk'
import type { AnalyticsView, Volumes } from '../../swaps/analytics.ts'
import { presentNetwork } from './network.ts'
import { humanUsd } from './numbers.ts'
import type { Viewpoint } from './viewpoint.ts'

export function presentAnalytics(viewpoint: Viewpoint, view: AnalyticsView): wire.Analytics {
  return {
    period: view.period,
    from: view.from.toISOString(),
    to: view.to.toISOString(),
    ...volumes(view.total),
    networks: view.networks.map(({ network, swapsIn, inUsd, swapsOut, outUsd }) => ({
      network: presentNetwork(viewpoint, viewpoint.services.catalogue.network(network)),
      swaps_in: swapsIn,
      volume_in_usd: humanUsd(inUsd),
      swaps_out: swapsOut,
      volume_out_usd: humanUsd(outUsd),
    })),
    series: view.series.map(({ at, ...rest }) => ({ time: at.toISOString(), ...volumes(rest) })),
  }
}

function volumes({ swaps, inUsd, outUsd }: Volumes) {
  return { swaps, volume_in_usd: humanUsd(inUsd), volume_out_usd: humanUsd(outUsd) }
}
