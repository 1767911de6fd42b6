/** What goes out: one request for each operation, our id as its key, and the amount as the provider counts it. */

import { assert, describe, it } from "@effect/vitest"
import { amountLimits, currencies } from "@pointsman/core"
import { type ConnectorDefinition, type Money, money } from "@pointsman/core/connector"
import { Exit } from "effect"
import { itRuns } from "../vitest.ts"
import { assertFailsWith, assertRequests, endOf } from "./AnswersChapter.ts"
import type { ConnectorUnderTest, Operation, SituationName, Wire } from "./ConnectorUnderTest.ts"
import { successOf } from "./FaultsChapter.ts"
import { askingOperationsOf, rehearse, returnUrl, situation, timeoutMillis } from "./Rehearsal.ts"

export const wireChapter = (subject: ConnectorUnderTest, wire: Wire): void => {
  describe("on the wire", () => {
    it("receives 12.34 EUR, 500 JPY and 1.230 KWD in its own units", () => {
      for (const currency of ["EUR", "JPY", "KWD"] as const) {
        assert.isDefined(
          wire.amounts[currency],
          `wire.amounts.${currency} is still to be done: what the provider is to be sent for it, literally`
        )
      }
    })
    // What is not played yet has failed in the chapter of the faults already.
    for (const operation of askingOperationsOf(subject).filter((operation) => isPlayed(subject, operation))) {
      itRuns(`${operation} is one request with our id as key, timeout and absolute URL`, function* () {
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
      if (operation === "openCheckout") {
        itRuns("openCheckout says where the customer is to be sent afterwards", function* () {
          const { requests } = yield* rehearse(subject, situation(successOf(subject, operation)))
          const [request] = requests
          if (request === undefined || wire.checkout === undefined) return assert.fail("wire.checkout must tell")
          assert.strictEqual(wire.checkout.returnUrlOf(request), returnUrl)
        })
      }
      const whenSilent = amountSituations[operation]
      if (whenSilent === undefined) continue
      itRuns(`${operation} sends what routing lets through of each currency, and no more`, function* () {
        for (const asked of amountsOfEachCurrency) {
          const rehearsal = yield* rehearse(subject, situation(whenSilent, { money: asked }))
          const what = `${operation} of ${asked.minorUnits} minor units of ${asked.currency}`
          if (isExpressible(subject.definition, asked)) {
            if (isTaken(subject.definition, asked)) assert.isNotEmpty(rehearsal.requests, what)
          } else {
            assertFailsWith("NotSent", rehearsal)
            assert.isEmpty(rehearsal.requests, what)
          }
        }
      })
      for (const [currency, asked] of Object.entries(amounts) as ReadonlyArray<[keyof typeof amounts, Money]>) {
        itRuns(`${operation} of ${asked.minorUnits} minor units of ${currency} has that amount`, function* () {
          const rehearsal = yield* rehearse(subject, situation(successOf(subject, operation), { money: asked }))
          const [request] = rehearsal.requests
          if (wire.amounts[currency] === null) {
            assert.isFalse(
              isExpressible(subject.definition, asked) && isTaken(subject.definition, asked),
              "`supports` or `expresses` of the definition must exclude it, or routing asks for it in vain"
            )
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
      }
    }
  })
}

const isPlayed = (subject: ConnectorUnderTest, operation: Operation): boolean =>
  subject.play(situation(successOf(subject, operation))) !== undefined

/** The operations that carry an amount, each with the situation in which it gets no answer. */
const amountSituations: Readonly<Partial<Record<Operation, SituationName>>> = {
  charge: "charge unanswered",
  openCheckout: "checkout unanswered",
  capture: "capture unanswered",
  refund: "refund unanswered"
}

/** The least and the most that a payment may be, and between them what some provider takes and another does not. */
const amountsOfEachCurrency: ReadonlyArray<Money> = currencies.flatMap((currency) =>
  [amountLimits.minimum, 1230, 1234, 1300, 1995, amountLimits.maximum].map((minorUnits) => money(minorUnits, currency))
)

const isExpressible = ({ expresses }: ConnectorDefinition, asked: Money): boolean => expresses?.(asked) ?? true

const isTaken = ({ supports: { amount, currencies: taken } }: ConnectorDefinition, asked: Money): boolean => {
  const { max = Number.MAX_SAFE_INTEGER, min = 0 } = amount?.[asked.currency] ?? {}
  return (taken?.includes(asked.currency) ?? true) && asked.minorUnits >= min && asked.minorUnits <= max
}

/** Two decimals, none, and three. The last one ends in 0, because some providers take KWD in steps of ten. */
const amounts = { EUR: money(1234, "EUR"), JPY: money(500, "JPY"), KWD: money(1230, "KWD") } as const
