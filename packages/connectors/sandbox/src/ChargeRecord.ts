/** What the simulated provider keeps of a charge and of everything that was done to it. */
import { declineCategories, initiators, paymentMethods } from "@pointsman/core/connector"
import { Schema } from "effect"

/** Amounts are in minor units of the charge's currency. */
export const RefundRecord = Schema.Struct({
  id: Schema.String,
  minorUnits: Schema.Int,
  state: Schema.Literals(["Succeeded", "RefundPending", "RefundFailed"]),
  /** Epoch milliseconds; absent from records of older releases. */
  created: Schema.optionalKey(Schema.Int)
})
export type RefundRecord = typeof RefundRecord.Type

/** A dispute of a charge. Times are epoch milliseconds. */
export const DisputeRecord = Schema.Struct({
  /** How it is decided once there is evidence. */
  ends: Schema.Literals(["won", "lost"]),
  openedAt: Schema.Int,
  /** No evidence is taken after this. */
  dueBy: Schema.Int,
  /** What was taken: the evidence, or an acceptance. */
  answers: Schema.Array(
    Schema.Struct({ id: Schema.String, kind: Schema.Literals(["submit", "accept"]), takenAt: Schema.Int })
  )
})
export type DisputeRecord = typeof DisputeRecord.Type

/** One charge as the simulated provider keeps it, with everything that was done to it. */
export const ChargeRecord = Schema.Struct({
  connectionId: Schema.String,
  attemptId: Schema.String,
  paymentId: Schema.String,
  minorUnits: Schema.Int,
  currency: Schema.String,
  /** `true`: the money is taken at once. `false`: it is held, to be captured later. */
  capture: Schema.Boolean,
  state: Schema.Literals(["Authorized", "Captured", "Pending", "Declined", "NeedsCustomer", "Canceled"]),
  /** Money was held or taken, once; it stays `true` when the authorization is released. */
  executed: Schema.Boolean,
  capturedMinor: Schema.Int,
  decline: Schema.NullOr(Schema.Struct({ category: Schema.Literals(declineCategories), soft: Schema.Boolean })),
  /** Captures and voids that were executed; a charge bears at most one. */
  operations: Schema.Array(Schema.Struct({ id: Schema.String, kind: Schema.Literals(["capture", "void"]) })),
  refunds: Schema.Array(RefundRecord),
  /** What the request said besides, for the lists; absent from records of older releases. */
  told: Schema.optionalKey(
    Schema.Struct({
      reference: Schema.NullOr(Schema.String),
      country: Schema.String,
      method: Schema.Literals(paymentMethods),
      cardBrand: Schema.NullOr(Schema.String),
      initiator: Schema.Literals(initiators)
    })
  ),
  /** Epoch milliseconds; absent as above. */
  created: Schema.optionalKey(Schema.Int),
  /** Of a charge whose reference asks for one. */
  dispute: Schema.optionalKey(DisputeRecord)
})
export type ChargeRecord = typeof ChargeRecord.Type
