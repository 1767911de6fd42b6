/** What goes out: one request for each operation, our id as its key, and the amount as the provider counts it. */

import { assert, describe, it } from "@effect/vitest"
import { type Money, money } from "@pointsman/core/connector"
import { Effect, Exit } from "effect"
import { assertFailsWith, assertRequests, endOf } from "./AnswersChapter.ts"
import type { ConnectorUnderTest, Operation, Wire } from "./ConnectorUnderTest.ts"
import { successOf } from "./FaultsChapter.ts"
import { askingOperationsOf, rehearse, returnUrl, situation, timeoutMillis } from "./Rehearsal.ts"

export const wireChapter = (subject: ConnectorUnderTest, wire: Wire): void => {
  describe("on the wire", () => {
    it("is told what 12.34 EUR, 500 JPY and 1.230 KWD are there", () => {
      for (const currency of ["EUR", "JPY", "KWD"] as const) {
        assert.isDefined(
          wire.amounts[currency],
          `wire.amounts.${currency} is still to be done: what the provider is to be sent for it, literally`
        )
      }
    })
    // What is not played yet has failed in the chapter of the faults already.
    for (const operation of askingOperationsOf(subject).filter((operation) => isPlayed(subject, operation))) {
      it.effect(`given ${operation}, then one request with our id as its key, the time-out and an absolute URL`, () =>
        Effect.gen(function* () {
          const rehearsal = yield* rehearse(subject, situation(successOf(subject, operation)))
          const { exit, id, requests } = rehearsal
          assert.isTrue(Exit.isSuccess(exit), `expected an answer, and the connector ${endOf(rehearsal)}`)
          const [request, ...others] = requests
          assert.isEmpty(others, "one operation is one request")
          if (request === undefined) return assert.fail("nothing was sent through the transport")
          const key = wire.idempotencyKeyOf(request)
          // A lookup that only reads needs none.
          if (request.method !== "GET" || key !== undefined) {
            assert.strictEqual(key, id, "the provider's idempotency key is our id of the operation")
          }
          assert.strictEqual(request.timeoutMillis, timeoutMillis, "timeoutMillis: that of the account, passed on")
          assert.match(new URL(request.url).protocol, /^https?:$/)
        })
      )
      if (operation === "openCheckout") {
        it.effect("given openCheckout, then the request says where the customer is to be sent afterwards", () =>
          Effect.gen(function* () {
            const { requests } = yield* rehearse(subject, situation(successOf(subject, operation)))
            const [request] = requests
            if (request === undefined || wire.checkout === undefined) return assert.fail("wire.checkout must tell")
            assert.strictEqual(wire.checkout.returnUrlOf(request), returnUrl)
          })
        )
      }
      if (!carriesAmount.has(operation)) continue
      for (const [currency, asked] of Object.entries(amounts) as ReadonlyArray<[keyof typeof amounts, Money]>) {
        it.effect(`given ${operation} of ${asked.minorUnits} minor units of ${currency}, then that amount`, () =>
          Effect.gen(function* () {
            const rehearsal = yield* rehearse(subject, situation(successOf(subject, operation), { money: asked }))
            const [request] = rehearsal.requests
            if (wire.amounts[currency] === null) {
              assertFailsWith("NotSent", rehearsal)
              return assertRequests(rehearsal, 0)
            }
            if (request === undefined) return assert.fail(`nothing was sent: the connector ${endOf(rehearsal)}`)
            assert.deepStrictEqual(
              wire.amountOf(request),
              wire.amounts[currency],
              `the amount on the wire, of ${asked.minorUnits} minor units of ${currency}`
            )
            if ((operation === "charge" || operation === "openCheckout") && wire.currencyOf !== undefined) {
              assert.deepStrictEqual(wire.currencyOf(request), wire.currencies?.[currency])
            }
          })
        )
      }
    }
  })
}

const isPlayed = (subject: ConnectorUnderTest, operation: Operation): boolean =>
  subject.play(situation(successOf(subject, operation))) !== undefined

const carriesAmount: ReadonlySet<Operation> = new Set(["charge", "openCheckout", "capture", "refund"])

/** Two decimals, none, and three. The last one ends in 0, because some providers take KWD in steps of ten. */
const amounts = { EUR: money(1234, "EUR"), JPY: money(500, "JPY"), KWD: money(1230, "KWD") } as const
