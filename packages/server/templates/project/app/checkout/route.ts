/** Sends the customer to where they pay. */
import { pointsman } from "../../pointsman.ts"
import { checkOut } from "../../shop.ts"

export const POST = async (request: Request): Promise<Response> => {
  const orderId = new URL(request.url).searchParams.get("order") ?? ""
  return new Response(null, { status: 303, headers: { location: await checkOut(await pointsman(), orderId) } })
}
