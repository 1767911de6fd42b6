/** What each of Adyen's events means, and what no event may mean. */

import { assert, describe, it } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import { type ChargeName, type Connector, type MessageAbout, money } from "@pointsman/core/connector"
import { Effect, Redacted, Result } from "effect"
import { attemptOf, operationReferenceOf, readOperationReference, readReference } from "../src/Reference.ts"
import { apiKey, hmacKey, type Item } from "./Adyen.ts"
import { attemptId, connect, eur, providerRef } from "./Requests.ts"
import { signed } from "./Signer.ts"

const read = Effect.fnUntraced(function* (item: Item) {
  const { connector } = connect([])
  if (connector.readMessage === undefined) return yield* Effect.die("it reads no messages")
  const raw = { ...signed(item), secret: Redacted.make(hmacKey), receivedAt: 0 }
  const whole = yield* Effect.result(connector.readMessage(raw))
  if (Result.isSuccess(whole)) {
    const kept = yield* readKept(connector, raw.body)
    const { about, ...note } = whole.success
    assert.deepStrictEqual([kept.id, kept.at, saidOf(kept.about)], [note.id, note.at, saidOf(about)])
  }
  return whole
})

/** As it is stored, with fields that no statement needs. */
const readKept = Effect.fnUntraced(function* ({ keptOfMessage, readStored }: Connector, whole: Uint8Array) {
  const { notificationItems } = JSON.parse(Buffer.from(whole).toString())
  for (const { NotificationRequestItem: item } of notificationItems) {
    item.additionalData = { ...item.additionalData, shopperEmail: "ada@shop.example", cardHolderName: "Ada Lovelace" }
  }
  const body = keptOfMessage?.(JSON.stringify({ live: "false", notificationItems })) ?? ""
  assert.notMatch(body, /[Aa]da/u)
  if (readStored === undefined) return yield* Effect.die("it reads no stored messages")
  return yield* readStored({ body: Buffer.from(body), secret: Redacted.make(hmacKey) })
})

const ownReference = "QFQTPCQ8HXSKGK82"
const amount = { value: 1000, currency: "EUR" }
const refundId = "rf_01a1fe08-9228-7603-b126-ec7b725f925d"

/** Of the payment itself. */
const ofPayment = { pspReference: providerRef, merchantReference: `${attemptId}.held`, amount, success: "true" }
/** Of something that was done to it. */
const ofChange = { ...ofPayment, pspReference: ownReference, originalReference: providerRef }
const operationId = "op_01a1fe08-9228-7603-b126-ec7b725f925c"
const digits = "01a1fe0892287603b126ec7b725f925c"
const ofCapture = { ...ofChange, merchantReference: `${attemptId}.take.${digits}` }
const ofCancel = { ...ofChange, merchantReference: `${attemptId}.void.${digits}` }
const ofRefund = { ...ofChange, merchantReference: refundId }
const onCapture = { ...ofCapture, eventCode: "CAPTURE" }
const captureFailed = { ...ofCapture, eventCode: "CAPTURE_FAILED" }
const onCancel = { ...ofCancel, eventCode: "CANCELLATION" }
const onRefund = { ...ofRefund, eventCode: "REFUND" }
const failedRefund = { ...ofRefund, eventCode: "REFUND_FAILED" }
const noBalance = "Insufficient balance on payment"

/** What is said, whole: the state too. */
const saidOf = (about: MessageAbout): unknown =>
  about._tag === "Charge"
    ? [about.charge, about.state(eur)]
    : about._tag === "Refund"
      ? [about.refundId, about.state(eur)]
      : about._tag === "UnnamedRefund"
        ? [about.charge, about.providerRefundId, about.state(eur)]
        : about._tag === "Dispute"
          ? [about.charge, about.disputeId, about.verdict]
          : about._tag === "Operation"
            ? [about.operationId, about.state(eur)]
            : about._tag === "CaptureFailed"
              ? [about._tag, about.charge, about.reason]
              : "settled"

