/** Pointsman's API: its answers to whatever comes here. */
import { pointsman } from "../../../../src/Shop.ts"

const handle = async (request: Request): Promise<Response> => (await pointsman()).handler(request)

export { handle as DELETE, handle as GET, handle as PATCH, handle as POST, handle as PUT }
