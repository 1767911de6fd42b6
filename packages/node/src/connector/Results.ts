/** The results of plain functions as core's statements. What is not as described is no result; the field is named. */
import {
  type ChargeRecord,
  type ChargeState,
  type CheckoutOpened,
  type Clean,
  type DeclineCategory,
  declineCategories,
  type Found,
  fieldOf,
  isSoftDecline,
  type MessageAbout,
  money,
  type OperationState,
  type ProviderAccount,
  type ProviderMessage,
  type RefundState,
  type Rejected,
  WebAddress
} from "@pointsman/core/connector"
import { Result, Schema } from "effect"

/** The field that is wrong. */
export type Read<A> = Result.Result<A, string>

const Text = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(1_000))
const Name = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(255))
const Amount = Schema.Struct({
  minorUnits: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  currency: Schema.String.check(Schema.isPattern(/^[A-Z]{3}$/u))
})
const Time = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const amount = Schema.optional(Amount)
const reason = Schema.optional(Schema.NullOr(Schema.String))

const Charge = Schema.Union([
  Schema.Struct({ status: Schema.Literals(["authorized", "captured", "pending"]), reference: Name, amount }),
  Schema.Struct({
    status: Schema.Literals(["requires_authentication", "canceled"]),
    reference: Schema.NullOr(Name)
  }),
  Schema.Struct({
    status: Schema.Literal("declined"),
    reference: Schema.NullOr(Name),
    code: Text,
    category: Schema.optional(Schema.Literals(declineCategories)),
    soft: Schema.optional(Schema.Boolean)
  })
])
const Rejection = Schema.Struct({ status: Schema.Literal("rejected"), code: Text, message: Schema.String })
/** Of a checkout: its customer approved it, and nothing was taken yet. */
const Approval = Schema.Struct({ status: Schema.Literal("approved"), reference: Schema.NullOr(Name) })
const NotFound = Schema.Struct({ status: Schema.Literal("not_found"), conclusive: Schema.Boolean })
const Checkout = Schema.Struct({
  status: Schema.Literal("opened"),
  reference: Name,
  url: WebAddress,
  expiresAt: Schema.NullOr(Time)
})
const Operation = Schema.Struct({
  status: Schema.Literals(["confirmed", "pending", "failed"]),
  final: Schema.optional(Schema.Boolean),
  reason,
  amount
})
const Refund = Schema.Struct({
  status: Schema.Literals(["succeeded", "pending", "failed"]),
  refundReference: Name,
  reason,
  amount
})
const AccountSchema = Schema.Struct({
  id: Name,
  mode: Schema.optional(Schema.NullOr(Schema.Literals(["test", "live"])))
})
const ChargeNamed = Schema.Union([Schema.Struct({ attemptId: Name }), Schema.Struct({ reference: Name })])
const message = { id: Name, at: Schema.NullOr(Time) }
const MessageSchema = Schema.Union([
  Schema.Struct({
    ...message,
    about: Schema.Literal("charge"),
    charge: ChargeNamed,
    result: Schema.Union([Charge, Approval])
  }),
  Schema.Struct({ ...message, about: Schema.Literal("operation"), operationId: Name, result: Operation }),
  Schema.Struct({ ...message, about: Schema.Literal("refund"), refundId: Name, result: Refund }),
  Schema.Struct({ ...message, about: Schema.Literal("settlement"), charge: ChargeNamed }),
  Schema.Struct({
    ...message,
    about: Schema.Literal("dispute"),
    charge: ChargeNamed,
    disputeId: Schema.NullOr(Name),
    verdict: Schema.Literals(["opened", "won", "lost"])
  })
])

const reader = <A>(schema: Schema.Decoder<A>) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (value: unknown): Read<A> => Result.mapError(decode(value), fieldOf)
}

const readCharge = reader(Schema.Union([Charge, Rejection]))
const readFoundCharge = reader(Schema.Union([Charge, Approval, NotFound]))
const readCheckout = reader(Schema.Union([Checkout, Rejection]))
const readOperation = reader(Schema.Union([Operation, NotFound]))
const readRefund = reader(Schema.Union([Refund, Rejection]))
const readFoundRefund = reader(Schema.Union([Refund, NotFound]))
const readAccountSchema = reader(AccountSchema)
const readMessageSchema = reader(MessageSchema)

/** A name that shows a secret is no name. */
const named = <A>(clean: Clean, name: string | null, field: string, value: A): Read<A> =>
  name !== null && clean.shows(name) ? Result.fail(field) : Result.succeed(value)

const stated = (amount: typeof Amount.Type | undefined) =>
  amount === undefined ? {} : { stated: money(amount.minorUnits, amount.currency) }

const rejected = ({ code, message }: typeof Rejection.Type, clean: Clean): Rejected => ({
  _tag: "Rejected",
  code: clean(code),
  message: clean(message)
})

const chargeState = (charge: typeof Charge.Type, clean: Clean): ChargeState => {
  switch (charge.status) {
    case "authorized":
      return { _tag: "Authorized", providerRef: charge.reference, ...stated(charge.amount) }
    case "captured":
      return { _tag: "Captured", providerRef: charge.reference, ...stated(charge.amount) }
    case "pending":
      return { _tag: "Pending", providerRef: charge.reference, ...stated(charge.amount) }
    case "requires_authentication":
      return { _tag: "NeedsCustomer", providerRef: charge.reference }
    case "canceled":
      return { _tag: "Canceled", providerRef: charge.reference }
    case "declined": {
      const category: DeclineCategory = charge.category ?? "other"
      return {
        _tag: "Declined",
        providerRef: charge.reference,
        category,
        code: clean(charge.code),
        soft: charge.soft ?? isSoftDecline(category)
      }
    }
  }
}

