/** Reports that are fetched from Stripe, against a Stripe that pages as its documentation says. */

import { assert, describe } from "@effect/vitest"
import { StripeConnector } from "@pointsman/connector-stripe"
import { assertSecondUnreadable, playedConnector, reportIn, unknownBecause } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import type { TransportAnswer, TransportRequest } from "@pointsman/core/connector"
import { answer, type Fields, list, paged, type Stored, secretKey } from "./Stripe.ts"

/** https://docs.stripe.com/api/balance_transactions/object, its source expanded. */
const transaction = (id: string, fields: Fields = {}) => ({
  id,
  object: "balance_transaction",
  amount: 1999,
  available_on: 200_000,
  balance_type: "payments",
  created: 1_000,
  currency: "eur",
  description: null,
  exchange_rate: null,
  fee: 45,
  fee_details: [{ amount: 45, application: null, currency: "eur", description: "fees", type: "stripe_fee" }],
  net: 1954,
  reporting_category: "charge",
  source: {
    id: `ch_${id}`,
    object: "charge",
    amount: 1999,
    currency: "eur",
    metadata: { attempt_id: "att_1", reference: "order 1" },
    payment_intent: "pi_1"
  },
  status: "pending",
  type: "charge",
  ...fields
})

/** https://docs.stripe.com/api/payouts/object */
const payout = (id: string, fields: Fields = {}) => ({
  id,
  object: "payout",
  amount: 1954,
  arrival_date: 259_200,
  automatic: true,
  created: 1_000,
  currency: "eur",
  reconciliation_status: "completed",
  status: "paid",
  ...fields
})

interface Books {
  /** Oldest first. */
  readonly transactions?: ReadonlyArray<Stored>
  readonly payouts?: ReadonlyArray<Stored>
  /** Ids of transactions by payout. */
  readonly paid?: Readonly<Record<string, ReadonlyArray<string>>>
}

/** `payout`: only what was paid out with it. */
const pageFor = ({ paid = {}, payouts = [], transactions = [] }: Books, { url }: TransportRequest): TransportAnswer => {
  const { pathname, searchParams } = new URL(url)
  const named = searchParams.get("payout")
  const stored = pathname === "/v1/payouts" ? payouts : transactions
  return paged(named === null ? stored : stored.filter(({ id }) => paid[named]?.includes(id)), url)
}

const stripeWith = (answers: Books | TransportAnswer) =>
  playedConnector(
    StripeConnector.definition,
    (request) => {
      assert.strictEqual(request.method, "GET")
      return "status" in answers ? answers : pageFor(answers, request)
    },
    { credentials: { secretKey } }
  )

const window = { createdFrom: 1_000_000, createdBefore: 4_600_000 }
const balance = reportIn("stripe-balance", window)
const payingOut = reportIn("stripe-payout-reconciliation", window)

const eur = (minorUnits: number) => ({ minorUnits, currency: "EUR" })

