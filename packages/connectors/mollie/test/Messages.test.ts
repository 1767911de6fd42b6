/** Mollie's signed webhooks, signed by Mollie's own library, and the unsigned ones that name a payment. */

import { assert, describe, it } from "@effect/vitest"
import { noMethod, readBy, readKept, toldOf, unknownBecause } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import type { HintedMessage, MessageAbout } from "@pointsman/core/connector"
import { money } from "@pointsman/core/connector"
import { Effect, Result } from "effect"
import { SignatureValidator } from "mollie-api-typescript/utils/webhooks/signature_validator.js"
import { noon, providerRef, scripted } from "./Calls.ts"
import { answer, capture, chargeback, event, type Fields, failure, list, payment, refund } from "./Mollie.ts"

const secret = "test_webhook_secret"
const bytes = (text: string) => new TextEncoder().encode(text)
const { connector } = scripted([])
const hour = 60 * 60 * 1000

const read = (text: string, signature: string, by = secret, receivedAt = noon) =>
  readBy(connector, { headers: { "x-mollie-signature": signature }, body: bytes(text) }, by, receivedAt)

const signatureOf = (text: string, by = secret) => Effect.promise(() => SignatureValidator.createSignature(text, by))

const readSigned = (message: Fields) => {
  const text = JSON.stringify(message)
  return Effect.flatMap(signatureOf(text), (signature) => read(text, `sha256=${signature}`))
}
const aboutOf = (message: Fields) => Effect.map(readSigned(message), (result) => Result.getOrThrow(result).about)

const outcomeOf = (result: Effect.Success<ReturnType<typeof readSigned>>): string => {
  if (Result.isFailure(result)) return `${result.failure._tag.replace("pointsman/", "")}: ${result.failure.reason}`
  const { _tag, reason, state } = toldOf(result.success) as { _tag: string; reason?: string; state?: { _tag: string } }
  return reason === undefined ? `${_tag} ${state?._tag ?? ""}`.trim() : `${_tag}: ${reason}`
}

/** A statement about a refund without our id. */
const unnamed = (about: MessageAbout): unknown => {
  if (about._tag !== "UnnamedRefund") return about._tag
  const { charge, providerRefundId, state } = about
  const told = state(money(1234, "EUR"))
  return { charge, providerRefundId, tag: told._tag, amount: "stated" in told ? told.stated?.minorUnits : undefined }
}

