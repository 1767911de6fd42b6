/** Where the customer comes back to. */
import { pointsman } from "../../pointsman.ts"
import { thanks } from "../../shop.ts"

export const GET = async (request: Request): Promise<Response> => {
  const paymentId = new URL(request.url).searchParams.get("payment_id") ?? ""
  const headers = { "content-type": "text/html; charset=utf-8" }
  return new Response(await thanks(await pointsman(), paymentId), { headers })
}
