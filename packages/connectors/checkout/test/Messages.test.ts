/** Checkout.com's webhooks, with the payloads of its own pages: the signature, the age, whose they are, and each event. */

import { assert, describe } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import { type MessageAbout, money, type ProviderMessage, type RawMessage } from "@pointsman/core/connector"
import { Effect, Redacted, Result } from "effect"
import {
  attemptId,
  captureReference,
  connected,
  eur,
  operationId,
  reference,
  refundId,
  refundReference,
  voidReference
} from "./Calls.ts"
import { channel, credentials, dispute, event, paymentId, prefix, secretKey, signed, told } from "./Checkout.ts"

/** The signature key of the official SDKs' own tests. */
const secret = "8V8x0dLK%AyD*DNS8JJr"
const noon = Date.UTC(2026, 10, 21, 12, 0, 0)
const hours = 60 * 60 * 1000

const readBy = (
  raw: Pick<RawMessage, "headers" | "body">,
  { at = noon, ...connecting }: Parameters<typeof connected>[1] & { readonly at?: number } = {}
) => {
  const { readMessage } = connected([], connecting).connector
  const message = { ...raw, secret: Redacted.make(secret), receivedAt: at }
  return Effect.result(readMessage?.(message) ?? Effect.die(new Error("it reads no messages")))
}

const read = (message: unknown, options?: Parameters<typeof readBy>[1]) =>
  readBy(signed(JSON.stringify(message), secret), options)

const endOf = (result: Effect.Success<ReturnType<typeof readBy>>): string =>
  Result.isSuccess(result) ? "read" : `${result.failure._tag}: ${result.failure.reason}`

/** In comparable words: the state of a message is made from what was asked for. */
const plain = ({ about }: ProviderMessage): unknown =>
  "state" in about && about.state !== null ? { ...about, state: about.state(eur) } : about

const tells = (what: string, message: unknown, expected: unknown) =>
  itRuns(`${what} is ${(expected as MessageAbout)._tag}`, function* () {
    const result = yield* read(message)
    if (Result.isFailure(result)) return assert.fail(endOf(result))
    assert.deepStrictEqual(plain(result.success), expected)
  })

const keptOf = (message: unknown): unknown => {
  const text = JSON.stringify(message)
  return JSON.parse(connected([]).connector.keptOfMessage?.(text) ?? text)
}

describe("the signature", () => {
  const body =
    '{"id":"evt_jclzjykecuuu7mmesbk63alzoa","type":"payment_captured","created_on":"2026-11-21T12:00:00Z",' +
    '"data":{"id":"pay_mbabizu24mvu3mela5njyhpit4","amount":1234,"currency":"EUR","reference":"a03h6tbwsv3x51uhe0a2qcl1bj"}}'
  // `openssl dgst -sha256 -hmac '8V8x0dLK%AyD*DNS8JJr'` of this body.
  const signature = "6d01b264b3c6e82e79b8f8ef902ab674317a73520a5d2099a771ce5f8c565d71"
  const bytes = new TextEncoder().encode(body)

  itRuns("a message with OpenSSL's signature, in either case, is read", function* () {
    for (const header of [signature, signature.toUpperCase()]) {
      assert.strictEqual(endOf(yield* readBy({ headers: { "cko-signature": header }, body: bytes })), "read")
    }
  })
  itRuns("a signature in another place or form, or of other bytes, is refused", function* () {
    const base64 = Buffer.from(signature, "hex").toString("base64")
    for (const headers of [
      {},
      { authorization: signature },
      { "cko-signature": `sha256=${signature}` },
      { "cko-signature": base64 },
      { "cko-signature": signature.replace("6", "7") },
      // Keyed with the API key, as earlier accounts did.
      signed(body, secretKey).headers,
      signed(body, "").headers
    ]) {
      assert.match(endOf(yield* readBy({ headers, body: bytes })), /^pointsman\/MessageUnverified/)
    }
    const reformatted = new TextEncoder().encode(JSON.stringify(JSON.parse(body), null, 1))
    const altered = new TextEncoder().encode(body.replace("1234", "9234"))
    for (const other of [reformatted, altered]) {
      assert.match(
        endOf(yield* readBy({ headers: { "cko-signature": signature }, body: other })),
        /^pointsman\/MessageUnverified/
      )
    }
  })
  itRuns("nothing verifies at a connection without a webhook secret", function* () {
    const { readMessage } = connected([]).connector
    const raw = { ...signed(body, ""), secret: Redacted.make(""), receivedAt: noon }
    const failed = yield* Effect.flip(readMessage?.(raw) ?? Effect.die(new Error("it reads no messages")))
    assert.strictEqual(failed._tag, "pointsman/MessageUnverified")
  })
})

