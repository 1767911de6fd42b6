/** The payments of a month: what the product makes of them, and which share of them is like each. */
import { randomUUID } from "node:crypto"
import { Pointsman } from "@pointsman/core"
import { Effect } from "effect"
import { createRequest } from "../kit/CreateRequest.ts"
import { caller } from "../World.ts"

export interface Sample {
  readonly minorUnits: number
  readonly currency: string
  readonly ending: "captured" | "refunded" | "declined" | "voided"
  /** Of a hundred payments. */
  readonly share: number
}

/** The amount of the declined one says so to the provider. */
const samples: ReadonlyArray<Sample> = [
  { minorUnits: 4_990, currency: "EUR", ending: "captured", share: 60 },
  { minorUnits: 12_900, currency: "USD", ending: "captured", share: 20 },
  { minorUnits: 800, currency: "EUR", ending: "refunded", share: 10 },
  { minorUnits: 5_003, currency: "EUR", ending: "declined", share: 7 },
  { minorUnits: 7_500, currency: "USD", ending: "voided", share: 3 }
]

const hundred = samples.flatMap((sample) => Array.from({ length: sample.share }, () => sample))

/** Mixed: any ten that follow each other are of several kinds. */
export const sampleOf = (number: number): Sample => hundred[(number * 37) % hundred.length] as Sample

/** Through the product. */
export const makeSample = Effect.fnUntraced(function* ({ currency, ending, minorUnits }: Sample) {
  const pointsman = yield* Pointsman
  const captureMethod = ending === "voided" ? "manual" : "automatic"
  const request = createRequest(`order-${randomUUID()}`, `key-${randomUUID()}`, captureMethod)
  const details = { ...request.details, money: { minorUnits, currency } }
  const { payment } = yield* pointsman.create(caller, { ...request, details })
  const order = { paymentId: payment.id, idempotencyKey: `key-${randomUUID()}` }
  if (ending === "refunded") {
    yield* pointsman.refund(caller, { ...order, amountMinor: minorUnits / 2, reason: null })
  }
  if (ending === "voided") yield* pointsman.void(caller, order)
})
