/** What each of Adyen's events means, and what no event may mean. */
import { assert, describe, it } from "@effect/vitest"
import { type ChargeName, type MessageAbout, money } from "@pointsman/core/connector"
import { Effect, Logger, Redacted, Result } from "effect"
import { apiKey, hmacKey, type Item } from "./Adyen.ts"
import { attemptId, connect, eur, providerRef } from "./Requests.ts"
import { signed } from "./Signer.ts"

const read = Effect.fnUntraced(function* (item: Item) {
  const { connector } = connect([])
  if (connector.readMessage === undefined) return yield* Effect.die("it reads no messages")
  const raw = { ...signed(item), secret: Redacted.make(hmacKey), receivedAt: 0 }
  return yield* Effect.result(connector.readMessage(raw))
})

const ownReference = "QFQTPCQ8HXSKGK82"
const amount = { value: 1000, currency: "EUR" }
const refundId = "rf_01a1fe08-9228-7603-b126-ec7b725f925d"

/** Of the payment itself. */
const ofPayment = { pspReference: providerRef, merchantReference: `${attemptId}.held`, amount, success: "true" }
/** Of something that was done to it. */
const ofChange = { ...ofPayment, pspReference: ownReference, originalReference: providerRef }
const ofCapture = { ...ofChange, merchantReference: `${attemptId}.capture` }
const ofCancel = { ...ofChange, merchantReference: `${attemptId}.cancel` }
const ofRefund = { ...ofChange, merchantReference: refundId }

/** What is said, whole: the state too. */
const saidOf = (about: MessageAbout): unknown =>
  about._tag === "Charge"
    ? [about.charge, about.state(eur)]
    : about._tag === "Refund"
      ? [about.refundId, about.state(eur)]
      : about._tag === "Dispute"
        ? [about.charge, about.disputeId, about.verdict]
        : "settled"

const ours: ChargeName = { attemptId }
const stillPending = { _tag: "Pending", providerRef }
const captured = { _tag: "Captured", providerRef, stated: eur }
const canceled = { _tag: "Canceled", providerRef }
const onPage = { _tag: "NeedsCustomer", providerRef: null }

