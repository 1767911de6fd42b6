/**
 * Messages of the provider protocol: the signature over the bytes as they came, and only then what they say.
 *
 * A type or a body that is not in the protocol is unreadable, and nothing of it is shown but the name of a field.
 */
import {
  type ChargeState,
  fieldOf,
  type MessageAbout,
  MessageUnreadable,
  MessageUnverified,
  type Money,
  type ProviderMessage,
  type RawMessage,
  signatureHeader,
  verifySignature
} from "@pointsman/core/connector"
import { Effect, Layer, type Result, Schema } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { type Clean, toldCharge, toldRefund } from "./Answers.ts"
import * as Protocol from "./Protocol.ts"

export const readMessage = Effect.fnUntraced(function* (
  { body, headers, receivedAt, secret }: RawMessage,
  clean: Clean
): Effect.fn.Return<ProviderMessage, MessageUnverified | MessageUnreadable> {
  yield* verifySignature(headers[signatureHeader], [secret], body, Math.floor(receivedAt / 1000)).pipe(
    Effect.provide(crypto),
    Effect.mapError(({ reason }) => new MessageUnverified({ reason: `its signature is ${reason}` }))
  )
  const parsed = yield* Effect.try({
    try: (): unknown => JSON.parse(utf8.decode(body)),
    // Without its cause: a parser's message quotes what it was given.
    catch: () => new MessageUnreadable({ reason: "it is not JSON in UTF-8" })
  })
  const { created, id, type } = yield* decoded(readHead, parsed)
  yield* namedPlainly(clean, { id })
  const about = yield* aboutOf(type, parsed, clean)
  return { id, at: Date.parse(created), about }
})

const crypto = Layer.provide(Mac.layerWebCrypto, SecureRandom.layerWebCrypto)

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const readHead = Schema.decodeUnknownResult(Protocol.Message)
const readCharge = Schema.decodeUnknownResult(Protocol.ChargeUpdated)
const readRefund = Schema.decodeUnknownResult(Protocol.RefundUpdated)
const readSettled = Schema.decodeUnknownResult(Protocol.ChargeSettled)
const readDispute = Schema.decodeUnknownResult(Protocol.Dispute)
const decoded = <A>(
  read: (value: unknown) => Result.Result<A, Schema.SchemaError>,
  value: unknown
): Effect.Effect<A, MessageUnreadable> =>
  Effect.mapError(Effect.fromResult(read(value)), (error) => {
    const field = fieldOf(error)
    return new MessageUnreadable({ reason: `it is not as the protocol says${field === "" ? "" : ` at ${field}`}` })
  })

const aboutOf = Effect.fnUntraced(function* (
  type: string,
  message: unknown,
  clean: Clean
): Effect.fn.Return<MessageAbout, MessageUnreadable> {
  switch (type) {
    case "charge.updated": {
      const { data } = yield* decoded(readCharge, message)
      yield* namedPlainly(clean, { "data.provider_reference": data.provider_reference })
      return { _tag: "Charge", charge: { attemptId: data.attempt_id }, state: yield* stateOf(data, clean) }
    }
    case "refund.updated": {
      const { data } = yield* decoded(readRefund, message)
      yield* namedPlainly(clean, { "data.provider_refund_id": data.provider_refund_id })
      return { _tag: "Refund", refundId: data.refund_id, state: (asked) => toldRefund(data, asked, clean) }
    }
    case "charge.settled": {
      const { data } = yield* decoded(readSettled, message)
      if ("provider_reference" in data) {
        yield* namedPlainly(clean, { "data.provider_reference": data.provider_reference })
      }
      const state = "provider_reference" in data ? yield* stateOf(data, clean) : null
      return { _tag: "Settled", charge: { attemptId: data.attempt_id }, state }
    }
    case "dispute.opened":
    case "dispute.won":
    case "dispute.lost": {
      const { data } = yield* decoded(readDispute, message)
      const disputeId = data.dispute_id ?? null
      yield* namedPlainly(clean, { "data.dispute_id": disputeId ?? "" })
      return { _tag: "Dispute", charge: { attemptId: data.attempt_id }, disputeId, verdict: verdictOf[type] }
    }
    default:
      return yield* new MessageUnreadable({ reason: "its type is not in the protocol" })
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

const verdictOf = { "dispute.opened": "opened", "dispute.won": "won", "dispute.lost": "lost" } as const

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
