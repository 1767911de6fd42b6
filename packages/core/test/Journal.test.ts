/** The double-entry view of one payment: what its events say, and what rows of reports add. */
import { assert, describe, it } from "@effect/vitest"
import {
  brokenJournal,
  type Event,
  type JournalTransaction,
  journalOf,
  type PostedMovement,
  pendingOf,
  postedAt
} from "@pointsman/core"
import * as fc from "fast-check"
import { balances, day, eur, events, lines, noon, payment, paymentId, refunded, row } from "./support/JournalGiven.ts"
import { assertFields } from "./support/Steps.ts"

const captured = payment({ capturedMinor: 1000, authorizedMinor: 1000 })
const capturedRecord = { payment: captured, events: events(["payment.created"], ["payment.captured"]) }

const textOf = (transactions: ReadonlyArray<JournalTransaction>) =>
  transactions.map((one) => `${one.id} ${one.subject}: ${lines(one).join(", ")}`)

describe("what is recorded", () => {
  it("the provider owes a capture, which is sold", () => {
    const [transaction, ...others] = journalOf(capturedRecord, [])
    assert.deepStrictEqual(others, [])
    assert.deepStrictEqual(transaction, {
      id: "evt_2",
      subject: "capture",
      at: noon + 1_000,
      occurredAt: noon + 1_000,
      recordedAt: noon + 1_000,
      connectionId: "main",
      paymentId,
      reference: "order-1",
      payoutId: null,
      postings: [
        { account: "receivable", connectionId: "main", minorUnits: 1000, currency: "EUR" },
        { account: "sales", connectionId: "main", minorUnits: -1000, currency: "EUR" }
      ]
    })
  })

  it("nothing is posted of an authorized, voided, declined or unknown payment", () => {
    for (const type of ["authorized", "declined", "unknown", "pending"] as const) {
      const told = events(["payment.created"], [`payment.${type}`], ["payment.cancelled"])
      assert.deepStrictEqual(journalOf({ payment: payment(), events: told }, []), [])
    }
  })

  const captured = (amount: number) => ["payment.captured", { captured_amount: amount }] as const
  const corrected = (stated: number) =>
    ["payment.amount_mismatch", { stated_amount: stated, captured_amount: 900 }] as const
  const rows: ReadonlyArray<
    readonly [
      title: string,
      over: Parameters<typeof payment>[0],
      told: ReadonlyArray<readonly [Event["type"], Event["data"]?]>,
      ...transactions: ReadonlyArray<string>
    ]
  > = [
    [
      "a part's capture that failed and was repeated has a transaction for each",
      { capturedMinor: 600 },
      [["payment.authorized"], captured(400), ["payment.capture_failed", { captured_amount: 0 }], captured(600)],
      "evt_2 capture: receivable EUR 400, sales EUR -400",
      "evt_3 capture_failed: receivable EUR -400, sales EUR 400",
      "evt_4 capture: receivable EUR 600, sales EUR -600"
    ],
    [
      "a capture that the provider tries again is taken back until it is done",
      {},
      [["payment.captured"], ["payment.pending"]],
      "evt_1 capture: receivable EUR 1000, sales EUR -1000",
      "evt_2 capture_failed: receivable EUR -1000, sales EUR 1000"
    ],
    [
      "the difference of a captured amount that the provider corrected is posted",
      { capturedMinor: 900 },
      [captured(800), corrected(900), corrected(5000)],
      "evt_1 capture: receivable EUR 800, sales EUR -800",
      "evt_2 capture_corrected: receivable EUR 100, sales EUR -100"
    ],
    [
      "a refund that failed after it succeeded is a further transaction",
      { capturedMinor: 1000, refundedMinor: 200 },
      [
        ["payment.captured"],
        ["payment.refunded", refunded("rf_1", 300)],
        ["payment.refund_pending", refunded("rf_2", 300)],
        ["payment.refunded", refunded("rf_2", 500)],
        ["payment.refund_failed", refunded("rf_1", 200)]
      ],
      "evt_1 capture: receivable EUR 1000, sales EUR -1000",
      "evt_2 refund: receivable EUR -300, refunds EUR 300",
      "evt_4 refund: receivable EUR -200, refunds EUR 200",
      "evt_5 refund_failed: receivable EUR 300, refunds EUR -300"
    ],
    [
      "amounts that no event explains are posted as such, last",
      { capturedMinor: 1000, refundedMinor: 100, updatedAt: noon + 5_000 },
      [captured(700)],
      "evt_1 capture: receivable EUR 700, sales EUR -700",
      `${paymentId} captured recorded: receivable EUR 300, sales EUR -300`,
      `${paymentId} refunded recorded: receivable EUR -100, refunds EUR 100`
    ]
  ]
  for (const [title, over, told, ...transactions] of rows) {
    it(title, () => {
      assert.deepStrictEqual(textOf(journalOf({ payment: payment(over), events: events(...told) }, [])), transactions)
    })
  }
})

