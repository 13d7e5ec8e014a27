/** GET /internal/apps: an app as the pages of older clients show it. */
import { ApiError } from '@causeway/core'
import { App, AppsQuery, envelope } from '@causeway/sdk'
import type { Services } from '../../../services.ts'
import { findApp } from '../../../store/apps/apps.ts'
import type { Api } from '../../http/schema.ts'
import { presentationContextOf } from '../../present/presentation-context.ts'

export function appsRoutes(api: Api, services: Services): void {
  api.get(
    '/internal/apps',
    { schema: { querystring: AppsQuery, response: { 200: envelope(App) } } },
    async (request) => {
      const { name } = request.query
      const app = await findApp(services.database, name)
      if (!app) throw new ApiError('NOT_FOUND', `There is no app ${name}.`)
      const logo = `${presentationContextOf(services, request).baseUrl}/logos/apps/${encodeURIComponent(app.name)}.svg`
      return {
        data: {
          id: app.id,
          client_id: app.id,
          name: app.name,
          display_name: app.name,
          logo,
          logo_url: logo,
          is_wallet: false,
        },
      }
    },
  )
}
