import { describe, expect } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import { Ids, type Ledger } from "@pointsman/core/ports"
import { Effect } from "effect"
import { make as makeLedger } from "../src/Ledger.ts"
import { newChange, newMemory, tenant } from "./Given.ts"

type Read = (ledger: Ledger["Service"], paymentId: string) => Effect.Effect<unknown, unknown>

/** How SQLite goes about what the read asks of it. */
const planOf = Effect.fnUntraced(function* (read: Read) {
  const { asked, listening, plansOf } = yield* newMemory()
  const ledger = yield* makeLedger(listening)
  // A read that finds nothing might ask no further.
  const change = yield* newChange()
  yield* ledger.commit(change)
  asked.length = 0
  yield* read(ledger, change.payment.after.id)
  return plansOf()
}, Effect.provide(Ids.layer))

const byId = "payments USING INDEX payments_by_id (t=?"
const events = "events USING PRIMARY KEY (t=?"
const charges = "charges USING PRIMARY KEY (t=?"
const names = "names USING PRIMARY KEY (t=?"
const page = { before: "b", limit: 10 }

/** What is sorted, and is short: the page of each state, for the merge; one payment a connection; what is of one millisecond. */
const sorts: Readonly<Record<string, number>> = {
  "a page of payments in two states": 2,
  "a page of payments by a provider's reference": 1,
  "the newest messages": 1,
  "the newest messages of a tenant": 1,
  "messages with an outcome": 1,
  "a tenant's messages with an outcome": 1,
  "applied messages": 1,
  "messages that name an attempt": 1,
  "messages of a payment": 1,
  "a tenant's reviews by amount": 1,
  "old claims": 1,
  "the old claims after one": 1
}