describe("what a report adds", () => {
  it("only the fee is posted of a row that says what is recorded", () => {
    const journal = journalOf(capturedRecord, [row({ fee: eur(24), net: eur(976), payoutId: "po_1" })])
    assert.deepStrictEqual(textOf(journal), [
      "evt_2 capture: receivable EUR 1000, sales EUR -1000",
      "main bt_1 report_charge: receivable EUR -24, fees EUR 24"
    ])
    assert.strictEqual(journal[1]?.payoutId, "po_1")
  })

  it("a row of another amount is the provider's receivable, and the rest unexplained", () => {
    const journal = journalOf(capturedRecord, [row({ gross: eur(990) })])
    assert.deepStrictEqual(balances(journal), { "receivable EUR": 990, "sales EUR": -1000, "unexplained EUR": 10 })
  })

  it("a row of a capture with a lost message is explained by a capture recorded later", () => {
    const record = {
      payment: captured,
      events: [{ ...events(["payment.captured"])[0], createdAt: noon + 3 * day }] as typeof capturedRecord.events
    }
    assert.deepStrictEqual(textOf(journalOf(record, [row()])), [
      "main bt_1 report_charge: receivable EUR 1000, unexplained EUR -1000",
      "evt_1 capture: sales EUR -1000, unexplained EUR 1000"
    ])
  })

  it("rows that are matched with nothing are unexplained", () => {
    const unmatched = [row({ paymentId: null }), row({ rowId: "bt_2", kind: "refund", refundId: null })]
    for (const movement of unmatched) {
      assert.deepStrictEqual(textOf(journalOf(null, [movement])), [
        `main ${movement.rowId} report_${movement.kind}: receivable EUR 1000, unexplained EUR -1000`
      ])
    }
  })

  it("a failed refund and a failed charge are compared with the record of each", () => {
    const record = {
      payment: payment({ capturedMinor: 0, refundedMinor: 0 }),
      events: events(
        ["payment.captured"],
        ["payment.refunded", refunded("rf_1", 300)],
        ["payment.refund_failed", refunded("rf_1", 0)],
        ["payment.capture_failed", { captured_amount: 0 }]
      )
    }
    const rows = [
      row(),
      row({ rowId: "bt_2", kind: "refund", refundId: "rf_1", gross: eur(-300) }),
      row({ rowId: "bt_3", kind: "refund_failed", refundId: "rf_1", gross: eur(300) }),
      row({ rowId: "bt_4", kind: "charge_failed", gross: eur(-1000) })
    ]
    assert.deepStrictEqual(balances(journalOf(record, rows)), {})
    assert.deepStrictEqual(balances(journalOf(record, rows.slice(0, 2))), {
      "receivable EUR": 700,
      "unexplained EUR": -700
    })
  })

  it("each currency of a conversion adds up to zero", () => {
    const journal = journalOf(capturedRecord, [
      row({
        converted: { minorUnits: 1080, currency: "USD" },
        fee: { minorUnits: 25, currency: "USD" },
        net: { minorUnits: 1055, currency: "USD" }
      })
    ])
    assert.deepStrictEqual(textOf(journal).slice(1), [
      "main bt_1 report_charge: receivable EUR -1000, receivable USD 1055, fees USD 25, " +
        "conversion EUR 1000, conversion USD -1080"
    ])
    assert.deepStrictEqual(brokenJournal(journal), [])
  })

  it("the rest is unexplained when a net is not the sum of its row's amounts", () => {
    const journal = journalOf(capturedRecord, [row({ fee: eur(24), net: eur(970) })])
    assert.deepStrictEqual(balances(journal), {
      "receivable EUR": 970,
      "sales EUR": -1000,
      "fees EUR": 24,
      "unexplained EUR": 6
    })
  })

  it.each([
    ["payout", -976, "receivable EUR -976, payouts EUR 976"],
    ["payout_failed", 976, "receivable EUR 976, payouts EUR -976"],
    ["dispute", -1000, "receivable EUR -1000, disputes EUR 1000"],
    ["dispute_reversed", 1000, "receivable EUR 1000, disputes EUR -1000"],
    ["fee", -30, "receivable EUR -30, fees EUR 30"],
    ["adjustment", 12, "receivable EUR 12, adjustments EUR -12"]
  ] as const)("the account of a row %s has the other side", (kind, minorUnits, postings) => {
    const movement = row({ kind, paymentId: null, gross: eur(minorUnits) })
    assert.deepStrictEqual(textOf(journalOf(null, [movement])), [`main bt_1 report_${kind}: ${postings}`])
  })

  it("the same row is posted once, and a corrected one adds the difference", () => {
    const again = { recordedAt: noon + 3 * day }
    const first = row({ fee: eur(24) })
    assert.deepStrictEqual(
      journalOf(capturedRecord, [first, { ...first, ...again }]),
      journalOf(capturedRecord, [first])
    )
    assert.deepStrictEqual(textOf(journalOf(capturedRecord, [first, row({ fee: eur(20), ...again })])).slice(1), [
      "main bt_1 report_charge: receivable EUR -24, fees EUR 24",
      "main bt_1 2 report_charge: receivable EUR 4, fees EUR -4"
    ])
  })

  it("a further transaction explains a row that is matched with its payment later", () => {
    const journal = journalOf(capturedRecord, [row({ paymentId: null }), row({ recordedAt: noon + 3 * day })])
    assert.deepStrictEqual(textOf(journal).slice(1), [
      "main bt_1 report_charge: receivable EUR 1000, unexplained EUR -1000",
      "main bt_1 2 report_charge: receivable EUR -1000, unexplained EUR 1000"
    ])
  })

  it("both connections show the difference for a row of another one", () => {
    const journal = journalOf(capturedRecord, [row({ connectionId: "backup" })])
    const unexplained = journal.flatMap(({ postings }) => postings).filter(({ account }) => account === "unexplained")
    assertFields(unexplained, ["connectionId", "minorUnits"], ["backup", -1000], ["main", 1000])
  })
})