const table: ReadonlyArray<readonly [string, Item, unknown]> = [
  ["held", { ...ofPayment, eventCode: "AUTHORISATION" }, [ours, { _tag: "Authorized", providerRef, stated: eur }]],
  [
    "taken at once",
    { ...ofPayment, eventCode: "AUTHORISATION", merchantReference: `${attemptId}.taken` },
    [ours, captured]
  ],
  [
    "taken at once, on a page",
    { ...ofPayment, eventCode: "AUTHORISATION", merchantReference: `${attemptId}.taken.page` },
    [ours, captured]
  ],
  [
    "held, on a page",
    { ...ofPayment, eventCode: "AUTHORISATION", merchantReference: `${attemptId}.held.page` },
    [ours, { _tag: "Authorized", providerRef, stated: eur }]
  ],
  [
    "of somebody else's payment",
    { ...ofPayment, eventCode: "AUTHORISATION", merchantReference: "order 1" },
    [{ providerRef }, { _tag: "Authorized", providerRef, stated: eur }]
  ],
  [
    "in ISK",
    { ...ofPayment, eventCode: "AUTHORISATION", amount: { value: 5000, currency: "ISK" } },
    [ours, { _tag: "Authorized", providerRef, stated: money(50, "ISK") }]
  ],
  [
    "refused, with a reason",
    { ...ofPayment, eventCode: "AUTHORISATION", success: "false", reason: "Not enough balance" },
    [ours, { _tag: "Declined", providerRef, category: "insufficient_funds", code: "12", soft: false }]
  ],
  [
    "refused, with a code",
    {
      ...ofPayment,
      eventCode: "AUTHORISATION",
      success: "false",
      reason: "Refused",
      additionalData: { refusalReasonCode: "9" }
    },
    [ours, { _tag: "Declined", providerRef, category: "issuer_unavailable", code: "9", soft: true }]
  ],
  [
    "refused, with a reason that echoes a secret",
    { ...ofPayment, eventCode: "AUTHORISATION", success: "false", reason: `bad ${apiKey} \u0000` },
    [ours, { _tag: "Declined", providerRef, category: "other", code: "bad ***  ", soft: false }]
  ],
  // The customer may try again there.
  [
    "refused on a page",
    { ...ofPayment, eventCode: "AUTHORISATION", success: "false", merchantReference: `${attemptId}.taken.page` },
    [ours, onPage]
  ],
  ["done", { ...ofCapture, eventCode: "CAPTURE" }, [ours, captured]],
  [
    "done in part",
    { ...ofCapture, eventCode: "CAPTURE", amount: { value: 400, currency: "EUR" } },
    [ours, { ...captured, stated: money(400, "EUR") }]
  ],
  ["done by hand", { ...ofChange, merchantReference: "by hand", eventCode: "CAPTURE" }, [{ providerRef }, captured]],
  ["done by hand, under the payment's reference", { ...ofChange, eventCode: "CAPTURE" }, [ours, captured]],
  [
    "not done",
    { ...ofCapture, eventCode: "CAPTURE", success: "false", reason: "Insufficient balance on payment" },
    [ours, stillPending]
  ],
  [
    "whose success is that of telling",
    { ...ofCapture, eventCode: "CAPTURE_FAILED", reason: "Capture Failed" },
    [ours, stillPending]
  ],
  ["done", { ...ofCancel, eventCode: "CANCELLATION" }, [ours, canceled]],
  ["not done", { ...ofCancel, eventCode: "CANCELLATION", success: "false" }, [ours, stillPending]],
  ["done", { ...ofCancel, eventCode: "TECHNICAL_CANCEL" }, [ours, canceled]],
  ["not done", { ...ofCancel, eventCode: "TECHNICAL_CANCEL", success: "false" }, [ours, stillPending]],
  [
    "that was a cancel",
    { ...ofChange, eventCode: "CANCEL_OR_REFUND", additionalData: { "modification.action": "cancel" } },
    [ours, canceled]
  ],
  ["not done", { ...ofChange, eventCode: "CANCEL_OR_REFUND", success: "false" }, [ours, stillPending]],
  ["with its original", { ...ofChange, eventCode: "EXPIRE" }, [ours, canceled]],
  ["without its original", { ...ofPayment, eventCode: "EXPIRE" }, [ours, { ...canceled, providerRef: null }]],
  ["of a direct charge", { ...ofPayment, eventCode: "OFFER_CLOSED" }, [ours, canceled]],
  [
    "on a page",
    { ...ofPayment, eventCode: "OFFER_CLOSED", merchantReference: `${attemptId}.held.page` },
    [ours, onPage]
  ],
  [
    "done",
    { ...ofRefund, eventCode: "REFUND" },
    [refundId, { _tag: "Succeeded", providerRefundId: ownReference, stated: eur }]
  ],
  [
    "not done",
    { ...ofRefund, eventCode: "REFUND", success: "false", reason: "Insufficient balance on payment" },
    [refundId, { _tag: "RefundFailed", providerRefundId: ownReference, reason: "Insufficient balance on payment" }]
  ],
  [
    "after all",
    { ...ofRefund, eventCode: "REFUND_FAILED" },
    [refundId, { _tag: "RefundFailed", providerRefundId: ownReference, reason: null }]
  ],
  [
    "after all",
    { ...ofRefund, eventCode: "REFUNDED_REVERSED" },
    [refundId, { _tag: "RefundFailed", providerRefundId: ownReference, reason: null }]
  ],
  ...(
    [
      ["NOTIFICATION_OF_CHARGEBACK", "opened"],
      ["CHARGEBACK", "opened"],
      ["CHARGEBACK_REVERSED", "won"],
      ["ISSUER_RESPONSE_TIMEFRAME_EXPIRED", "won"],
      ["SECOND_CHARGEBACK", "lost"],
      ["PREARBITRATION_WON", "won"],
      ["PREARBITRATION_LOST", "lost"],
      ["SCHEME_ARBITRATION_WON", "won"],
      ["SCHEME_ARBITRATION_LOST", "lost"]
    ] as const
  ).flatMap(
    ([eventCode, verdict]): ReadonlyArray<readonly [string, Item, unknown]> => [
      [verdict, { ...ofChange, eventCode }, [ours, ownReference, verdict]],
      [
        `${verdict}, of a payment by its reference`,
        { ...ofChange, eventCode, merchantReference: "" },
        [{ providerRef }, ownReference, verdict]
      ]
    ]
  )
]