/** Why a message cannot be read: where it names a payment, that is looked up. */
const reasonIn = (result: Effect.Success<ReturnType<typeof read>>): string => {
  if (Result.isFailure(result)) return result.failure.reason
  const { about } = result.success
  return about._tag === "Changed" ? about.reason : assert.fail(`it was read as ${JSON.stringify(about)}`)
}

const ours: ChargeName = { attemptId }
const failed = (isFinal: boolean, reason: string | null) => ({ _tag: "OperationFailed", isFinal, reason, stated: eur })
const technical = "Capture rejected by card scheme because of a technical issue."
const refundTechnical = "Refund rejected by card scheme because of a technical issue."
const byShopper =
  "Capture rejected by card scheme because the shopper cancelled the recurring payment through their bank."
const captured = { _tag: "Captured", providerRef, stated: eur }
const captureOf = (operationId?: string, amount = eur) => {
  const capture = { id: ofChange.pspReference, money: amount, ...(operationId === undefined ? {} : { operationId }) }
  return { _tag: "Captured", providerRef, capture }
}
const canceled = { _tag: "Canceled", providerRef }
const refunded = { _tag: "Succeeded", providerRefundId: ownReference, stated: eur }
const refundFailed = { _tag: "RefundFailed", providerRefundId: ownReference, reason: null }
const byHand = { ...ofChange, additionalData: { "modification.action": "refund" } }
const onPage = { _tag: "NeedsCustomer", providerRef: null }
const declined = (code: string, category: string, soft = false) => [
  ours,
  { _tag: "Declined", providerRef, category, normalized: category, code, soft }
]
const authorized = (amount = eur) => ({ _tag: "Authorized", providerRef, stated: amount })
const opFailed = (reason: string | null) => [operationId, { _tag: "OperationFailed", isFinal: true, reason }]
const held = { ...ofPayment, eventCode: "AUTHORISATION" }
const refused = { ...held, success: "false" }