describe("the date of a transaction", () => {
  const november = { occurredAt: Date.UTC(2026, 10, 30, 23), earliest: Date.UTC(2026, 10, 30) }
  const closing = { closeAfterMillis: 5 * day }
  it.each([
    ["while its month is open", Date.UTC(2026, 11, 5, 23, 59), november.occurredAt],
    ["once its month is closed", Date.UTC(2026, 11, 6), Date.UTC(2026, 11, 6)],
    ["before the provider says that it happened", Date.UTC(2026, 10, 30, 22), Date.UTC(2026, 10, 30, 22)]
  ] as const)("a row that is recorded %s is posted under that date", (_, recordedAt, at) => {
    assert.strictEqual(postedAt({ ...november, recordedAt }, closing), at)
  })

  it("the month after the end of a year begins in January", () => {
    const times = { occurredAt: Date.UTC(2026, 11, 31), earliest: 0 }
    assert.strictEqual(postedAt({ ...times, recordedAt: Date.UTC(2027, 0, 5) }, closing), times.occurredAt)
    assert.strictEqual(postedAt({ ...times, recordedAt: Date.UTC(2027, 0, 6) }, closing), Date.UTC(2027, 0, 6))
  })

  it("nothing is posted before its payment was created, though a clock is behind", () => {
    assert.strictEqual(
      postedAt({ occurredAt: 5, recordedAt: noon, earliest: noon - 1 }, { closeAfterMillis: 1e15 }),
      noon - 1
    )
  })
})

