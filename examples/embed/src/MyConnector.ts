/**
 * A connector for Tiny Pay, a made-up provider (see `TinyPay.ts` for what it speaks).
 *
 * The rule that a connector must not break: it says what happened, and nothing that it does not know. What it cannot
 * read is `Unanswered`. Whether a request went out is the transport's word: a connector says `NotSent` itself only
 * before it calls the transport.
 */
import {
  type ChargeRequest,
  type ChargeState,
  type Connector,
  type ConnectorAccount,
  type ConnectorDefinition,
  type DeclineCategory,
  type Found,
  hideSecrets,
  isSoftDecline,
  type Money,
  money,
  NotSent,
  type Rejected,
  scaleOf,
  type Transport,
  type TransportAnswer,
  Unanswered
} from "@pointsman/core/connector"
import { Effect, Redacted, Result, Schema } from "effect"

export const definition: ConnectorDefinition = {
  name: "tiny-pay",
  environments: ["sandbox", "production"],
  redact: Redacted.make,
  // What the provider never takes, whatever the connection's own limits are.
  supports: { methods: ["card"] },
  connect: (account, transport) =>
    Result.map(credentialsOf(account.credentials), (credentials) => connector(credentials, account, transport))
}

interface Credentials {
  readonly url: string
  readonly apiKey: Redacted.Redacted<string>
}

/** Fails with the field and what was expected, never with the value. */
const credentialsOf = (credentials: unknown): Result.Result<Credentials, string> => {
  const { apiKey, url } = Object(credentials) as Record<string, unknown>
  if (typeof url !== "string" || !/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    return Result.fail("credentials.url: expected an absolute http or https URL")
  }
  if (typeof apiKey !== "string" || !/^[\x21-\x7e]+$/.test(apiKey)) {
    return Result.fail("credentials.apiKey: expected printable ASCII text without spaces")
  }
  return Result.succeed({ url: url.replace(/\/+$/, ""), apiKey: Redacted.make(apiKey) })
}

/** No `capture`, `void` or `refund`: Tiny Pay has none, and an absent method says so. */
const connector = (
  { apiKey, url }: Credentials,
  { timeoutMillis }: ConnectorAccount,
  transport: Transport["Service"]
): Connector => {
  const headers = (attemptId: string) => ({
    authorization: `Bearer ${Redacted.value(apiKey)}`,
    // Our attempt id is the provider's idempotency key, in every call about the attempt.
    "idempotency-key": attemptId
  })
  return {
    charge: Effect.fn("MyConnector.charge")(function* (request) {
      const body = chargeBody(request)
      if (body === undefined) return yield* new NotSent({ reason: `${request.money.currency} is not a currency` })
      const answer = yield* transport.send({
        method: "POST",
        url: `${url}/charges`,
        headers: { ...headers(request.attemptId), "content-type": "application/json" },
        body: JSON.stringify(body),
        timeoutMillis
      })
      const hide = hideSecrets([apiKey, ...(request.instrument === null ? [] : [request.instrument])])
      return yield* Effect.fromResult(chargeAnswer(answer, hide))
    }),
    lookUpCharge: Effect.fn("MyConnector.lookUpCharge")(function* ({ attemptId }) {
      const answer = yield* transport.send({
        method: "GET",
        url: `${url}/charges/${encodeURIComponent(attemptId)}`,
        headers: headers(attemptId),
        timeoutMillis
      })
      return yield* Effect.fromResult(lookUpAnswer(answer, hideSecrets([apiKey])))
    })
  }
}

const chargeBody = (request: ChargeRequest) => {
  const amount = decimalOf(request.money)
  return amount === undefined
    ? undefined
    : {
        amount,
        currency: request.money.currency,
        capture: request.capture,
        order: request.reference,
        card: request.instrument === null ? null : Redacted.value(request.instrument)
      }
}

// ---------------------------------------------------------------------------------------------------------------
// What Tiny Pay's answers mean.

const Charge = Schema.Struct({
  id: Schema.NonEmptyString,
  state: Schema.Literals(["held", "paid", "working", "refused", "challenge", "released"]),
  amount: Schema.String,
  currency: Schema.String,
  reason: Schema.optionalKey(Schema.NonEmptyString)
})
const Refusal = Schema.Struct({ error: Schema.Struct({ code: Schema.NonEmptyString, message: Schema.String }) })

