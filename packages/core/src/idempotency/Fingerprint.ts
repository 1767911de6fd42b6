import { Redacted } from "effect"
import type { CreateRequest } from "../payment/CreateRequest.ts"

/**
 * The text whose keyed HMAC says whether two create requests are the same: the decoded request with its defaults
 * applied (decisions, sections 4 and 5). Fields are named one by one, so that their order never depends on how a
 * request was written; a field of the request that is missing here does not compile.
 */
export const createFingerprintText = (request: CreateRequest): string => {
  const { details, instruments, debug } = request
  const { money, simulation } = details
  const parts: { readonly [Field in keyof Required<Omit<CreateRequest, "idempotencyKey">>]: unknown } = {
    details: [
      money.minorUnits,
      money.currency,
      details.country,
      details.method,
      details.cardBrand,
      details.initiator,
      details.captureMethod,
      details.reference,
      simulation === null
        ? null
        : [simulation.charge, simulation.capture, simulation.void, simulation.refund, simulation.lookup]
    ],
    instruments: instruments?.map(({ connectionId, token }) => [connectionId, Redacted.value(token)]) ?? null,
    debug
  }
  return JSON.stringify(["create", parts.details, parts.instruments, parts.debug])
}