/** Rows of one payment, in the order in which they were recorded, some of them corrected. */
const someRows = fc.array(
  fc.record({
    rowId: fc.constantFrom("a", "b", "c"),
    kind: fc.constantFrom("charge", "charge_failed", "refund", "dispute", "fee", "payout", "adjustment"),
    paymentId: fc.constantFrom(paymentId, null),
    refundId: fc.constantFrom("rf_1", null),
    gross: fc.record({ minorUnits: fc.integer({ min: -2000, max: 2000 }), currency: fc.constantFrom("EUR", "USD") }),
    converted: fc.option(
      fc.record({ minorUnits: fc.integer({ min: -2000, max: 2000 }), currency: fc.constant("GBP") })
    ),
    fee: fc.option(fc.record({ minorUnits: fc.integer({ min: 0, max: 99 }), currency: fc.constantFrom("EUR", "GBP") })),
    net: fc.option(
      fc.record({ minorUnits: fc.integer({ min: -2000, max: 2000 }), currency: fc.constantFrom("EUR", "GBP") })
    )
  }),
  { maxLength: 8 }
)

const someTotals = fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 5 })

describe("every journal", () => {
  it("each transaction of any facts and rows adds up to zero, and none changes later", () => {
    fc.assert(
      fc.property(someTotals, someRows, fc.nat(12), (totals, drawn, until) => {
        const told = events(...totals.map((total) => ["payment.amount_mismatch", { captured_amount: total }] as const))
        const moments = told.map((event, index) => ({ ...event, createdAt: noon + 2 * index * 1_000 }))
        const rows = drawn.map(
          (over, index): PostedMovement => row({ ...over, recordedAt: noon + (2 * index + 1) * 1_000 })
        )
        const at = (time: number) => {
          const known = moments.filter(({ createdAt }) => createdAt <= time)
          const record = {
            payment: payment({ capturedMinor: Number(known.at(-1)?.data["captured_amount"] ?? 0) }),
            events: known
          }
          return journalOf(
            record,
            rows.filter(({ recordedAt }) => recordedAt <= time)
          )
        }
        const before = at(noon + until * 1_000)
        const all = at(Number.POSITIVE_INFINITY)
        assert.deepStrictEqual(brokenJournal(all), [])
        assert.deepStrictEqual(all.slice(0, before.length), before)
      }),
      { numRuns: 300 }
    )
  })

  it("rows in any order of arrival lead to the same accounts", () => {
    const rows = [
      row({ fee: eur(24), net: eur(976) }),
      row({ rowId: "bt_2", kind: "refund", refundId: "rf_1", gross: eur(-300) }),
      row({ rowId: "bt_3", kind: "dispute", gross: eur(-700), fee: eur(1500), net: eur(-2200) })
    ]
    const record = {
      payment: payment({ capturedMinor: 1000, refundedMinor: 300 }),
      events: events(["payment.captured"], ["payment.refunded", refunded("rf_1", 300)])
    }
    const expected = {
      "receivable EUR": -1524,
      "sales EUR": -1000,
      "refunds EUR": 300,
      "fees EUR": 1524,
      "disputes EUR": 700
    }
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 3, maxLength: 3 }), (days) => {
        const late = rows.map((one, index) => ({ ...one, recordedAt: noon + (days[index] ?? 0) * day }))
        assert.deepStrictEqual(balances(journalOf(record, late)), expected)
      })
    )
  })
})

describe("what is pending", () => {
  const dispute = { disputeId: "dp_1", attemptId: "att_1", verdict: "opened", at: noon } as const
  const reported = { isPaidOut: false, contradictions: [], disputes: [dispute] }
  it.each([
    [{ state: "ChargeUnknown" }, [["charge", 1000]]],
    [{ state: "CapturePending", authorizedMinor: 800 }, [["capture", 800]]],
    [{ state: "VoidUnknown", authorizedMinor: 800 }, []],
    [{ state: "Captured", capturedMinor: 1000, refundPendingMinor: 250 }, [["refund", 250]]],
    [
      {
        state: "ChargedBack",
        capturedMinor: 1000,
        reported
      },
      [["dispute", null]]
    ]
  ] as const)("%j is listed", (over, expected) => {
    const pending = pendingOf(payment(over), [])
    assertFields(pending, ["what", "minorUnits"], ...expected.map((one) => [...one]))
  })

  it("a dispute that a report has is posted, and not pending", () => {
    assert.deepStrictEqual(pendingOf(payment({ state: "ChargedBack", reported }), [row({ kind: "dispute" })]), [])
  })
})
