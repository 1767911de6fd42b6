import type { CreateRequest } from "../decide/CreateRequest.ts"

/** A card payment of 19.99 EUR from the Netherlands without a key, and what a test wants to be otherwise. */
export const sampleRequest = (
  change: Partial<Omit<CreateRequest, "details">> & { readonly details?: Partial<CreateRequest["details"]> } = {}
): CreateRequest => ({
  idempotencyKey: null,
  instruments: null,
  debug: false,
  ...change,
  details: {
    money: { minorUnits: 1999, currency: "EUR" },
    country: "NL",
    method: "card",
    cardBrand: null,
    initiator: "cit",
    captureMethod: "automatic",
    reference: null,
    simulation: null,
    ...change.details
  }
})
