/** An integrator's app as pages show it. */
import { z } from 'zod'
import { Label } from './values.ts'

/** GET /internal/apps */
export const AppsQuery = z.object({ name: Label.min(1).describe('The name of the app') })

export const App = z.strictObject({
  id: z.uuid(),
  client_id: z.uuid().describe('The same as id'),
  name: z.string(),
  display_name: z.string(),
  logo: z.string(),
  logo_url: z.string(),
  is_wallet: z.boolean(),
})
export type App = z.infer<typeof App>
