/**
 * Mollie's objects as far as they are read (version 2 of its API, https://docs.mollie.com/reference/overview; their fields and
 * words: https://github.com/mollie/openapi, of 21 August 2026). Fields that are not named here are ignored, and a status that
 * is not named makes an answer unreadable.
 */
import {
  isWireText,
  wireOptional as optional,
  WireReference as Reference,
  WebAddress,
  WireTime
} from "@pointsman/core/connector"
import { Schema } from "effect"

export const Amount = Schema.Struct({ currency: Schema.NonEmptyString, value: Schema.NonEmptyString })

const Mode = Schema.Literals(["test", "live"])

/** Anything: other programs write into it too (https://docs.mollie.com/reference/create-payment). */
const Metadata = optional(Schema.Unknown)

/** https://docs.mollie.com/docs/handling-payment-status */
const paymentStatuses = ["open", "pending", "authorized", "paid", "canceled", "expired", "failed"] as const

/** https://docs.mollie.com/reference/get-payment */
export const Payment = Schema.Struct({
  resource: Schema.Literal("payment"),
  id: Reference,
  mode: Mode,
  status: Schema.Literals(paymentStatuses),
  amount: Amount,
  /** "The total amount that is already captured." */
  amountCaptured: optional(Amount),
  metadata: Metadata,
  details: optional(
    Schema.Struct({ failureReason: optional(Schema.NonEmptyString), bankReasonCode: optional(Schema.NonEmptyString) })
  )
})
export type Payment = typeof Payment.Type

/** As it is opened: where the customer pays. */
export const OpenedPayment = Schema.Struct({
  ...Payment.fields,
  status: Schema.Literal("open"),
  _links: Schema.Struct({ checkout: Schema.Struct({ href: WebAddress }) })
})

/** When each status was reached. */
const Times = {
  authorizedAt: optional(WireTime),
  paidAt: optional(WireTime),
  canceledAt: optional(WireTime),
  expiredAt: optional(WireTime),
  failedAt: optional(WireTime)
}

/** https://docs.mollie.com/reference/get-capture */
export const Capture = Schema.Struct({
  resource: Schema.Literal("capture"),
  id: Reference,
  mode: Mode,
  status: Schema.Literals(["pending", "succeeded", "failed"]),
  amount: Amount,
  paymentId: Reference,
  metadata: Metadata
})
export type Capture = typeof Capture.Type

/** https://docs.mollie.com/reference/get-refund; its statuses: https://docs.mollie.com/docs/refunds */
export const Refund = Schema.Struct({
  resource: Schema.Literal("refund"),
  id: Reference,
  mode: Mode,
  status: Schema.Literals(["queued", "pending", "processing", "refunded", "failed", "canceled"]),
  amount: Amount,
  paymentId: Reference,
  metadata: Metadata
})
export type Refund = typeof Refund.Type

/** https://docs.mollie.com/reference/get-chargeback. It has no mode. `amount`: "the amount charged back by the consumer". */
export const Chargeback = Schema.Struct({
  resource: Schema.Literal("chargeback"),
  id: Reference,
  paymentId: Reference,
  amount: optional(Schema.Unknown),
  createdAt: WireTime,
  reversedAt: optional(WireTime)
})

/** `embed=captures,refunds,chargebacks` (https://docs.mollie.com/reference/get-payment). */
export const WholePayment = Schema.Struct({
  ...Payment.fields,
  ...Times,
  /** "The total amount that is already refunded." */
  amountRefunded: optional(Amount),
  _embedded: Schema.optionalKey(
    Schema.Struct({
      captures: Schema.optionalKey(Schema.Array(Capture)),
      refunds: Schema.optionalKey(Schema.Array(Refund)),
      chargebacks: Schema.optionalKey(Schema.Array(Chargeback))
    })
  )
})
export type WholePayment = typeof WholePayment.Type

/** Entries of a list, of which most are not ours. */
const Entry = Schema.Struct({ id: Reference, createdAt: WireTime, metadata: Metadata })

