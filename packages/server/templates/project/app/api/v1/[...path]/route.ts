/** Pointsman's API, and the webhooks of the provider below /api/v1/psp-webhooks. */
import { pointsman } from "../../../../pointsman.ts"

const handle = async (request: Request): Promise<Response> => (await pointsman()).handler(request)

export { handle as DELETE, handle as GET, handle as PATCH, handle as POST, handle as PUT }