describe("the signature", () => {
  const text = JSON.stringify(event("payment.paid", payment()))

  itRuns("a message is read or refused as by Mollie's library", function* () {
    const right = yield* signatureOf(text)
    const wrong = yield* signatureOf(text, "alternate_webhook_secret")
    const cases: ReadonlyArray<readonly [string, string]> = [
      ["bare", right],
      ["prefixed", `sha256=${right}`],
      ["of another secret", `sha256=${wrong}`],
      ["of another body", `sha256=${yield* signatureOf(`${text} `)}`],
      ["invalid", "invalid_signature"],
      ["cut", `sha256=${right.slice(1)}`]
    ]
    for (const [what, signature] of cases) {
      const isAccepted = yield* Effect.promise(() =>
        SignatureValidator.validate(text, secret, signature).catch(() => false)
      )
      assert.strictEqual(Result.isSuccess(yield* read(text, signature)), isAccepted, what)
    }
  })

  // The payloads and secrets of the tests of Mollie's PHP library (`SignatureValidatorTest.php` and
  // `WebhookSignatureVerifierTest.php` of https://github.com/mollie/mollie-api-php); the tags are OpenSSL's.
  for (const [payload, itsSecret, tag] of [
    [
      '{"id":"tr_12345","event_type":"payment-link.paid"}',
      "test_webhook_secret",
      "e479a5e4aaa17db94cfc546071e10e91c0b37f21e464e751ebdd7d7ad2ffd146"
    ],
    [
      '{"id":"evt_test","type":"payment-link.paid","entityId":"pl_test","createdAt":"2024-01-01T00:00:00+00:00"}',
      "webhook_secret",
      "77ffed7a0a427c09a20254c84c607ca1477a544e9bbc77c7eabc97f7b3574fe0"
    ]
  ] as const) {
    itRuns(`only the payload that Mollie's PHP library signs with ${itsSecret} verifies`, function* () {
      const ends = (body: string, signature: string, by: string = itsSecret) =>
        Effect.map(read(body, signature, by), (result) => (Result.isFailure(result) ? result.failure._tag : "read"))
      // Verified, and no event of a payment.
      for (const signature of [tag, `sha256=${tag}`]) {
        assert.strictEqual(yield* ends(payload, signature), "pointsman/MessageUnreadable")
      }
      assert.strictEqual(yield* ends(`${payload} `, tag), "pointsman/MessageUnverified")
      assert.strictEqual(yield* ends(payload, tag, "the secret of another account"), "pointsman/MessageUnverified")
    })
  }

  itRuns("either signature of a rotation is enough, in any order, of eight at most", function* () {
    const right = `sha256=${yield* signatureOf(text)}`
    const other = `sha256=${yield* signatureOf(text, "alternate_webhook_secret")}`
    for (const [header, isRead] of [
      [`${right}, ${other}`, true],
      [`${other},${right}`, true],
      [`${other}, ${other}`, false],
      [`${Array(8).fill(other).join(",")},${right}`, false]
    ] as const) {
      assert.strictEqual(Result.isSuccess(yield* read(text, header)), isRead, header)
    }
  })

  itRuns("an event too old or of the future is refused; as old as its last sending, not", function* () {
    const signature = yield* signatureOf(text)
    for (const [age, isRead] of [
      [26 * hour, true],
      [52 * hour, true],
      [52 * hour + 1, false],
      [-5 * 60_000, true],
      [-5 * 60_000 - 1, false]
    ] as const) {
      const result = yield* read(text, signature, secret, noon + age)
      assert.strictEqual(Result.isSuccess(result), isRead, `${age} ms`)
      if (Result.isFailure(result)) assert.strictEqual(result.failure._tag, "pointsman/MessageUnverified")
    }
  })
})

/** Beside those that the suite sends. */
const events: ReadonlyArray<readonly [type: string, entity: Fields, becomes: string]> = [
  ["payment.pending", payment({ status: "pending" }), "Charge Pending"],
  ["payment.expired", payment({ status: "expired" }), "Charge Canceled"],
  ["payment.failed", payment({ status: "failed" }), "Charge Declined"],
  ["refund.queued", refund({ status: "queued" }), "Refund RefundPending"],
  ["refund.pending", refund({ status: "pending" }), "Refund RefundPending"],
  ["refund.processing", refund({ status: "processing" }), "Refund RefundPending"],
  ["refund.canceled", refund({ status: "canceled" }), "Refund RefundFailed"]
]