describe("the age", () => {
  const message = event("payment_captured", told({ reference }))
  itRuns("the last repetition of a message, 30 hours after the first, is read", function* () {
    assert.strictEqual(endOf(yield* read(message, { at: noon + 30 * hours })), "read")
    assert.strictEqual(endOf(yield* read(message, { at: noon + 36 * hours })), "read")
    assert.strictEqual(endOf(yield* read(message, { at: noon - 300_000 })), "read")
  })
  itRuns("an older message, or one of the future, is refused, whatever its signature", function* () {
    for (const at of [noon + 36 * hours + 1, noon + 365 * 24 * hours, noon - 300_001]) {
      assert.match(endOf(yield* read(message, { at })), /^pointsman\/MessageUnverified: its event is too old/)
    }
  })
  itRuns("an old message that was stored is read again", function* () {
    const { readStored } = connected([]).connector
    const stored = { body: signed(JSON.stringify(message), secret).body, secret: Redacted.make(secret) }
    const again = yield* readStored?.(stored) ?? Effect.die(new Error("it reads none again"))
    assert.strictEqual(again.at, noon)
  })
  itRuns("a message's `timestamp` is its time, and without a time it is unreadable", function* () {
    const { created_on, ...others } = message
    const result = yield* read({ ...others, timestamp: "2026-11-21T11:59:58.357+00:00" })
    assert.strictEqual(Result.isSuccess(result) ? result.success.at : endOf(result), noon - 1_643)
    assert.match(endOf(yield* read(others)), /^pointsman\/MessageUnreadable: its created_on is missing/)
  })
})

describe("whose it is", () => {
  const self = (href: string) => ({ _links: { self: { href } } })
  const captured = (fields: Readonly<Record<string, unknown>>) => event("payment_captured", told({ reference }), fields)
  const disputed = (fields: Readonly<Record<string, unknown>>) => event("dispute_lost", dispute(fields))
  const ofChannel = { credentials: { ...credentials, processingChannelId: channel } }

  itRuns("messages of another account, channel or environment are unreadable", function* () {
    for (const [message, options] of [
      [captured(self("https://otherone.api.sandbox.checkout.com/workflows/events/evt_1"))],
      [captured(self(`https://${prefix}.api.checkout.com/workflows/events/evt_1`))],
      [captured(self("https://api.checkout.com/workflows/events/evt_1"))],
      [disputed({ client_id: "cli_rfj4yr43ivge3jo3n22x3hgiei" })],
      [disputed({ processing_channel_id: "pc_aaaaaaaaaaaaaaaaaaaaaaaaaa" }), ofChannel]
    ] as const) {
      assert.match(endOf(yield* read(message, options)), /^pointsman\/MessageUnreadable: it belongs to/)
    }
  })
  itRuns("messages of ours, or that do not say whose they are, are read", function* () {
    for (const [message, options] of [
      [captured(self("https://api.sandbox.checkout.com/workflows/events/evt_1"))],
      [captured(self("https://flow.example/workflows/events/evt_1"))],
      [captured({ _links: undefined })],
      [disputed({ client_id: undefined, processing_channel_id: undefined }), ofChannel],
      [disputed({}), ofChannel]
    ] as const) {
      assert.strictEqual(endOf(yield* read(message, options)), "read")
    }
  })
})

