/** The console. The double brackets are for `/desk` itself. */
import { desk } from "../../../src/Shop.ts"

const handle = async (request: Request): Promise<Response> => (await desk()).handler(request)

export { handle as DELETE, handle as GET, handle as POST, handle as PUT }
