/** Checkout.com's webhooks, with the payloads of its own pages: the signature, the age, whose they are, and each event. */

import { assert, describe } from "@effect/vitest"
import { noMethod, readKept, readBy as readMessageBy, type SignedMessage, toldOf } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import { type MessageAbout, money } from "@pointsman/core/connector"
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
  raw: SignedMessage,
  { at = noon, ...connecting }: Parameters<typeof connected>[1] & { readonly at?: number } = {}
) => readMessageBy(connected([], connecting).connector, raw, secret, at)

const read = (message: unknown, options?: Parameters<typeof readBy>[1]) =>
  readBy(signed(JSON.stringify(message), secret), options)

const endOf = (result: Effect.Success<ReturnType<typeof readBy>>): string =>
  Result.isSuccess(result) ? "read" : `${result.failure._tag}: ${result.failure.reason}`

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
    const result = yield* readMessageBy(connected([]).connector, signed(body, ""), "", noon)
    assert.match(endOf(result), /^pointsman\/MessageUnverified/)
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
    const again = yield* readStored?.(stored) ?? noMethod
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

  const part = { stated: money(500, "EUR") }
  const metadata = { attempt_id: attemptId, operation_id: operationId }
  const doNotHonor = { category: "do_not_honor", normalized: "do_not_honor", code: "20005", soft: true }
  const failedFor = (reason: string) => ({
    ...{ _tag: "Operation", operationId },
    state: { _tag: "OperationFailed", isFinal: true, reason }
  })
  const automatic = { metadata: { attempt_id: attemptId, capture: "automatic" }, response_summary: undefined }
  const refund = (tag: string, more: object) => ({ _tag: tag, providerRefundId: actionId, ...more })
  const ofRefund = (state: unknown) => ({ _tag: "Refund", refundId, state })
  const refusedRefund = { reference: refundReference, response_summary: "Declined" }
  const pendingCapture = { _tag: "Operation", operationId, state: { _tag: "OperationPending" } }
  const declinedAutomatically = { _tag: "CaptureFailed", charge: byAttempt, reason: "20006" }

  const disputed = (verdict: string, more: object = {}) => ({
    ...{ _tag: "Dispute", charge: { providerRef: paymentId }, disputeId: "dsp_9rjdlsd4epepfjyyf9vl", verdict },
    ...more
  })
  const whole = { money: { minorUnits: 1234, currency: "EUR" } }
  const due = { evidence_required_by: "2026-12-01T18:00:00+00:00", amount: 8150, currency: "GBP" }
  const withTerms = { money: { minorUnits: 8150, currency: "GBP" }, dueBy: Date.UTC(2026, 11, 1, 18) }

  type Row = readonly [what: string, type: string, data: Readonly<Record<string, unknown>>, expected: unknown]
  const another = { providerRef: paymentId }
  const capturedBy = (reference: string | undefined, more: object = {}) =>
    told({ ...(reference === undefined ? {} : { reference }), balances: balances(1234), ...more })
  const rows: ReadonlyArray<Row> = [
    ["an approval", "payment_approved", ofUs(), stated("Authorized")],
    ["a capture", "payment_captured", ofUs({ balances: balances(1234) }), stated("Captured")],
    ["a second capture", "payment_captured", ofUs({ amount: 200, balances: balances(700) }), stated("Captured", 700)],
    [
      "a capture without balances",
      "payment_captured",
      ofUs({ amount: 200, balances: undefined }),
      charge({ _tag: "Captured", providerRef: paymentId, capture })
    ],
    [
      "a capture of ours without balances",
      "payment_captured",
      ofUs(ofCapture),
      charge({ _tag: "Captured", providerRef: paymentId, capture: { ...capture, operationId } })
    ],
    ["a capture under another reference", "payment_captured", capturedBy(undefined), stated("Captured", 1234, another)],
    [
      "a capture with its own reference, and our attempt as metadata",
      "payment_captured",
      capturedBy(captureReference, { metadata }),
      stated("Captured")
    ],
    ["a void", "payment_voided", ofUs(), canceled],
    ["a void of what a capture left", "payment_voided", ofUs({ balances: balances(300) }), stated("Captured", 300)],
    ["a payment under way", "payment_pending", ofUs(), stated("Pending")],
    ["a payment that expired", "payment_expired", ofUs(), canceled],
    ["a payment that was cancelled", "payment_canceled", ofUs(), canceled],
    [
      "a refusal",
      "payment_declined",
      ofUs({ response_code: "20005" }),
      charge({ _tag: "Declined", providerRef: paymentId, ...doNotHonor })
    ],
    // The customer may try again there.
    ...["payment_declined", "payment_pending", "payment_expired", "payment_canceled"].flatMap(
      (type): ReadonlyArray<Row> => [
        ["a page with our mark", type, onPage({ metadata: { attempt_id: attemptId, page: "true" } }), stillThere],
        ["a page without a mark", type, onPage({ response_code: "20005" }), stillThere]
      ]
    ),
    [
      "a declined capture of our operation",
      "payment_capture_declined",
      told({ reference: captureReference, response_summary: "Invalid Parameters" }),
      failedFor("Invalid Parameters")
    ],
    [
      "a declined capture that Checkout.com makes by itself",
      "payment_capture_declined",
      ofUs({ ...automatic, response_code: "20006" }),
      declinedAutomatically
    ],
    [
      "a void that was declined",
      "payment_void_declined",
      told({ reference: voidReference, response_summary: "Declined" }),
      failedFor("Declined")
    ],
    [
      "a capture under way",
      "payment_capture_pending",
      told({ metadata: { operation_id: operationId } }),
      pendingCapture
    ],
    [
      "a refund",
      "payment_refunded",
      told({ reference: refundReference, amount: 500 }),
      ofRefund(refund("Succeeded", part))
    ],
    [
      "a refund under way",
      "payment_refund_pending",
      told({ metadata: { refund_id: refundId } }),
      ofRefund(refund("RefundPending", { stated: eur }))
    ],
    [
      "a refund that was declined",
      "payment_refund_declined",
      told(refusedRefund),
      ofRefund(refund("RefundFailed", { reason: "Declined" }))
    ],
    // Made in the Dashboard: under the payment's reference and metadata, or under others, and under no id of ours.
    ...(
      [
        ["with the payment's names", { reference, metadata: { attempt_id: attemptId, page: "false" } }],
        ["with names of its own", {}],
        ["without names", { reference: undefined, metadata: undefined }]
      ] as const
    ).flatMap(([what, names]): ReadonlyArray<Row> => {
      const byHand = told({ ...names, amount: 500 })
      const made = (state: unknown) => ({ _tag: "UnnamedRefund", charge: another, providerRefundId: actionId, state })
      const declined = made(refund("RefundFailed", { reason: "Declined" }))
      return [
        [`a person's refund ${what}`, "payment_refunded", byHand, made(refund("Succeeded", part))],
        [`a person's refund ${what}`, "payment_refund_pending", byHand, made(refund("RefundPending", part))],
        [`a person's refund ${what}`, "payment_refund_declined", { ...byHand, response_summary: "Declined" }, declined]
      ]
    }),
    ...Object.entries({
      opened: ["dispute_received", "dispute_evidence_required", "dispute_evidence_submitted"],
      won: ["dispute_won", "dispute_canceled", "dispute_resolved", "dispute_arbitration_won"],
      lost: ["dispute_lost", "dispute_arbitration_lost", "dispute_accepted", "dispute_expired"]
    }).flatMap(([verdict, types]) =>
      types.flatMap((type): ReadonlyArray<Row> => {
        const ours = dispute({ payment_reference: reference })
        return [
          [`a dispute ${verdict}`, type, dispute(), disputed(verdict, whole)],
          [`a dispute ${verdict} of ours`, type, ours, disputed(verdict, { ...whole, charge: byAttempt })]
        ]
      })
    ),
    ["a part with a deadline", "dispute_evidence_required", dispute(due), disputed("opened", withTerms)],
    [
      "an amount and a deadline that are not as documented",
      "dispute_received",
      dispute({ amount: 1.5, evidence_required_by: "2026-12-01" }),
      disputed("opened")
    ],
    ...(
      [
        ["rapid_dispute_resolution", "lost"],
        ["already_refunded", "won"],
        ["negative_amount", "won"],
        [null, "won"]
      ] as const
    ).map(
      ([reason, verdict]): Row => [
        `the reason ${reason}`,
        "dispute_resolved",
        dispute({ resolved_reason: reason }),
        disputed(verdict, whole)
      ]
    )
  ]
  for (const [what, type, data, expected] of rows) {
    itRuns(`${what} (${type}) is ${(expected as MessageAbout)._tag}, also from what is kept`, function* () {
      const message = event(type, data)
      assert.deepStrictEqual(toldOf(Result.getOrThrow(yield* read(message))), expected)
      const kept = yield* readKept(connected([]).connector, JSON.stringify(message))
      assert.deepStrictEqual(toldOf(Result.getOrThrow(kept)), expected)
    })
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
