/** The shop's own checkout. */
import { PointsmanError } from "@pointsman/node"
import { pointsman } from "../../src/Shop.ts"

/** The price is the shop's word and never the browser's; in cents of EUR. */
const prices: Readonly<Record<string, number>> = { tea: 450, teapot: 3999 }

export const POST = async (request: Request): Promise<Response> => {
  const { item, orderId } = (await request.json()) as { readonly item?: unknown; readonly orderId?: unknown }
  const amount = Object.hasOwn(prices, String(item)) ? prices[String(item)] : undefined
  if (amount === undefined || typeof orderId !== "string" || !/^[\w-]{1,40}$/u.test(orderId)) {
    return Response.json({ error: "expected an orderId and an item that we sell" }, { status: 422 })
  }
  try {
    const { payment } = await (await pointsman()).create(
      { amount, currency: "EUR", country: "NL", reference: orderId },
      // The order's own id: a customer who clicks twice, or a browser that sends again, pays once.
      { idempotencyKey: `order-${orderId}` }
    )
    // UNKNOWN is no failure: the customer may have paid, and the background will find out.
    return Response.json({ orderId, paymentId: payment.id, status: payment.status }, { status: 201 })
  } catch (error) {
    if (!(error instanceof PointsmanError)) throw error
    // Never "it failed, pay again": whether it was paid shows when the result is known.
    if (error.moneyMayHaveMoved) return Response.json({ status: "UNKNOWN", error: error.code }, { status: 202 })
    return Response.json({ error: error.code }, { status: error.code === "validation_error" ? 422 : 409 })
  }
}