const operationState = ({ amount, final, reason, status }: typeof Operation.Type, clean: Clean): OperationState => {
  switch (status) {
    case "confirmed":
      return { _tag: "OperationConfirmed", ...stated(amount) }
    case "pending":
      return { _tag: "OperationPending" }
    case "failed":
      return { _tag: "OperationFailed", isFinal: final ?? true, reason: text(reason, clean), ...stated(amount) }
  }
}

const chargeRecord = (charge: typeof Charge.Type | typeof Approval.Type, clean: Clean): ChargeRecord =>
  charge.status === "approved" ? { _tag: "Approved", providerRef: charge.reference } : chargeState(charge, clean)

const refundState = ({ amount, reason, refundReference, status }: typeof Refund.Type, clean: Clean): RefundState => {
  switch (status) {
    case "succeeded":
      return { _tag: "Succeeded", providerRefundId: refundReference, ...stated(amount) }
    case "pending":
      return { _tag: "RefundPending", providerRefundId: refundReference, ...stated(amount) }
    case "failed":
      return { _tag: "RefundFailed", providerRefundId: refundReference, reason: text(reason, clean) }
  }
}

const text = (reason: string | null | undefined, clean: Clean): string | null =>
  reason === undefined || reason === null || reason === "" ? null : clean(reason)

export const chargeResult = (value: unknown, clean: Clean): Read<ChargeState | Rejected> =>
  Result.flatMap(
    readCharge(value),
    (result): Read<ChargeState | Rejected> =>
      result.status === "rejected"
        ? Result.succeed(rejected(result, clean))
        : named(clean, result.reference, "reference", chargeState(result, clean))
  )

export const foundCharge = (value: unknown, clean: Clean): Read<Found<ChargeRecord>> =>
  Result.flatMap(
    readFoundCharge(value),
    (result): Read<Found<ChargeRecord>> =>
      result.status === "not_found"
        ? Result.succeed({ _tag: "NotFound", conclusive: result.conclusive })
        : named(clean, result.reference, "reference", { _tag: "Found", state: chargeRecord(result, clean) })
  )

export const checkoutResult = (value: unknown, clean: Clean): Read<CheckoutOpened | Rejected> =>
  Result.flatMap(readCheckout(value), (result): Read<CheckoutOpened | Rejected> => {
    if (result.status === "rejected") return Result.succeed(rejected(result, clean))
    const { expiresAt, reference, url } = result
    if (clean.shows(url)) return Result.fail("url")
    return named(clean, reference, "reference", { _tag: "CheckoutOpened", reference, url, expiresAt })
  })

export const foundOperation = (value: unknown, clean: Clean): Read<Found<OperationState>> =>
  Result.map(
    readOperation(value),
    (result): Found<OperationState> =>
      result.status === "not_found"
        ? { _tag: "NotFound", conclusive: result.conclusive }
        : { _tag: "Found", state: operationState(result, clean) }
  )

export const refundResult = (value: unknown, clean: Clean): Read<RefundState | Rejected> =>
  Result.flatMap(
    readRefund(value),
    (result): Read<RefundState | Rejected> =>
      result.status === "rejected"
        ? Result.succeed(rejected(result, clean))
        : named(clean, result.refundReference, "refundReference", refundState(result, clean))
  )

export const foundRefund = (value: unknown, clean: Clean): Read<Found<RefundState>> =>
  Result.flatMap(
    readFoundRefund(value),
    (result): Read<Found<RefundState>> =>
      result.status === "not_found"
        ? Result.succeed({ _tag: "NotFound", conclusive: result.conclusive })
        : named(clean, result.refundReference, "refundReference", { _tag: "Found", state: refundState(result, clean) })
  )

export const accountResult = (value: unknown, clean: Clean): Read<ProviderAccount> =>
  Result.flatMap(readAccountSchema(value), ({ id, mode }) => named(clean, id, "id", { id, mode: mode ?? null }))

export const messageResult = (value: unknown, clean: Clean): Read<ProviderMessage> =>
  Result.map(readMessageSchema(value), (message) => ({
    id: message.id,
    at: message.at,
    about: messageAbout(message, clean)
  }))

const messageAbout = (message: typeof MessageSchema.Type, clean: Clean): MessageAbout => {
  switch (message.about) {
    case "charge":
      return { _tag: "Charge", charge: chargeName(message.charge), state: () => chargeRecord(message.result, clean) }
    case "operation":
      return {
        _tag: "Operation",
        operationId: message.operationId,
        state: () => operationState(message.result, clean)
      }
    case "refund":
      return { _tag: "Refund", refundId: message.refundId, state: () => refundState(message.result, clean) }
    case "settlement":
      return { _tag: "Settled", charge: chargeName(message.charge), state: null }
    case "dispute":
      return {
        _tag: "Dispute",
        charge: chargeName(message.charge),
        disputeId: message.disputeId,
        verdict: message.verdict
      }
  }
}

const chargeName = (charge: typeof ChargeNamed.Type) =>
  "attemptId" in charge ? { attemptId: charge.attemptId } : { providerRef: charge.reference }