describe("an event", () => {
  for (const [type, entity, becomes] of events) {
    itRuns(`${type} is ${becomes}`, function* () {
      assert.strictEqual(outcomeOf(yield* readSigned(event(type, entity))), becomes)
    })
  }

  for (const [amount, stated] of [
    [{ currency: "EUR", value: "3.00" }, { money: money(300, "EUR") }],
    [{ currency: "EUR", value: "3,00" }, {}],
    [undefined, {}]
  ] as const) {
    itRuns(`a chargeback of ${amount?.value} disputes that`, function* () {
      for (const [type, reversedAt, verdict] of [
        ["chargeback.received", null, "opened"],
        ["chargeback.reversed", "2026-11-22T12:00:00+00:00", "won"]
      ] as const) {
        const about = yield* aboutOf(event(type, chargeback({ amount, reversedAt })))
        const { id: disputeId, paymentId: providerRef } = chargeback() as { id: string; paymentId: string }
        assert.deepStrictEqual<unknown>(about, {
          ...{ _tag: "Dispute", charge: { providerRef }, disputeId, verdict },
          ...stated
        })
      }
    })
  }

  // As Mollie writes a refund that was made in its dashboard (https://docs.mollie.com/reference/get-refund), or by another
  // program with a name of its own for it.
  for (const metadata of [null, { order: 1 }, "order 1", { refund_id: "8151" }]) {
    for (const [status, tag] of [
      ["queued", "RefundPending"],
      ["refunded", "Succeeded"],
      ["canceled", "RefundFailed"]
    ]) {
      itRuns(`the payment of ${JSON.stringify(metadata)}, ${status}, names its refund`, function* () {
        const made = refund({ metadata, status, amount: { currency: "EUR", value: "4.00" } })
        assert.deepStrictEqual(unnamed(yield* aboutOf(event(`refund.${status}`, made))), {
          ...{ charge: { providerRef }, providerRefundId: "re_4qqhO89gsT", tag },
          amount: status === "canceled" ? undefined : 400
        })
      })
    }
  }

  const entity = payment()
  const live = { mode: "live" }
  const broken: ReadonlyArray<readonly [what: string, message: Fields, reason: string]> = [
    ["another type", event("payment-link.paid", entity), "its type is not supported"],
    ["no snapshot", event("payment.paid", entity, { _embedded: undefined }), "it has no snapshot, at _embedded.entity"],
    ["no time", event("payment.paid", entity, { createdAt: undefined }), "it names no time, at createdAt"],
    ["the other mode", event("payment.paid", payment(live)), "it cannot be read at _embedded.entity.mode"],
    ["a capture of it", event("capture.succeeded", capture({ ...live, metadata: null })), "it cannot be read"]
  ]
  const unnamedCapture = event("capture.succeeded", capture({ metadata: null }))
  const unknownStatus = event("payment.paid", payment({ status: "settled" }))
  const changes: typeof broken = [
    ["a capture by hand", unnamedCapture, "it cannot be read at _embedded.entity.metadata.operation_id"],
    ["an unknown status", unknownStatus, "it is not as Mollie describes its webhooks"]
  ]
  for (const [what, message, reason] of changes) {
    itRuns(`${what} changed something about the payment`, function* () {
      const outcome = outcomeOf(yield* readSigned(message))
      assert.isTrue(outcome.startsWith(`Changed: ${reason}`), outcome)
    })
  }
  itRuns("a payment without our id is named as Mollie names it", function* () {
    const about = yield* aboutOf(event("payment.paid", payment({ metadata: { order: 1 } })))
    assert.deepInclude(about, { _tag: "Charge", charge: { providerRef } })
  })
  for (const [what, message, reason] of broken) {
    itRuns(`${what} is unreadable, and says where`, function* () {
      const outcome = outcomeOf(yield* readSigned(message))
      assert.isTrue(outcome.startsWith(`MessageUnreadable: ${reason}`), outcome)
    })
  }

  it("names, cards and accounts of customers are not kept of a message", () => {
    const details = { cardHolder: "T. TEST", cardNumber: "4444", consumerAccount: "NL55INGB0000000000" }
    const kept = connector.keptOfMessage?.(JSON.stringify(event("payment.paid", payment({ details })))) ?? ""
    for (const personal of ["T. TEST", "4444", "NL55", "order 1", "cst_", "mdt_"]) assert.notInclude(kept, personal)
  })
})

