import { Redacted } from "effect"
import type { CreateRequest } from "../../decide/CreateRequest.ts"
import type { Metadata, PaymentDetails, Purchase } from "../../model/Payment.ts"

/**
 * The text whose keyed HMAC says whether two create requests are the same: the decoded request with its defaults
 * applied. Fields are named one by one, so that their order never depends on how a request was written; a field of the
 * request or of its details that is missing here does not compile.
 */
export const createFingerprintText = (request: CreateRequest): string => {
  const { cancelUrl, details, instruments, debug, returnUrl } = request
  const { charge, capture, void: release, refund, lookup } = details.simulation ?? {}
  const described: { readonly [Field in keyof Required<PaymentDetails>]: unknown } = {
    money: [details.money.minorUnits, details.money.currency],
    country: details.country,
    method: details.method,
    // Left out where there is none, as below.
    paymentMethod: details.paymentMethod,
    cardBrand: details.cardBrand,
    initiator: details.initiator,
    captureMethod: details.captureMethod,
    reference: details.reference,
    // Left out of the text where there is none, so that keys from before there was any are still known again.
    metadata: byName(details.metadata),
    purchase: purchased(details.purchase),
    simulation: details.simulation === null ? null : [charge, capture, release, refund, lookup]
  }
  const parts: { readonly [Field in keyof Required<Omit<CreateRequest, "idempotencyKey">>]: unknown } = {
    details: described,
    instruments: instruments?.map(({ connectionId, token }) => [connectionId, Redacted.value(token)]) ?? null,
    returnUrl: returnUrl ?? null,
    cancelUrl: cancelUrl ?? null,
    debug
  }
  const direct = ["create", parts.details, parts.instruments, parts.cancelUrl, parts.debug]
  // Keys that were stored before there were hosted pages are still known again.
  return JSON.stringify(parts.returnUrl === null ? direct : [...direct, parts.returnUrl])
}

/** Whatever the order in which they were written. */
const byName = (metadata: Metadata | null | undefined) =>
  metadata == null ? undefined : Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1))

const purchased = (purchase: Purchase | null | undefined) =>
  purchase == null
    ? undefined
    : [
        purchase.description,
        purchase.locale,
        purchase.lines?.map(({ amountMinor, name, quantity }) => [name, quantity, amountMinor]) ?? null
      ]