const table: ReadonlyArray<readonly [string, Item, unknown]> = [
  ["held", held, [ours, authorized()]],
  ["taken at once", { ...held, merchantReference: `${attemptId}.taken` }, [ours, captured]],
  ["taken at once, on a page", { ...held, merchantReference: `${attemptId}.taken.page` }, [ours, captured]],
  ["held, on a page", { ...held, merchantReference: `${attemptId}.held.page` }, [ours, authorized()]],
  ["of somebody else's payment", { ...held, merchantReference: "order 1" }, [{ providerRef }, authorized()]],
  ["in ISK", { ...held, amount: { value: 5000, currency: "ISK" } }, [ours, authorized(money(50, "ISK"))]],
  ["refused, with a reason", { ...refused, reason: "Not enough balance" }, declined("12", "insufficient_funds")],
  [
    "refused, with a code",
    { ...refused, reason: "Refused", additionalData: { refusalReasonCode: "9" } },
    declined("9", "issuer_unavailable", true)
  ],
  [
    "refused, with a reason that echoes a secret",
    { ...refused, reason: `bad ${apiKey} \u0000` },
    declined("bad ***  ", "other")
  ],
  // The customer may try again there.
  ["refused on a page", { ...refused, merchantReference: `${attemptId}.taken.page` }, [ours, onPage]],
  ["done", onCapture, [ours, captureOf(operationId)]],
  [
    "done in part",
    { ...onCapture, amount: { value: 400, currency: "EUR" } },
    [ours, captureOf(operationId, money(400, "EUR"))]
  ],
  ["done by hand", { ...ofChange, merchantReference: "by hand", eventCode: "CAPTURE" }, [{ providerRef }, captureOf()]],
  ["done by hand, under the payment's reference", { ...ofChange, eventCode: "CAPTURE" }, [ours, captureOf()]],
  ["not done", { ...onCapture, success: "false", reason: noBalance }, [operationId, failed(true, noBalance)]],
  [
    "not done, with a reason that echoes a secret",
    { ...onCapture, success: "false", reason: `no ${apiKey}` },
    [operationId, failed(true, "no ***")]
  ],
  [
    "not done, in part",
    { ...onCapture, success: "false", amount: { value: 400, currency: "EUR" } },
    [operationId, { ...failed(true, null), stated: money(400, "EUR") }]
  ],
  // What Adyen may capture again.
  ...["Capture Failed", technical, "", "Capture rejected because of an account configuration error."].map(
    (reason): readonly [string, Item, unknown] => [
      `for now (${reason})`,
      { ...captureFailed, reason },
      [operationId, failed(false, reason || null)]
    ]
  ),
  // What it says that no operator can fix.
  ...[byShopper, "Capture expired", "Capture cannot be re-captured"].map((reason): readonly [string, Item, unknown] => [
    `for good (${reason})`,
    { ...captureFailed, reason },
    [operationId, failed(true, reason)]
  ]),
  [
    "of an operation under an id of another form",
    { ...ofCapture, merchantReference: `${attemptId}.take.op_1`, eventCode: "CAPTURE_FAILED" },
    ["op_1", failed(false, null)]
  ],
  ["done again", { ...onCapture, reason: "Transaction Recaptured" }, [ours, captureOf(operationId)]],
  ["done", onCancel, [ours, canceled]],
  [
    "not done",
    { ...onCancel, success: "false", reason: "Transaction already captured" },
    opFailed("Transaction already captured")
  ],
  ["done", { ...ofCancel, eventCode: "TECHNICAL_CANCEL" }, [ours, canceled]],
  ["not done", { ...ofCancel, eventCode: "TECHNICAL_CANCEL", success: "false" }, opFailed(null)],
  [
    "that was a cancel",
    { ...ofChange, eventCode: "CANCEL_OR_REFUND", additionalData: { "modification.action": "cancel" } },
    [ours, canceled]
  ],
  ["with its original", { ...ofChange, eventCode: "EXPIRE" }, [ours, canceled]],
  ["without its original", { ...ofPayment, eventCode: "EXPIRE" }, [ours, { ...canceled, providerRef: null }]],
  ["of a direct charge", { ...ofPayment, eventCode: "OFFER_CLOSED" }, [ours, canceled]],
  [
    "on a page",
    { ...ofPayment, eventCode: "OFFER_CLOSED", merchantReference: `${attemptId}.held.page` },
    [ours, onPage]
  ],
  ["done", onRefund, [refundId, refunded]],
  [
    "not done",
    { ...onRefund, success: "false", reason: noBalance },
    [refundId, { ...refundFailed, reason: noBalance }]
  ],
  ["after all", failedRefund, [refundId, refundFailed]],
  [
    "that Adyen sends again",
    { ...failedRefund, reason: refundTechnical },
    [refundId, { ...refundFailed, reason: refundTechnical, isFinal: false }]
  ],
  [
    "after all, with a reason",
    { ...ofRefund, eventCode: "REFUNDED_REVERSED", reason: "technical issue" },
    [refundId, { ...refundFailed, reason: "technical issue" }]
  ],
  ["after all", { ...ofRefund, eventCode: "REFUNDED_REVERSED" }, [refundId, refundFailed]],
  // In the Customer Area: under no id of ours. The payment's own name tells which of two payments under one reference it is of.
  ...["REFUND", "CANCEL_OR_REFUND"].flatMap(
    (eventCode): ReadonlyArray<readonly [string, Item, unknown]> => [
      [
        "made by hand, in part",
        { ...byHand, eventCode, amount: { value: 400, currency: "EUR" } },
        [{ providerRef }, ownReference, { ...refunded, stated: money(400, "EUR") }]
      ],
      [
        "made by hand, under a reference of its own",
        { ...byHand, eventCode, merchantReference: "return 1" },
        [{ providerRef }, ownReference, refunded]
      ],
      [
        "made by hand, without a reference",
        { ...byHand, eventCode, merchantReference: "" },
        [{ providerRef }, ownReference, refunded]
      ],
      [
        "made by hand, not done",
        { ...byHand, eventCode, success: "false" },
        [{ providerRef }, ownReference, refundFailed]
      ]
    ]
  ),
  ...["REFUND_FAILED", "REFUNDED_REVERSED"].map((eventCode): readonly [string, Item, unknown] => [
    "of a refund that was made by hand",
    { ...byHand, eventCode },
    [{ providerRef }, ownReference, refundFailed]
  ]),
  [
    "of a refund that was made by hand, that Adyen sends again",
    { ...byHand, eventCode: "REFUND_FAILED", reason: refundTechnical },
    [{ providerRef }, ownReference, { ...refundFailed, reason: refundTechnical, isFinal: false }]
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
  ),
  [
    "an automatic capture that failed",
    { ...captureFailed, merchantReference: `${attemptId}.taken`, reason: technical },
    ["CaptureFailed", ours, technical]
  ]
]