describe("query plans", () => {
  const walks: Readonly<Record<string, readonly [Read, ...Array<string>]>> = {
    "a payment": [(ledger, paymentId) => ledger.payment(tenant, paymentId), `${byId} AND id=?)`],
    "a payment's book": [(ledger, paymentId) => ledger.book(tenant, paymentId), `${byId} AND id=?)`],
    "the payment of a page": [(ledger) => ledger.paymentOfPage("a"), "payments USING INDEX payments_by_page (page=?)"],
    "the book of an attempt": [
      (ledger, paymentId) =>
        Effect.flatMap(ledger.attempts(tenant, paymentId), ([attempt]) =>
          ledger.bookOf(tenant, { attemptId: attempt?.id ?? "" })
        ),
      `${names} AND name=?)`,
      `${byId} AND id=?)`
    ],
    "the book of a refund": [(ledger) => ledger.bookOf(tenant, { refundId: "a" }), `${names} AND name=?)`],
    "the book of an operation": [(ledger) => ledger.bookOf(tenant, { operationId: "a" }), `${names} AND name=?)`],
    "the book of a charge": [
      (ledger) => ledger.bookOf(tenant, { connectionId: "a", providerRef: "a" }),
      `${charges} AND name=?)`,
      `${names} AND name=?)`
    ],
    "a message": [
      (ledger) => ledger.message(tenant, "a", "b"),
      "messages USING INDEX sqlite_autoindex_messages_1 (workspace_id=? AND environment=? AND connection_id=? AND event_id=?)"
    ],
    "the newest messages": [
      (ledger) => ledger.messages({ limit: 10 }),
      "messages USING INDEX messages_by_time (received_at>?)"
    ],
    "the newest messages of a tenant": [
      (ledger) => ledger.messages({ tenant, limit: 10 }),
      "messages USING INDEX messages_by_tenant (workspace_id=? AND environment=? AND received_at>?)"
    ],
    "messages with an outcome": [
      (ledger) => ledger.messages({ outcome: "unmatched", limit: 10 }),
      "messages USING INDEX messages_by_outcome (outcome=? AND received_at>?)"
    ],
    "a tenant's messages with an outcome": [
      (ledger) => ledger.messages({ tenant, outcome: "applied", limit: 10 }),
      "messages USING INDEX messages_by_tenant_outcome (workspace_id=? AND environment=? AND outcome=? AND received_at>?)"
    ],
    "applied messages": [
      (ledger) => ledger.messages({ outcome: "applied", limit: 10 }),
      "messages USING INDEX messages_by_time (received_at>?)"
    ],
    "messages that name an attempt": [
      (ledger) => ledger.messages({ outcome: "unmatched", namesAttemptFrom: 1, limit: 10 }),
      "messages USING INDEX messages_by_outcome (outcome=? AND received_at>?)"
    ],
    "messages of a payment": [
      (ledger) => ledger.messages({ paymentId: "a", limit: 10 }),
      "messages USING INDEX messages_by_payment (payment_id=? AND received_at>?)"
    ],
    "a workspace's usage": [
      (ledger) => ledger.usage({ workspaceId: "ws", from: 0, until: 1 }),
      "payments USING COVERING INDEX payments_sent (t=? AND created_at>? AND created_at<?)"
    ],
    "a page of payments": [(ledger) => ledger.payments(tenant, page), `${byId} AND id<?)`],
    "a page of payments in two states": [
      (ledger) => ledger.payments(tenant, { ...page, states: ["Charging", "Captured"] }),
      "payments USING INDEX payments_by_state (t=? AND state=? AND id<?)"
    ],
    "a page of payments with a reference": [
      (ledger) =>
        ledger.payments(tenant, { ...page, reference: "a", states: ["Charging", "Captured"], currency: "EUR" }),
      "payments USING INDEX payments_by_reference (t=? AND reference=? AND id<?)"
    ],
    "a page of payments whose reference begins so": [
      (ledger) => ledger.payments(tenant, { ...page, referencePrefix: "ord", states: ["Charging", "Captured"] }),
      "payments USING COVERING INDEX payments_by_reference (t=? AND reference>? AND reference<?)",
      "payments USING INDEX payments_by_reference (t=? AND reference=? AND id<?)"
    ],
    "a page of payments with metadata": [
      (ledger) =>
        ledger.payments(tenant, { ...page, metadata: { a: "b", c: "d" }, currency: "EUR", states: ["Charging"] }),
      "named USING COVERING INDEX payment_metadata_by_value (t=? AND value=? AND name=? AND payment<?)",
      `${byId} AND id=?)`,
      "other USING COVERING INDEX payment_metadata_by_text (t=? AND value=? AND payment=? AND name=?)"
    ],
    "a page of payments with a text of their metadata": [
      (ledger) => ledger.payments(tenant, { ...page, metadataValue: "b", currency: "EUR", states: ["Charging"] }),
      "named USING COVERING INDEX payment_metadata_by_text (t=? AND value=? AND payment<?)",
      `${byId} AND id=?)`,
      "earlier USING COVERING INDEX payment_metadata_by_text (t=? AND value=? AND payment=? AND name<?)"
    ],
    "a page of payments of an amount": [
      (ledger) => ledger.payments(tenant, { ...page, amountMinor: 1, currency: "EUR", states: ["Charging"] }),
      "payments USING INDEX payments_by_amount (t=? AND currency=? AND amount_minor=? AND id<?)"
    ],
    "a page of payments of an amount in any currency": [
      (ledger) => ledger.payments(tenant, { ...page, amountMinor: 1 }),
      "payments USING COVERING INDEX payments_by_amount (t=?)",
      "payments USING COVERING INDEX payments_by_amount (t=? AND currency>?)",
      "payments USING INDEX payments_by_amount (t=? AND currency=? AND amount_minor=? AND id<?)"
    ],
    "a search by metadata": [
      (ledger) => ledger.search(tenant, { ...page, metadata: { a: "b" }, walkAtMost: 100 }),
      "named USING COVERING INDEX payment_metadata_by_value (t=? AND value=? AND name=? AND payment<?)",
      `${byId} AND id=?)`
    ],
    "a search by time": [
      (ledger) => ledger.search(tenant, { ...page, createdFrom: 7_200_000, walkAtMost: 100 }),
      "payments USING COVERING INDEX payments_by_id (t=? AND id>? AND id<?)",
      `${byId} AND id>? AND id<?)`
    ],
    "a page of payments by a provider's reference": [
      (ledger) => ledger.payments(tenant, { ...page, providerRef: "a" }),
      `${names} AND name>? AND name<?)`,
      "named USING PRIMARY KEY (t=? AND name>? AND name<?)",
      `${byId} AND id=?)`
    ],
    "a page of payments of a time": [
      (ledger) => ledger.payments(tenant, { ...page, createdFrom: 1, createdBefore: 9e12 }),
      `${byId} AND id>? AND id<?)`
    ],
    "the attempts of a payment": [(ledger, paymentId) => ledger.attempts(tenant, paymentId), `${byId} AND id=?)`],
    "what operations have to look at": [
      (ledger) => ledger.reviews({ limit: 10 }),
      "payments USING INDEX payments_reviewed (review_since>?)"
    ],
    "the next page of what operations have to look at": [
      (ledger) => ledger.reviews({ after: { since: 1, paymentId: "a" }, limit: 10 }),
      "payments USING INDEX payments_reviewed ((review_since,id)>(?,?))"
    ],
    "a tenant's next page of what operations have to look at": [
      (ledger) => ledger.reviews({ tenant, after: { since: 1, paymentId: "a" }, limit: 10 }),
      "payments USING INDEX payments_reviewed_of_tenant (t=? AND (review_since,id)>(?,?))"
    ],
    "a tenant's reviews by amount": [
      (ledger) => ledger.reviews({ tenant, byAmount: {}, limit: 10 }),
      "payments USING INDEX payments_reviewed_of_tenant (t=? AND review_since>?)"
    ],
    "old claims": [
      (ledger) => ledger.oldClaims({ claimedBefore: 10, limit: 10 }),
      "payments USING INDEX payments_by_claim (claimed_at<?)"
    ],
    "the old claims after one": [
      (ledger) => ledger.oldClaims({ claimedBefore: 10, after: { claimedAt: -1, tenant, key: "a" }, limit: 10 }),
      "payments USING INDEX payments_by_claim (claimed_at>? AND claimed_at<?)"
    ],
    "a claim": [(ledger) => ledger.claim(tenant, "a"), "payments USING INDEX payments_by_key (t=? AND key=?)"],
    "a timeline": [
      (ledger) => ledger.timeline(tenant, "a", { limit: 10 }),
      "events USING INDEX events_by_payment (t=? AND payment=? AND id>?)"
    ],
    "the disputes of a status": [
      (ledger) => ledger.disputes(tenant, { status: "won", before: "a", limit: 10 }),
      "disputes USING INDEX disputes_by_status (workspace_id=? AND environment=? AND status=? AND id<?)"
    ],
    "the due disputes": [
      (ledger) => ledger.dueDisputes({ now: 1, limit: 10 }),
      "disputes USING COVERING INDEX disputes_due (check_at>? AND check_at<?)"
    ],
    "a page of events": [(ledger) => ledger.events(tenant, page), `${events} AND id<?)`],
    "the events after one": [(ledger) => ledger.events(tenant, { after: "a", limit: 10 }), `${events} AND id>?)`],
    "the events of a type": [
      (ledger) => ledger.events(tenant, { type: "payment.captured", limit: 10 }),
      "events USING INDEX events_by_later_type (t=? AND type=?)"
    ],
    "the events of a type after one": [
      (ledger) => ledger.events(tenant, { type: "payment.captured", after: "a", limit: 10 }),
      "events USING INDEX events_by_later_type (t=? AND type=? AND id>?)"
    ],
    "the events of creations after one": [
      (ledger) => ledger.events(tenant, { type: "payment.created", after: "a", limit: 10 }),
      `${events} AND id>?)`
    ]
  }

  for (const [what, [read, ...expected]] of Object.entries(walks)) {
    itRuns(`SQLite goes straight to ${what} of many rows`, function* () {
      const plan = yield* planOf(read)
      // Some versions of SQLite name the search of `exists`.
      // The number of a tenant is looked up once.
      const isSearch = (step: string) => step.startsWith("SEARCH") && !step.startsWith("SEARCH tenants")
      const searches = plan.filter(isSearch).map((step) => step.replace(" EXISTS ", " "))
      expect(new Set(searches)).toEqual(new Set(expected.map((walk) => `SEARCH ${walk}`)))
      expect(
        plan.filter((step) => /^SCAN (?!\(subquery|CONSTANT ROW$|walk$|last$|currencies$|found$)/.test(step))
      ).toEqual([])
      expect(plan.filter((step) => step.includes("TEMP B-TREE"))).toHaveLength(sorts[what] ?? 0)
    })
  }
})