const readCharge = Schema.decodeUnknownResult(Schema.fromJsonString(Charge))
const readRefusal = Schema.decodeUnknownResult(Schema.fromJsonString(Refusal))

/** Tiny Pay promises that it did nothing when it answers with one of these and an error. */
const refusalStatuses: ReadonlySet<number> = new Set([400, 401, 422])

const chargeAnswer = (answer: TransportAnswer, hide: Hide): Result.Result<ChargeState | Rejected, Unanswered> => {
  if (!refusalStatuses.has(answer.status)) return chargeState(answer, hide)
  return Result.mapBoth(readRefusal(answer.body), {
    onFailure: () => unreadable(answer),
    onSuccess: ({ error }) => ({ _tag: "Rejected", code: hide(error.code), message: hide(error.message) })
  })
}

/** "Never received" is believed from Tiny Pay alone, not from a page that something on the way put in its place. */
const lookUpAnswer = (answer: TransportAnswer, hide: Hide): Result.Result<Found<ChargeState>, Unanswered> => {
  if (answer.status !== 404) return Result.map(chargeState(answer, hide), (state) => ({ _tag: "Found", state }))
  const refusal = readRefusal(answer.body)
  return Result.isSuccess(refusal) && refusal.success.error.code === "no_such_charge"
    ? Result.succeed({ _tag: "NotFound", conclusive: true })
    : Result.fail(unreadable(answer))
}

const chargeState = (answer: TransportAnswer, hide: Hide): Result.Result<ChargeState, Unanswered> => {
  const read = answer.status === 200 ? readCharge(answer.body) : Result.fail(undefined)
  if (Result.isFailure(read)) return Result.fail(unreadable(answer))
  const { amount, currency, id: providerRef, reason, state } = read.success
  const stated = moneyOf(amount, currency)
  if (stated === undefined) return Result.fail(unreadable(answer))
  switch (state) {
    case "held":
      return Result.succeed({ _tag: "Authorized", providerRef, stated })
    case "paid":
      return Result.succeed({ _tag: "Captured", providerRef, stated })
    case "working":
      return Result.succeed({ _tag: "Pending", providerRef, stated })
    case "challenge":
      return Result.succeed({ _tag: "NeedsCustomer", providerRef })
    case "released":
      return Result.succeed({ _tag: "Canceled", providerRef })
    case "refused": {
      // A reason that nobody mapped is `other`, which is a hard decline.
      const category = reasons.get(reason ?? "") ?? "other"
      return Result.succeed({
        _tag: "Declined",
        providerRef,
        category,
        code: hide(reason ?? "refused"),
        soft: isSoftDecline(category)
      })
    }
  }
}

const reasons: ReadonlyMap<string, DeclineCategory> = new Map([
  ["no_funds", "insufficient_funds"],
  ["stolen", "lost_or_stolen"],
  ["bank_closed", "issuer_unavailable"]
])

const unreadable = ({ status }: TransportAnswer) =>
  new Unanswered({ reason: `Tiny Pay's answer (status ${status}) is not as its documentation says` })

/** Providers send back what they were sent, and their words end up in our answers and records. */
type Hide = ReturnType<typeof hideSecrets>

// ---------------------------------------------------------------------------------------------------------------
// Tiny Pay writes money as decimal text: 12.34 EUR, 500 JPY, 1.230 KWD.

/** `undefined` for a code that is no currency. */
const decimalOf = ({ currency, minorUnits }: Money): string | undefined => {
  const scale = scaleOf(currency)
  if (scale === undefined) return undefined
  if (scale === 0) return String(minorUnits)
  const digits = String(minorUnits).padStart(scale + 1, "0")
  return `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** `undefined` for anything else than an amount with exactly the currency's decimals: nothing is rounded. */
const moneyOf = (decimal: string, currency: string): Money | undefined => {
  const scale = scaleOf(currency)
  if (scale === undefined) return undefined
  const [, whole, fraction] = /^(\d{1,12})(?:\.(\d+))?$/.exec(decimal) ?? []
  return whole === undefined || (fraction ?? "").length !== scale
    ? undefined
    : money(Number(`${whole}${fraction ?? ""}`), currency)
}