/** https://docs.mollie.com/reference/pagination */
export const listOf = (name: "payments" | "refunds" | "captures" | "chargebacks") =>
  Schema.Struct({
    count: Schema.Natural,
    _embedded: Schema.Struct({ [name]: Schema.Array(Entry) }) as Schema.Decoder<
      Readonly<Record<string, ReadonlyArray<typeof Entry.Type>>>
    >,
    _links: Schema.Struct({ next: Schema.NullOr(Schema.Struct({ href: Schema.String })) })
  })

export const ListedPayment = Schema.Struct({
  ...Payment.fields,
  captureMode: optional(Schema.String),
  createdAt: WireTime
})

export const ListedRefund = Schema.Struct({ ...Refund.fields, createdAt: WireTime })

/** https://docs.mollie.com/reference/get-current-profile */
export const Profile = Schema.Struct({
  resource: Schema.Literal("profile"),
  id: Schema.String.check(Schema.isMaxLength(255), Schema.isPattern(/^pfl_[0-9A-Za-z]+$/u)),
  mode: Mode
})

/** https://docs.mollie.com/reference/handling-errors */
export const Failure = Schema.Struct({
  status: Schema.Natural,
  title: Schema.NonEmptyString,
  detail: Schema.NonEmptyString
})
export type Failure = typeof Failure.Type

/**
 * https://docs.mollie.com/reference/webhooks-new. `createdAt` is absent where we wrote the event down ourselves, after a
 * hint, of an object that names no time.
 */
export const Event = Schema.Struct({
  resource: Schema.Literal("event"),
  id: Reference,
  type: Schema.NonEmptyString,
  entityId: Reference,
  createdAt: optional(WireTime),
  _embedded: Schema.optionalKey(Schema.Struct({ entity: Schema.Unknown })),
  /** We write it down with a refund, of the payment that it was read with. Mollie's own events have none. */
  attempt_id: optional(Reference)
})

/** By what an object may name its payment. */
export const Names = Schema.Struct({
  id: optional(Reference),
  paymentId: optional(Reference),
  mode: optional(Mode),
  metadata: optional(Schema.Unknown)
})

/** What our own marks in an object's metadata say; nothing where another program wrote it. */
export const markIn = (metadata: unknown, name: string): string | null => {
  if (typeof metadata !== "object" || metadata === null || !Object.hasOwn(metadata, name)) return null
  const text: unknown = Reflect.get(metadata, name)
  return isWireText(text) ? text : null
}

/** Our id of a refund; `null` where a person or another program made it, which may have a `refund_id` of its own. */
export const refundIdIn = (metadata: unknown): string | null => {
  const id = markIn(metadata, "refund_id")
  return id?.startsWith("rf_") === true ? id : null
}

/** One page of a list, whose entries are of one shape. */
export interface Page<Entry> {
  readonly count: number
  readonly _embedded: Readonly<Record<string, ReadonlyArray<Entry>>>
  readonly _links: { readonly next: { readonly href: string } | null }
}

export const pageOf = <Entry extends Schema.Constraint>(name: string, entry: Entry) =>
  Schema.Struct({
    count: Schema.Natural,
    _embedded: Schema.Struct({ [name]: Schema.Array(entry) }),
    _links: Schema.Struct({ next: Schema.NullOr(Schema.Struct({ href: Schema.String })) })
  }) as unknown as Schema.Decoder<Page<Entry["Type"]>>

/** https://docs.mollie.com/reference/get-settlement. By year, and then by month. */
export const Settlement = Schema.Struct({
  resource: Schema.Literal("settlement"),
  id: Reference,
  createdAt: optional(WireTime),
  reference: optional(Reference),
  settledAt: optional(WireTime),
  status: Schema.NonEmptyString,
  periods: optional(
    Schema.Record(
      Schema.String,
      Schema.Record(
        Schema.String,
        Schema.Struct({ costs: optional(Schema.Array(Schema.Struct({ amountGross: Amount }))) })
      )
    )
  )
})
export type Settlement = typeof Settlement.Type

/** What payments, captures, refunds and chargebacks of a settlement have alike. */
export const Settled = Schema.Struct({
  id: Reference,
  amount: Amount,
  settlementAmount: optional(Amount),
  paymentId: optional(Reference),
  metadata: Metadata,
  createdAt: WireTime
})
export type Settled = typeof Settled.Type