describe("the balance", () => {
  itRuns("a charge's row names the attempt, the charge and the reference, and has the fee", function* () {
    const { connector, requests } = stripeWith({ transactions: [transaction("txn_1")] })
    const [row] = yield* balance.rows(connector)
    assert.deepStrictEqual(row, {
      id: "txn_1",
      kind: "charge",
      names: {
        ...{ attemptId: "att_1", operationId: null, refundId: null, providerRef: "pi_1" },
        ...{ providerRefundId: null, disputeId: null, reference: "order 1" }
      },
      gross: eur(1999),
      converted: null,
      fee: eur(45),
      net: eur(1954),
      payoutId: null,
      occurredAt: 1_000_000,
      settledAt: 200_000_000
    })
    assert.strictEqual(new URL(requests[0]?.url ?? "").searchParams.get("expand[]"), "data.source")
  })

  itRuns("a refund, a dispute and a payout each have their kind, sign and id", function* () {
    const moved = { amount: -500, fee: 0, net: -500 }
    const transactions = [
      transaction("txn_1", {
        ...moved,
        reporting_category: "refund",
        source: { id: "re_1", amount: 500, currency: "eur", payment_intent: "pi_1", metadata: { refund_id: "rf_1" } }
      }),
      transaction("txn_2", {
        ...moved,
        reporting_category: "dispute",
        source: { id: "dp_1", amount: 550, currency: "usd", payment_intent: "pi_2", metadata: {} }
      }),
      transaction("txn_3", { ...moved, reporting_category: "payout", source: { id: "po_1", currency: "eur" } }),
      transaction("txn_4", { ...moved, reporting_category: "something_new", source: null })
    ]
    const { connector } = stripeWith({ transactions })
    const rows = yield* balance.rows(connector)
    assert.deepStrictEqual(
      rows.map(({ converted, gross, kind, names: { attemptId, disputeId, providerRefundId, refundId }, payoutId }) => [
        ...[kind, gross, converted, payoutId],
        ...[refundId, providerRefundId, disputeId, attemptId]
      ]),
      [
        ["refund", eur(-500), null, null, "rf_1", "re_1", null, null],
        ["dispute", { minorUnits: -550, currency: "USD" }, eur(-500), null, null, null, "dp_1", null],
        ["payout", eur(-500), null, "po_1", null, null, null, null],
        ["adjustment", eur(-500), null, null, null, null, null, null]
      ]
    )
  })

  for (const count of [0, 1, 100, 101, 250]) {
    itRuns(`each of ${count} balance transactions comes once, the oldest first`, function* () {
      const transactions = Array.from({ length: count }, (_, at) =>
        transaction(`txn_${at}`, { created: 1_000 + Math.floor(at / 3) })
      )
      const { connector } = stripeWith({ transactions })
      const rows = yield* balance.rows(connector)
      assert.deepStrictEqual(
        rows.map(({ id }) => id),
        transactions.map(({ id }) => id)
      )
    })
  }

  for (const [field, fields] of [
    ["net", { net: 1999 }],
    ["amount", { currency: "xxx" }],
    ["amount", { amount: 1.5 }],
    ["reporting_category", { reporting_category: "" }]
  ] as const) {
    itRuns(`a wrong ${field} (${JSON.stringify(fields)}) makes only its entry unreadable`, function* () {
      const transactions = [transaction("txn_1"), transaction("txn_2", fields)]
      const { connector } = stripeWith({ transactions })
      assertSecondUnreadable(yield* balance.entries(connector), field)
    })
  }

  itRuns("no entry shows metadata with the secret key", function* () {
    const source = { ...transaction("txn_1").source, metadata: { reference: secretKey } }
    const { connector } = stripeWith({ transactions: [transaction("txn_1", { source })] })
    assert.notInclude(JSON.stringify(yield* balance.entries(connector)), secretKey)
  })

  for (const [what, wrong] of [
    ["an error of Stripe's", answer(500, { error: { type: "api_error" } })],
    ["a refused key", answer(401, { error: { type: "invalid_request_error" } })],
    ["a page of something else", answer(200, list([], false, "/v1/refunds"))],
    ["no JSON", { status: 200, headers: {}, body: "<html>" }]
  ] as const) {
    itRuns(`${what} leaves the page unanswered, and never empty`, function* () {
      const { connector } = stripeWith(wrong)
      for (const { page } of [balance, payingOut]) yield* unknownBecause(page(connector))
    })
  }
})

describe("payouts", () => {
  itRuns("rows of two automatic payouts name theirs, and those of a manual one do not", function* () {
    const many = Array.from({ length: 150 }, (_, at) => transaction(`txn_a${at}`, { created: 10 + at }))
    const transactions = [...many, transaction("txn_b", { created: 900 })]
    const payouts = [
      payout("po_a", { created: 1_001 }),
      payout("po_m", { created: 1_002, automatic: false, reconciliation_status: "not_applicable" }),
      payout("po_b", { created: 1_003, arrival_date: 345_600 })
    ]
    const paid = { po_a: many.map(({ id }) => id), po_b: ["txn_b"] }
    const { connector } = stripeWith({ transactions, payouts, paid })
    const rows = yield* payingOut.rows(connector)
    assert.strictEqual(rows.length, 151)
    assert.strictEqual(new Set(rows.map(({ id }) => id)).size, 151)
    assert.strictEqual(rows.filter(({ payoutId }) => payoutId === "po_a").length, 150)
    const last = rows.at(-1)
    assert.deepStrictEqual([last?.id, last?.payoutId, last?.settledAt], ["txn_b", "po_b", 345_600_000])
  })

  itRuns("the report of a payout that Stripe has not listed yet is unanswered", function* () {
    const payouts = [payout("po_a", { reconciliation_status: "in_progress" })]
    const { connector } = stripeWith({ payouts })
    const reason = "Stripe has not yet listed all transactions of a payout"
    assert.strictEqual(yield* unknownBecause(payingOut.page(connector)), reason)
  })

  itRuns("the report of a window without a payout is empty after one request", function* () {
    const { connector, requests } = stripeWith({ transactions: [transaction("txn_1")] })
    assert.deepStrictEqual(yield* payingOut.entries(connector), [])
    assert.strictEqual(requests.length, 1)
  })
})
