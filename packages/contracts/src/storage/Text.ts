/** A read gives back exactly what was written, whatever the text: providers answer with anything. */
import { expect } from "@effect/vitest"
import type { Payment } from "@pointsman/core"
import { moveClaim } from "@pointsman/core/internal"
import { Option } from "effect"
import {
  connectionOf,
  drafts,
  firstChange,
  moveAlong,
  reach,
  rowOf,
  workspaceOf,
  writeDirectory,
  written
} from "./Given.ts"
import { newOperation, newRefund, writeEntries } from "./GivenEntries.ts"
import { chapter } from "./StorageTest.ts"

/** By what is awkward about it. */
export const awkward: Readonly<Record<string, string>> = {
  "no characters": "",
  umlauts: "Grüße aus Köln",
  "combining marks": "e\u0301 and \u00e9",
  emoji: "👩‍👩‍👧‍👦 🇩🇪 𝟙",
  "right to left": "\u202eمرحبا\u202c",
  quotes: `"double" 'single' \`back\` '' $1 ?1 :a`,
  SQL: "'); drop table payments; --",
  backslashes: "\\ \\\\ \\u0000 \\n",
  "line ends": "a\r\nb\tc\u2028d",
  patterns: "%_*?[a-z]",
  "text that looks like JSON": '{"a":[null,true,1e400]}',
  "text that looks like a number": "0012.50",
  "a NUL": "before\u0000after",
  "a lone surrogate": "\ud83d and \udc69",
  "the end of Unicode": "\u{10ffff}\uffff\ufeff",
  "100,000 characters": "ß".repeat(100_000)
}

export const text = chapter("text", (it) => {
  for (const [name, value] of Object.entries(awkward)) {
    it(`${name} is read back as it was written`, function* ({ ledger, tenant }) {
      const first = yield* written(firstChange(tenant, { payment: { reference: value, cardBrand: value } }))
      const moved = yield* moveAlong(first.after, rowOf("Charging", "ChargeDeclined"))
      const payment: Payment = {
        ...moved.after.payment,
        declineReason: value,
        providerRef: value,
        routing: moved.after.payment.routing && { ...moved.after.payment.routing, rule: value }
      }
      const attempts = moved.change.attempts.map((attempt) => ({ ...attempt, code: value, providerRef: value }))
      const events = moved.change.events.map((event) => ({
        ...event,
        data: { ...event.data, decline_code: value, [value]: [value, { [value]: null }] }
      }))
      const claim = moveClaim(first.claim, "RequestAnswered", { answeredAt: 1, answer: payment })
      const after = { payment: { expected: 1, after: payment }, claim: { expected: 1, after: claim } }
      yield* ledger.commit({ ...moved.change, ...after, attempts, events })

      expect(Option.getOrThrow(yield* ledger.payment(tenant, payment.id))).toStrictEqual(payment)
      expect(yield* ledger.payments(tenant, { limit: 1 })).toStrictEqual([payment])
      expect(yield* ledger.attempts(tenant, payment.id)).toStrictEqual(attempts)
      const timeline = yield* ledger.timeline(tenant, payment.id, { after: "", limit: 10 })
      expect(drafts(timeline).at(-1)).toStrictEqual(events[0])
      expect(Option.getOrThrow(yield* ledger.claim(tenant, claim.key))).toStrictEqual(claim)
    })

    it(`${name} in operations and refunds is read back as it was`, function* ({ ledger, tenant }) {
      const { walked } = yield* reach(tenant, "Captured")
      const hosted = { tokenHash: walked.payment.id, returnUrl: value, cancelUrl: value, expiresAt: 1 }
      const payment: Payment = { ...walked.payment, reference: value, hosted }
      const checkout = { reference: value, sealedUrl: value, expiresAt: null }
      const free = { idempotencyKey: value, connectionId: value, providerRef: value, code: value, reason: value }
      const attempts = walked.attempts.map((attempt) => ({ ...attempt, reason: value, checkout }))
      const refused = {
        providerRefundId: value,
        failureReason: value,
        reply: { _tag: "Refused", message: value }
      } as const
      const { after, change } = writeEntries(
        { ...walked, payment, attempts },
        {
          operations: [yield* newOperation(payment, { ...free, reply: { _tag: "Done", payment } })],
          refunds: [yield* newRefund(payment, { ...free, ...refused })]
        }
      )
      yield* ledger.commit({ ...change, payment: { ...change.payment, before: walked }, attempts })
      expect(Option.getOrThrow(yield* ledger.book(payment.tenant, payment.id))).toStrictEqual(after)
      expect(Option.getOrThrow(yield* ledger.paymentOfPage(hosted.tokenHash))).toStrictEqual(after.payment)
    })
  }

  it("awkward names in the directory are read back as they were", function* ({ directory, tenant }) {
    for (const name of Object.values(awkward)) {
      const workspace = workspaceOf(tenant, { name, category: name })
      const connections = [connectionOf(tenant, { name, restrictions: [{ cardBrand: [name] }] })]
      yield* writeDirectory({ workspaces: [workspace], connections })
      expect(yield* directory.workspace(tenant.workspaceId)).toStrictEqual(Option.some(workspace))
      expect(yield* directory.connections(tenant)).toStrictEqual(connections)
    }
  })

  it("a key that is much like a stored one is not found", function* ({ ledger, tenant }) {
    yield* written(firstChange(tenant, { key: "Key-0001" }))
    for (const other of ["key-0001", "Key-0001 ", "Key-0001\u0000", "Key-001", "Key-000_", "Key-000\ud800"]) {
      expect(yield* ledger.claim(tenant, other)).toEqual(Option.none())
    }
    expect(Option.isSome(yield* ledger.claim(tenant, "Key-0001"))).toBe(true)
  })
})
