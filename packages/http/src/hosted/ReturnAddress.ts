/** Where the customer goes back to. */
import { type HostedPage, type Payment, statusOf } from "@pointsman/core"

/**
 * The merchant's own address with `payment_id` and `status` appended. Its query and fragment stay as they are, also
 * where the query has fields of the same names: those come first. `undefined` where the address was erased.
 */
export const returnAddress = (payment: Payment, page: HostedPage): string | undefined => {
  const status = statusOf[payment.state]
  const address = status === "CANCELLED" ? (page.cancelUrl ?? page.returnUrl) : page.returnUrl
  if (address === null) return undefined
  const url = new URL(address)
  // Checked when the payment was created; a link of another kind could run a script.
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new Error(`invalid protocol of a return URL: ${url.protocol}`)
  const appended = new URLSearchParams({ payment_id: payment.id, status })
  // Not by `searchParams`, which would write the merchant's own query anew.
  url.search = url.search === "" ? appended.toString() : `${url.search}&${appended}`
  return url.href
}
