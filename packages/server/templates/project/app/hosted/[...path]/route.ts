/** The pages on which customers pay. */
import { pointsman } from "../../../pointsman.ts"

const handle = async (request: Request): Promise<Response> => (await pointsman()).handler(request)

export { handle as GET, handle as POST }