describe("events", () => {
  for (const [what, item, expected] of table) {
    it.effect(`given ${item.eventCode} ${what}, then ${JSON.stringify(expected)}`, () =>
      Effect.gen(function* () {
        const message = Result.getOrThrow(yield* read(item))
        assert.deepStrictEqual(saidOf(message.about), expected)
        assert.strictEqual(message.id, `${item.pspReference}:${item.eventCode}:${item.success}`)
      })
    )
  }

  for (const [what, item] of [
    ["a report", { ...ofPayment, eventCode: "REPORT_AVAILABLE" }],
    ["a request for information", { ...ofChange, eventCode: "REQUEST_FOR_INFORMATION" }],
    ["a chargeback that Adyen did not book", { ...ofChange, eventCode: "CHARGEBACK", success: "false" }],
    ["an expiry that did not happen", { ...ofChange, eventCode: "EXPIRE", success: "false" }],
    ["an event of tomorrow", { ...ofChange, eventCode: "CAPTURE_PAUSED" }],
    [
      "a refund by hand in place of a cancel",
      { ...ofChange, eventCode: "CANCEL_OR_REFUND", additionalData: { "modification.action": "refund" } }
    ],
    ["a cancel or refund that does not say which", { ...ofChange, eventCode: "CANCEL_OR_REFUND" }],
    ["a capture without its payment", { ...ofPayment, eventCode: "CAPTURE" }],
    ["a capture of nobody", { ...ofPayment, eventCode: "CAPTURE", merchantReference: "" }],
    [
      "a refused authorization of somebody else",
      { ...ofPayment, eventCode: "AUTHORISATION", success: "false", merchantReference: "order 1" }
    ],
    ["a refund without a reference", { ...ofRefund, eventCode: "REFUND", merchantReference: "" }],
    ["a dispute of nobody", { ...ofPayment, eventCode: "CHARGEBACK", merchantReference: "order 1" }],
    ["another merchant account's", { ...ofCapture, eventCode: "CAPTURE", merchantAccountCode: "SomebodyElse" }],
    [
      "an amount that ISK does not have",
      { ...ofCapture, eventCode: "CAPTURE", amount: { value: 5050, currency: "ISK" } }
    ],
    ["a negative amount", { ...ofCapture, eventCode: "CAPTURE", amount: { value: -1000, currency: "EUR" } }],
    ["a time that is none", { ...ofCapture, eventCode: "CAPTURE", eventDate: "yesterday" }]
  ] as const satisfies ReadonlyArray<readonly [string, Item]>) {
    it.effect(`given ${what}, then it is unreadable, and no value is shown`, () =>
      Effect.gen(function* () {
        const result = yield* read(item)
        if (Result.isSuccess(result)) return assert.fail(`it was read as ${JSON.stringify(result.success)}`)
        assert.strictEqual(result.failure._tag, "pointsman/MessageUnreadable")
        for (const value of [providerRef, ownReference, attemptId, "SomebodyElse", "yesterday", "order 1"]) {
          assert.notInclude(result.failure.reason, value)
        }
      })
    )
  }

  it.effect("given a refused card on a page, then it is not the last word", () =>
    Effect.gen(function* () {
      const reference = { merchantReference: `${attemptId}.taken.page` }
      const result = yield* read({ ...ofPayment, ...reference, eventCode: "AUTHORISATION", success: "false" })
      assert.deepStrictEqual(saidOf(Result.getOrThrow(result).about), [ours, onPage])
    })
  )

  it.effect("given the same event of two payments, or both ends of one, then each has an id of its own", () =>
    Effect.gen(function* () {
      const ids = yield* Effect.forEach(
        [
          { ...ofCapture, eventCode: "CAPTURE" },
          { ...ofCapture, eventCode: "CAPTURE", success: "false" },
          { ...ofCapture, eventCode: "CAPTURE", pspReference: "993617894906488B" },
          { ...ofCapture, eventCode: "CAPTURE_FAILED" }
        ],
        (item) => Effect.map(read(item), (result) => Result.getOrThrow(result).id)
      )
      assert.strictEqual(new Set(ids).size, ids.length)
    })
  )

  it.effect("given something that was asked for and not done, then operations are told, without a secret", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const listening = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
      yield* Effect.provide(read({ ...ofCapture, eventCode: "CAPTURE_FAILED", reason: `no ${apiKey}` }), listening)
      assert.deepStrictEqual(lines, [
        `Adyen says of payment ${providerRef} that a capture failed that it had told to be done: no ***; see the Customer Area`
      ])
    })
  )
})