describe("events", () => {
  for (const [what, item, expected] of table) {
    itRuns(`${item.eventCode} ${what} is ${JSON.stringify(expected)}`, function* () {
      const message = Result.getOrThrow(yield* read(item))
      assert.deepStrictEqual(saidOf(message.about), expected)
      assert.isTrue(message.id.startsWith(`${item.pspReference}:${item.eventCode}:${item.success}`))
    })
  }

  for (const [what, item] of [
    ["a report", { ...ofPayment, eventCode: "REPORT_AVAILABLE" }],
    ["a request for information", { ...ofChange, eventCode: "REQUEST_FOR_INFORMATION" }],
    ["a chargeback that Adyen did not book", { ...ofChange, eventCode: "CHARGEBACK", success: "false" }],
    ["an expiry that did not happen", { ...ofChange, eventCode: "EXPIRE", success: "false" }],
    ["an event of tomorrow", { ...ofChange, eventCode: "CAPTURE_PAUSED" }],
    ["a cancel or refund that does not say which", { ...ofChange, eventCode: "CANCEL_OR_REFUND" }],
    ["a capture without its payment", { ...ofPayment, eventCode: "CAPTURE" }],
    [
      "a refused capture by hand",
      { ...ofChange, merchantReference: "by hand", eventCode: "CAPTURE", success: "false" }
    ],
    ["a refused capture under the payment's reference", { ...ofChange, eventCode: "CAPTURE", success: "false" }],
    ["a failed capture that names our cancel", { ...ofCancel, eventCode: "CAPTURE_FAILED" }],
    ["a failed cancel that names our capture", { ...ofCapture, eventCode: "CANCELLATION", success: "false" }],
    [
      "a capture that failed, under an older reference",
      { ...ofCapture, merchantReference: `${attemptId}.capture`, eventCode: "CAPTURE_FAILED" }
    ],
    [
      "a cancel by hand that failed",
      { ...ofChange, merchantReference: "", eventCode: "CANCELLATION", success: "false" }
    ],
    ["a cancel or refund that failed", { ...ofCapture, eventCode: "CANCEL_OR_REFUND", success: "false" }],
    [
      "a failed capture of an amount that ISK does not have",
      { ...captureFailed, amount: { value: 5050, currency: "ISK" } }
    ],
    ["a capture of nobody", { ...ofPayment, eventCode: "CAPTURE", merchantReference: "" }],
    [
      "a refused authorization of somebody else",
      { ...ofPayment, eventCode: "AUTHORISATION", success: "false", merchantReference: "order 1" }
    ],
    ["a refund by hand without its payment", { ...ofPayment, eventCode: "REFUND" }],
    ["a dispute of nobody", { ...ofPayment, eventCode: "CHARGEBACK", merchantReference: "order 1" }],
    ["another merchant account's", { ...onCapture, merchantAccountCode: "SomebodyElse" }],
    ["an amount that ISK does not have", { ...onCapture, amount: { value: 5050, currency: "ISK" } }],
    ["a negative amount", { ...onCapture, amount: { value: -1000, currency: "EUR" } }],
    ["an invalid time", { ...onCapture, eventDate: "yesterday" }]
  ] as const satisfies ReadonlyArray<readonly [string, Item]>) {
    itRuns(`${what} is unreadable, and no value is shown`, function* () {
      const reason = reasonIn(yield* read(item))
      for (const value of [providerRef, ownReference, attemptId, "SomebodyElse", "yesterday", "order 1"]) {
        assert.notInclude(reason, value)
      }
    })
  }

  itRuns("a Customer Area refund under the payment's reference is of what Adyen refunded", function* () {
    for (const eventCode of ["REFUND", "CANCEL_OR_REFUND"]) {
      const { about } = Result.getOrThrow(yield* read({ ...byHand, eventCode }))
      assert.strictEqual(about._tag, "UnnamedRefund")
      assert.deepStrictEqual(saidOf(about), [{ providerRef }, ownReference, refunded])
    }
  })

  itRuns("the same event of two payments, or both ends of one, have ids of their own", function* () {
    const ids = yield* Effect.forEach(
      [
        onCapture,
        { ...onCapture, success: "false" },
        { ...onCapture, pspReference: "993617894906488B" },
        // Adyen tries again by itself, under the same reference.
        { ...onCapture, reason: "Transaction Auto-recaptured" },
        { ...captureFailed, reason: technical },
        { ...captureFailed, reason: byShopper },
        { ...failedRefund, reason: technical },
        failedRefund
      ],
      (item) => Effect.map(read(item), (result) => Result.getOrThrow(result).id)
    )
    assert.strictEqual(new Set(ids).size, ids.length)
  })

  for (const [what, word] of [
    ["held", `${attemptId}.held`],
    ["captured by hand", "by hand"]
  ] as const) {
    itRuns(`a capture that failed of a payment that was ${what} is for a person to review`, function* () {
      const said = reasonIn(yield* read({ ...ofChange, merchantReference: word, eventCode: "CAPTURE_FAILED" }))
      const unknown = "the failed operation is unknown to Pointsman (CAPTURE_FAILED)"
      assert.strictEqual(said, `${unknown}: see its originalReference in Adyen's Customer Area`)
    })
  }

  itRuns("the same event with other words beside its signature has the same id", function* () {
    const ids = yield* Effect.forEach(["", "Capture Failed", technical], (reason) =>
      Effect.map(read({ ...captureFailed, reason }), (result) => Result.getOrThrow(result).id)
    )
    assert.strictEqual(new Set(ids).size, 1)
  })
})

