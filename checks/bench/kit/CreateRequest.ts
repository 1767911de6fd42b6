/** The payment that every bench makes. */
import { randomUUID } from "node:crypto"
import type { CreateRequest, Metadata } from "@pointsman/core"

export const createRequest = (
  reference: string,
  idempotencyKey: string = randomUUID(),
  captureMethod: "automatic" | "manual" = "automatic",
  metadata: Metadata | null = null
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
    metadata,
    simulation: null
  }
})

/** The same over HTTP. */
export const createBody = { amount: 1_000, currency: "EUR", country: "DE" }

/** As a client sends it to the server. */
export const createAt = <Key>(origin: string, key: Key) => ({
  ...{ origin, key, path: "/api/v1/payments" },
  ...{ body: createBody, expected: 201 }
})
