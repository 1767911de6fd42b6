/** The payment that every bench makes. */
import { randomUUID } from "node:crypto"
import type { CreateRequest } from "@pointsman/core"

export const createRequest = (
  reference: string,
  idempotencyKey: string = randomUUID(),
  captureMethod: "automatic" | "manual" = "automatic"
): CreateRequest => ({
  idempotencyKey,
  instruments: null,
  debug: false,
  details: {
    money: { minorUnits: 1_000, currency: "EUR" },
    country: "DE",
    method: "card",
    cardBrand: null,
    initiator: "cit",
    captureMethod,
    reference,
    simulation: null
  }
})

/** The same over HTTP. */
export const createBody = { amount: 1_000, currency: "EUR", country: "DE" }