describe("a hint of a payment", () => {
  const lookUp = (given: Parameters<typeof answer>[1], status = 200, ...pages: ReadonlyArray<Fields>) => {
    const { connector, requests } = scripted([answer(status, given), ...pages.map((page) => answer(200, page))])
    return Effect.map(connector.hints?.lookUp(providerRef) ?? noMethod, (messages) => ({ messages, requests }))
  }

  itRuns("one request states a payment with each of our captures, refunds and chargebacks", function* () {
    const whole = payment({
      amountCaptured: { currency: "EUR", value: "10.00" },
      _embedded: {
        captures: [capture(), capture({ id: "cpt_2", metadata: null }), capture({ id: "cpt_3", status: "pending" })],
        refunds: [refund(), refund({ id: "re_2", metadata: { order: 1 } })],
        chargebacks: [chargeback(), chargeback({ id: "chb_2", reversedAt: "2026-11-22T12:00:00+00:00" })]
      }
    })
    const { messages, requests } = yield* lookUp(whole)
    assert.deepStrictEqual(
      requests.map(({ method, url }) => `${method} ${url}`),
      [`GET https://api.mollie.com/v2/payments/${providerRef}?embed=captures,refunds,chargebacks`]
    )
    assert.deepStrictEqual(
      messages.map(({ message: { about, at, id } }) => [about._tag, id, at]),
      [
        ["Charge", `${providerRef} paid 10.00`, noon],
        ["Operation", "cpt_vytxeTZskVKR7C7WgdSP3d succeeded", null],
        ["Refund", "re_4qqhO89gsT refunded", null],
        ["UnnamedRefund", "re_2 refunded", null],
        ["Dispute", "chb_xFzwUN4ci8HAmSGUACS4J received", noon],
        ["Dispute", "chb_2 reversed", noon + 24 * hour]
      ]
    )
    for (const { body } of messages) assert.notInclude(body, "cst_")
  })

  const byHand = (id: string, value: string, fields: Fields = {}) =>
    refund({ id, metadata: null, description: "", amount: { currency: "EUR", value }, ...fields })
  const refundedIn = (messages: ReadonlyArray<HintedMessage>) =>
    messages.flatMap(({ message: { about, id } }) => (about._tag === "Charge" ? [] : [[id, unnamed(about)]]))

  itRuns("a refund by hand has its charge named by our attempt, also in what is stored", function* () {
    const ours = refund({ amount: { currency: "EUR", value: "1.00" } })
    const refunds = [byHand("re_2", "4.00", { status: "queued" }), ours]
    const { messages } = yield* lookUp(payment({ _embedded: { refunds } }))
    const told = { charge: { attemptId: "att_1" }, providerRefundId: "re_2", tag: "RefundPending", amount: 400 }
    assert.deepStrictEqual(refundedIn(messages), [
      ["re_2 queued", told],
      ["re_4qqhO89gsT refunded", "Refund"]
    ])
    const again = Result.getOrThrow(
      yield* readKept({ ...connector, keptOfMessage: (text) => text }, messages[1]?.body ?? "")
    )
    assert.deepStrictEqual([again.id, unnamed(again.about)], ["re_2 queued", told])
  })

  // https://docs.mollie.com/reference/get-payment: "amountRefunded: the total amount that is already refunded".
  itRuns("refunds above those that come with the payment are listed, page by page", function* () {
    const embedded = [byHand("re_1", "1.00"), byHand("re_2", "2.00", { status: "canceled" })]
    const whole = (value: string) =>
      payment({ amountRefunded: { currency: "EUR", value }, _embedded: { refunds: embedded } })
    const { messages, requests } = yield* lookUp(
      whole("5.00"),
      200,
      list("refunds", [byHand("re_4", "3.00"), ...embedded], "re_3"),
      list("refunds", [byHand("re_3", "1.00")])
    )
    assert.deepStrictEqual(
      requests.slice(1).map(({ url }) => url),
      ["", "&from=re_3"].map((from) => `https://api.mollie.com/v2/payments/${providerRef}/refunds?limit=250${from}`)
    )
    assert.sameMembers(
      refundedIn(messages).map(([id]) => id),
      ["re_1 refunded", "re_2 canceled", "re_3 refunded", "re_4 refunded"]
    )
    assert.lengthOf((yield* lookUp(whole("1.00"))).requests, 1)
  })

  itRuns("a payment not paid yet, or of another program with a chargeback, states nothing", function* () {
    const others = { metadata: null, _embedded: { chargebacks: [chargeback()] } }
    for (const fields of [{ status: "open", paidAt: undefined }, others]) {
      assert.isEmpty((yield* lookUp(payment(fields))).messages)
    }
  })

  itRuns("another payment or mode, an unreadable total or list, or an error is unknown", function* () {
    for (const fields of [{ id: "tr_other" }, { mode: "live" }]) yield* unknownBecause(lookUp(payment(fields)))
    const whole = (value: string) => payment({ amountRefunded: { currency: "EUR", value } })
    yield* unknownBecause(lookUp(whole("1")))
    const page = list("refunds", [byHand("re_1", "1.00", { status: "settled" })])
    yield* unknownBecause(lookUp(whole("1.00"), 200, page))
    for (const status of [400, 401, 403, 410, 429, 500, 503]) {
      yield* unknownBecause(lookUp(failure(status).body, status))
    }
  })
})