describe("what it says", () => {
  const byAttempt = { attemptId }
  const ofUs = (fields: Readonly<Record<string, unknown>> = {}) =>
    told({ reference, metadata: { attempt_id: attemptId, page: "false" }, ...fields })
  const onPage = (fields: Readonly<Record<string, unknown>> = {}) => told({ reference, ...fields })
  const charge = (state: unknown, name: unknown = byAttempt) => ({ _tag: "Charge", charge: name, state })
  const stated = (tag: string, minorUnits = 1234, name: unknown = byAttempt) =>
    charge({ _tag: tag, providerRef: paymentId, stated: money(minorUnits, "EUR") }, name)
  const stillThere = charge({ _tag: "NeedsCustomer", providerRef: null })
  const canceled = charge({ _tag: "Canceled", providerRef: paymentId })
  const actionId = "act_sp2dsihrbfauvnccap2gst6uiy"
  const balances = (total_captured: number) => ({ total_authorized: 1234, total_captured })
  const capture = { id: actionId, money: money(200, "EUR") }
  const ofCapture = { reference: captureReference, amount: 200, balances: undefined }

  tells("an approval", event("payment_approved", ofUs()), stated("Authorized"))
  tells("a capture", event("payment_captured", ofUs({ balances: balances(1234) })), stated("Captured"))
  tells(
    "a capture of a part, and a second one: what is captured in all",
    event("payment_captured", ofUs({ amount: 200, balances: balances(700) })),
    stated("Captured", 700)
  )
  tells(
    "a capture without balances",
    event("payment_captured", ofUs({ amount: 200, balances: undefined })),
    charge({ _tag: "Captured", providerRef: paymentId, capture })
  )
  tells(
    "a capture of ours without balances",
    event("payment_captured", ofUs(ofCapture)),
    charge({ _tag: "Captured", providerRef: paymentId, capture: { ...capture, operationId } })
  )
  tells(
    "a capture under a reference of somebody else's",
    event("payment_captured", told({ balances: balances(1234) })),
    stated("Captured", 1234, { providerRef: paymentId })
  )
  const metadata = { attempt_id: attemptId, operation_id: operationId }
  tells(
    "a capture with its own reference, and our attempt as metadata",
    event("payment_captured", told({ reference: captureReference, metadata, balances: balances(1234) })),
    stated("Captured")
  )
  tells("a void", event("payment_voided", ofUs()), canceled)
  tells(
    "a void of the rest, after a capture",
    event("payment_voided", ofUs({ balances: balances(300) })),
    stated("Captured", 300)
  )
  tells("a payment under way", event("payment_pending", ofUs()), stated("Pending"))
  tells("a payment that expired", event("payment_expired", ofUs()), canceled)
  tells("a payment that was cancelled", event("payment_canceled", ofUs()), canceled)
  const doNotHonor = { category: "do_not_honor", normalized: "do_not_honor", code: "20005", soft: true }
  tells(
    "a refusal",
    event("payment_declined", ofUs({ response_code: "20005" })),
    charge({ _tag: "Declined", providerRef: paymentId, ...doNotHonor })
  )
  for (const type of ["payment_declined", "payment_pending", "payment_expired", "payment_canceled"]) {
    tells(
      `${type} on a page, with our mark`,
      event(type, onPage({ metadata: { attempt_id: attemptId, page: "true" } })),
      stillThere
    )
    tells(
      `${type} on a page, where the customer may try again`,
      event(type, onPage({ response_code: "20005" })),
      stillThere
    )
  }
  const failedFor = (reason: string) => ({
    ...{ _tag: "Operation", operationId },
    state: { _tag: "OperationFailed", isFinal: true, reason }
  })
  tells(
    "a capture that was declined, of our operation",
    event("payment_capture_declined", told({ reference: captureReference, response_summary: "Invalid Parameters" })),
    failedFor("Invalid Parameters")
  )
  const automatic = { attempt_id: attemptId, capture: "automatic" }
  tells(
    "a capture that was declined, of the capture that Checkout.com makes by itself",
    event(
      "payment_capture_declined",
      ofUs({ metadata: automatic, response_summary: undefined, response_code: "20006" })
    ),
    { _tag: "CaptureFailed", charge: byAttempt, reason: "20006" }
  )
  tells(
    "a void that was declined",
    event("payment_void_declined", told({ reference: voidReference, response_summary: "Declined" })),
    failedFor("Declined")
  )
  tells("a capture under way", event("payment_capture_pending", told({ metadata: { operation_id: operationId } })), {
    _tag: "Operation",
    operationId,
    state: { _tag: "OperationPending" }
  })
  const refund = (tag: string, more: object) => ({ _tag: tag, providerRefundId: actionId, ...more })
  const ofRefund = (state: unknown) => ({ _tag: "Refund", refundId, state })
  const part = { stated: money(500, "EUR") }
  tells(
    "a refund",
    event("payment_refunded", told({ reference: refundReference, amount: 500 })),
    ofRefund(refund("Succeeded", part))
  )
  tells(
    "a refund under way",
    event("payment_refund_pending", told({ metadata: { refund_id: refundId } })),
    ofRefund(refund("RefundPending", { stated: eur }))
  )
  tells(
    "a refund that was declined",
    event("payment_refund_declined", told({ reference: refundReference, response_summary: "Declined" })),
    ofRefund(refund("RefundFailed", { reason: "Declined" }))
  )
  // Made in the Dashboard: under the payment's reference and metadata, or under others, and under no id of ours.
  for (const [what, names] of [
    ["with the payment's names", { reference, metadata: { attempt_id: attemptId, page: "false" } }],
    ["with names of its own", {}],
    ["without names", { reference: undefined, metadata: undefined }]
  ] as const) {
    const made = (state: unknown) => ({
      ...{ _tag: "UnnamedRefund", charge: { providerRef: paymentId } },
      ...{ providerRefundId: actionId, state }
    })
    const byHand = told({ ...names, amount: 500 })
    const succeeded = made(refund("Succeeded", part))
    tells(`a refund that a person made, ${what}`, event("payment_refunded", byHand), succeeded)
    tells(`what is kept of a refund that a person made, ${what}`, keptOf(event("payment_refunded", byHand)), succeeded)
    tells(
      `a refund under way that a person made, ${what}`,
      event("payment_refund_pending", byHand),
      made(refund("RefundPending", part))
    )
    tells(
      `a refund of a person that was declined, ${what}`,
      event("payment_refund_declined", { ...byHand, response_summary: "Declined" }),
      made(refund("RefundFailed", { reason: "Declined" }))
    )
  }

  const disputed = (verdict: string, more: object = {}) => ({
    ...{ _tag: "Dispute", charge: { providerRef: paymentId }, disputeId: "dsp_9rjdlsd4epepfjyyf9vl", verdict },
    ...more
  })
  const whole = { money: { minorUnits: 1234, currency: "EUR" } }
  for (const [type, verdict] of [
    ["dispute_received", "opened"],
    ["dispute_evidence_required", "opened"],
    ["dispute_evidence_submitted", "opened"],
    ["dispute_won", "won"],
    ["dispute_canceled", "won"],
    ["dispute_resolved", "won"],
    ["dispute_arbitration_won", "won"],
    ["dispute_lost", "lost"],
    ["dispute_arbitration_lost", "lost"],
    ["dispute_accepted", "lost"],
    ["dispute_expired", "lost"]
  ] as const) {
    tells(`${type}: ${verdict}`, event(type, dispute()), disputed(verdict, whole))
    tells(
      `${type} of a payment of ours: ${verdict}`,
      event(type, dispute({ payment_reference: reference })),
      disputed(verdict, { ...whole, charge: byAttempt })
    )
  }

  const due = { evidence_required_by: "2026-12-01T18:00:00+00:00", amount: 8150, currency: "GBP" }
  const withTerms = disputed("opened", {
    money: { minorUnits: 8150, currency: "GBP" },
    dueBy: Date.UTC(2026, 11, 1, 18)
  })
  tells("a dispute about a part, with a deadline", event("dispute_evidence_required", dispute(due)), withTerms)
  tells("what is kept of a deadline", keptOf(event("dispute_evidence_required", dispute(due))), withTerms)
  tells(
    "a dispute whose amount and deadline are not as documented",
    event("dispute_received", dispute({ amount: 1.5, evidence_required_by: "2026-12-01" })),
    disputed("opened")
  )

  for (const [reason, verdict] of [
    ["rapid_dispute_resolution", "lost"],
    ["already_refunded", "won"],
    ["negative_amount", "won"],
    [null, "won"]
  ] as const) {
    const resolved = event("dispute_resolved", dispute({ resolved_reason: reason }))
    const about = disputed(verdict, whole)
    tells(`dispute_resolved with the reason ${reason}: ${verdict}`, resolved, about)
    tells(`what is kept of a dispute_resolved with the reason ${reason}: ${verdict}`, keptOf(resolved), about)
  }

  itRuns("a message that is not understood causes a lookup of its payment, with the reason", function* () {
    for (const [message, why] of [
      [event("payment_returned", ofUs()), /its type is not supported/],
      [event("card_verified", ofUs()), /its type is not supported/],
      [
        event("payment_capture_declined", ofUs({ metadata: { attempt_id: attemptId, capture: "manual" } })),
        /its operation is unknown/
      ],
      [event("payment_void_declined", ofUs()), /its operation is unknown/],
      [event("payment_refunded", ofUs({ action_id: undefined })), /data.action_id is missing/],
      [event("payment_refunded", ofUs({ amount: undefined })), /data.amount/],
      [
        event("payment_refunded", told({ reference: refundReference, action_id: undefined })),
        /data.action_id is missing/
      ],
      [event("payment_refunded", told({ reference: refundReference, currency: "XXX" })), /data.amount/],
      [event("payment_approved", ofUs({ amount: undefined })), /data.amount is missing/],
      [event("payment_approved", ofUs({ amount: 12.5 })), /it is not as documented at amount/],
      [event("payment_captured", ofUs({ currency: "XXX", balances: balances(1) })), /data.currency/],
      [event("dispute_lost", dispute({ payment_id: undefined })), /it is not as documented at payment_id/]
    ] as const) {
      const result = yield* read(message)
      const about = Result.isSuccess(result) ? result.success.about : undefined
      const isUnnamed = message.type === "card_verified" || message.type === "dispute_lost"
      assert.strictEqual(about?._tag, isUnnamed ? undefined : "Changed")
      assert.match(about?._tag === "Changed" ? about.reason : endOf(result), why)
    }
  })
  itRuns("personal data in a message is not kept", function* () {
    const { keptOfMessage } = connected([]).connector
    const customer = { email: "brucewayne@example.com", name: "Bruce Wayne" }
    const source = { last4: "4242", fingerprint: "2BBAB84F" }
    const kept = keptOfMessage?.(
      JSON.stringify(event("payment_captured", ofUs({ customer, source, payment_ip: "203.0.113.0" })))
    )
    assert.match(kept ?? "", /pay_mbabizu24mvu3mela5njyhpit4/)
    assert.notMatch(kept ?? "", /brucewayne|Bruce|4242|2BBAB84F|203\.0\.113\.0/)
    yield* Effect.void
  })
})