describe("the references of captures and cancels", () => {
  for (const [id, kind, reference] of [
    [operationId, "capture", `${attemptId}.take.${digits}`],
    [operationId, "void", `${attemptId}.void.${digits}`],
    ["op_1", "capture", `${attemptId}.take.op_1`]
  ] as const) {
    it(`${id} of a ${kind} comes back whole, within 80 characters`, () => {
      assert.strictEqual(operationReferenceOf({ attemptId, operationId: id, kind }), reference)
      assert.isAtMost(reference.length, 80)
      assert.deepStrictEqual(readOperationReference(reference), { attemptId, kind, operationId: id })
      assert.strictEqual(attemptOf(reference), attemptId)
      assert.isUndefined(readReference(reference))
    })
  }

  it("only the attempt is in a reference without room or place for an id", () => {
    for (const id of [`op_${"1".repeat(40)}`, "op.1", "op:1", ""]) {
      for (const [kind, word] of [
        ["capture", "capture"],
        ["void", "cancel"]
      ] as const) {
        const reference = operationReferenceOf({ attemptId, operationId: id, kind })
        assert.strictEqual(reference, `${attemptId}.${word}`)
        assert.deepStrictEqual(readOperationReference(reference), { attemptId, kind, operationId: null })
        assert.strictEqual(attemptOf(reference), attemptId)
      }
    }
  })

  it("a reference of anything else names no operation", () => {
    for (const reference of [
      "",
      "order 1",
      attemptId,
      `${attemptId}.taken`,
      `${attemptId}.held.page`,
      `${attemptId}.take`,
      `${attemptId}.take.`,
      `${attemptId}.take.a.b`,
      `${attemptId}.capture.${digits}`,
      `.take.${digits}`,
      refundId
    ]) {
      assert.isUndefined(readOperationReference(reference), reference)
    }
  })
})
