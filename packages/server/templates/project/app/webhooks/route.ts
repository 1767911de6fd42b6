/** The events of Pointsman, signed over the raw bytes. */
import { hear } from "../../shop.ts"

export const POST = async (request: Request): Promise<Response> => {
  const body = new Uint8Array(await request.arrayBuffer())
  return new Response(null, { status: await hear({ body, headers: request.headers }) })
}
