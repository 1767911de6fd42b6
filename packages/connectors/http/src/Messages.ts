/**
 * Messages of the provider protocol: the signature over the bytes as they came, and only then what they say.
 *
 * Of a type or a body that is not in the protocol nothing is shown but the name of a field: the charge that it names is looked
 * up, and one that names none is unreadable.
 */
import {
  type ChargeName,
  type ChargeState,
  type Clean,
  keptFields,
  type MessageAbout,
  MessageUnreadable,
  type MessageUnverified,
  type Money,
  messageReader,
  orChanged,
  type ProviderMessage,
  type RawMessage,
  signatureHeader,
  signedJson,
  type VerifiedBody,
  verifiedJson
} from "@pointsman/core/connector"
import { Effect, Result, Schema } from "effect"
import { toldCharge, toldOperation, toldRefund } from "./Answers.ts"
import { detailsOf, verdictOf } from "./Disputes.ts"
import * as Protocol from "./Protocol.ts"

export const readMessage = Effect.fnUntraced(function* (
  message: RawMessage,
  clean: Clean
): Effect.fn.Return<ProviderMessage, MessageUnverified | MessageUnreadable> {
  return yield* read(yield* signedJson(message, message.headers[signatureHeader]), clean)
})

/** A message that was verified when it came. */
export const readStored = Effect.fnUntraced(function* (
  { body }: VerifiedBody,
  clean: Clean
): Effect.fn.Return<ProviderMessage, MessageUnreadable> {
  return yield* read(yield* verifiedJson(body), clean)
})

const read = Effect.fnUntraced(function* (
  parsed: unknown,
  clean: Clean
): Effect.fn.Return<ProviderMessage, MessageUnreadable> {
  const { created, id, type } = yield* decoded(Protocol.Message, parsed)
  yield* namedPlainly(clean, { id })
  const told: Told = yield* orChanged(aboutOf(type, parsed, clean), chargeIn(parsed, clean))
  return { id, at: Date.parse(told.at ?? created), about: told.about }
})

const readNames = Schema.decodeUnknownResult(Protocol.Names)

/** The charge that a message names, whatever of it cannot be read. */
const chargeIn = (parsed: unknown, clean: Clean): ChargeName | undefined => {
  const { attempt_id: attemptId, provider_reference: providerRef } =
    Result.getOrUndefined(readNames(parsed))?.data ?? {}
  if (Protocol.isAttemptId(attemptId)) return { attemptId }
  return Protocol.isReference(providerRef) && !clean.shows(providerRef) ? { providerRef } : undefined
}

const decoded = messageReader("it is not as the protocol says")

interface Told {
  readonly about: MessageAbout
  /** Of an operation: since when it is so. A message that was written later may tell an older state. */
  readonly at?: string
}

const aboutOf = Effect.fnUntraced(function* (
  type: string,
  message: unknown,
  clean: Clean
): Effect.fn.Return<Told, MessageUnreadable> {
  switch (type) {
    case "charge.updated": {
      const { data } = yield* decoded(Protocol.ChargeUpdated, message)
      yield* namedPlainly(clean, { "data.provider_reference": data.provider_reference })
      return {
        about: { _tag: "Charge", charge: { attemptId: data.attempt_id }, state: yield* stateOf(data, clean) }
      }
    }
    case "operation.updated": {
      const { data } = yield* decoded(Protocol.OperationUpdated, message)
      return {
        at: data.updated,
        about: {
          _tag: "Operation",
          operationId: data.operation_id,
          state: (asked) => toldOperation(data, asked, clean)
        }
      }
    }
    case "refund.updated": {
      const { data } = yield* decoded(Protocol.RefundUpdated, message)
      yield* namedPlainly(clean, { "data.provider_refund_id": data.provider_refund_id })
      const state = (asked: Money) => toldRefund(data, asked, clean)
      if (!("provider_reference" in data)) return { about: { _tag: "Refund", refundId: data.refund_id, state } }
      const { provider_reference: providerRef, provider_refund_id: providerRefundId } = data
      yield* namedPlainly(clean, { "data.provider_reference": providerRef })
      const isDone = data.status !== "failed" && data.status !== "canceled"
      if (isDone && (data.amount == null || data.currency == null)) {
        const field = data.amount == null ? "data.amount" : "data.currency"
        return yield* new MessageUnreadable({ reason: `a refund without refund_id is expected to have ${field}` })
      }
      return { about: { _tag: "UnnamedRefund", charge: { providerRef }, providerRefundId, state } }
    }
    case "charge.settled": {
      const { data } = yield* decoded(Protocol.ChargeSettled, message)
      if ("provider_reference" in data) {
        yield* namedPlainly(clean, { "data.provider_reference": data.provider_reference })
      }
      const state = "provider_reference" in data ? yield* stateOf(data, clean) : null
      return { about: { _tag: "Settled", charge: { attemptId: data.attempt_id }, state } }
    }
    case "dispute.opened":
    case "dispute.updated":
    case "dispute.won":
    case "dispute.lost": {
      const { data } = yield* decoded(Protocol.Dispute, message)
      const whole = (message as { readonly data: Readonly<Record<string, unknown>> }).data
      const disputeId = data.dispute_id ?? null
      yield* namedPlainly(clean, { "data.dispute_id": disputeId ?? "" })
      const charge = { attemptId: data.attempt_id }
      const details = detailsOf(whole, clean)
      return { about: { _tag: "Dispute", charge, disputeId, ...verdictOf(type, details.status), ...details } }
    }
    default:
      return yield* new MessageUnreadable({ reason: "unknown message type" })
  }
})

/** A name of the provider's is stored and told: one that shows a secret is not taken. By its field. */
const namedPlainly = (
  clean: Clean,
  names: Readonly<Record<string, string>>
): Effect.Effect<void, MessageUnreadable> => {
  const field = Object.entries(names).find(([, name]) => clean.shows(name))?.[0]
  return field === undefined
    ? Effect.void
    : Effect.fail(new MessageUnreadable({ reason: `it shows a secret at ${field}` }))
}

/** A decline without its reason is found here, before anybody asks for the state. */
const stateOf = (
  charge: Protocol.Charge,
  clean: Clean
): Effect.Effect<(asked: Money) => ChargeState, MessageUnreadable> =>
  charge.status === "declined" && (charge.decline ?? null) === null
    ? Effect.fail(new MessageUnreadable({ reason: "it is not as the protocol says at data.decline" }))
    : Effect.succeed((asked) => toldCharge(charge, asked, clean) ?? neverDeclined)

/** Of no message: `stateOf` refused it. */
const neverDeclined: ChargeState = { _tag: "Declined", providerRef: null, category: "other", code: "", soft: false }

/** Keeps the fields of a message that `Protocol.ts` reads: no names, addresses, e-mail, card details or client secrets. */
export const keptOfMessage = keptFields(
  new Set(
    (
      "id type created data attempt_id provider_reference status captured_amount amount currency decline code " +
      "category soft refund_id provider_refund_id operation_id kind updated failure_reason dispute_id reason " +
      "provider_reason evidence_due_by"
    ).split(" ")
  )
)
