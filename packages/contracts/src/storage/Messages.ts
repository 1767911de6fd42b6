/** A provider's message is recorded once for its connection, with its change or not at all. */
import { describe, expect } from "@effect/vitest"
import { type Change, Ledger, MessageTaken, type Payment, Stale, type StoredMessage } from "@pointsman/core"
import { Cause, Effect, Exit, Option, Result } from "effect"
import { firstChange, moveAlong, newTenant, reach, rowOf, type Walked } from "./Given.ts"
import { newRefund, writeEntries } from "./GivenEntries.ts"
import type { StorageTest } from "./StorageTest.ts"
import { racers } from "./Unguarded.ts"

const messageOf = (payment: Payment | null, eventId: string, more: Partial<StoredMessage> = {}): StoredMessage => ({
  connectionId: "first",
  eventId,
  paymentId: payment?.id ?? null,
  about: "charge",
  subjectId: "att_1",
  disputeId: null,
  verdict: null,
  isApplied: true,
  writtenAt: 1,
  receivedAt: 2,
  body: `{"id":"${eventId}"}`,
  ...more
})

const captured = Effect.gen(function* () {
  return (yield* reach(yield* newTenant(), "Captured")).walked
})

/** The next write of a payment, which changes nothing but its version. */
const nextOf = ({ payment }: Walked, message?: StoredMessage): Change => ({
  tenant: payment.tenant,
  payment: { expected: payment.version, after: { ...payment, version: payment.version + 1 } },
  attempts: [],
  events: [],
  message
})

export const messages = (it: StorageTest): void => {
  describe("messages", () => {
    it.effect("given a message, when it is written with a change or alone, then it reads back as it was", () =>
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const walked = yield* captured
        const { payment } = walked
        const odd = "Zürich \u0000 \ud800 🚃 '"
        const first = messageOf(payment, odd, { disputeId: odd, verdict: "lost", about: "dispute", body: odd })
        yield* ledger.commit(nextOf(walked, first))
        const alone = messageOf(null, "alone", { subjectId: odd, connectionId: odd, isApplied: false })
        yield* ledger.keepMessage(payment.tenant, alone, null)
        for (const message of [first, alone]) {
          const found = yield* ledger.message(payment.tenant, message.connectionId, message.eventId)
          expect(found).toStrictEqual(Option.some(message))
        }
      })
    )

    it.effect(
      "given a recorded message, when it comes with any change or alone, then it is taken and nothing else",
      () =>
        Effect.gen(function* () {
          const ledger = yield* Ledger
          const walked = yield* captured
          const { tenant } = walked.payment
          yield* ledger.keepMessage(tenant, messageOf(walked.payment, "1", { isApplied: false }), null)
          const { change } = yield* moveAlong(walked, rowOf("Captured", "SettlementReported"))
          const failures = [
            yield* Effect.flip(ledger.commit({ ...change, message: messageOf(walked.payment, "1") })),
            // Also where the version is not the one any more.
            yield* Effect.flip(
              ledger.commit({
                ...nextOf({ ...walked, payment: { ...walked.payment, version: 1 } }, messageOf(walked.payment, "1"))
              })
            ),
            yield* Effect.flip(ledger.keepMessage(tenant, messageOf(walked.payment, "1"), null))
          ]
          expect(failures).toEqual([new MessageTaken(), new MessageTaken(), new MessageTaken()])
          expect(yield* ledger.payment(tenant, walked.payment.id)).toStrictEqual(Option.some(walked.payment))
          const stored = Option.getOrThrow(yield* ledger.message(tenant, "first", "1"))
          expect(stored.isApplied).toBe(false)
        })
    )

    it.effect("given an id, when another connection or another tenant has it too, then both are recorded", () =>
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const [mine, theirs] = [yield* captured, yield* captured]
        yield* ledger.commit(nextOf(mine, messageOf(mine.payment, "1")))
        yield* ledger.commit(nextOf(theirs, messageOf(theirs.payment, "1")))
        yield* ledger.keepMessage(mine.payment.tenant, messageOf(null, "1", { connectionId: "second" }), null)
        const other = yield* ledger.message(theirs.payment.tenant, "second", "1")
        expect(other).toEqual(Option.none())
        const own = Option.getOrThrow(yield* ledger.message(theirs.payment.tenant, "first", "1"))
        expect(own.paymentId).toBe(theirs.payment.id)
      })
    )

    it.effect("given a change that is stale, then its message is not recorded, and can come again", () =>
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const walked = yield* captured
        const { tenant } = walked.payment
        yield* ledger.commit(nextOf(walked))
        expect(yield* Effect.flip(ledger.commit(nextOf(walked, messageOf(walked.payment, "1"))))).toEqual(new Stale())
        expect(yield* ledger.message(tenant, "first", "1")).toEqual(Option.none())
        const read = Option.getOrThrow(yield* ledger.payment(tenant, walked.payment.id))
        yield* ledger.commit(nextOf({ ...walked, payment: read }, messageOf(read, "1")))
      })
    )

    it.effect("given a message that changes nothing, then it is kept for the version that was seen alone", () =>
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const walked = yield* captured
        const { id, tenant, version } = walked.payment
        const keep = (eventId: string, seen: number) =>
          Effect.result(
            ledger.keepMessage(tenant, messageOf(walked.payment, eventId), { paymentId: id, version: seen })
          )
        expect(yield* keep("1", version)).toEqual(Result.succeed(undefined))
        expect(yield* keep("2", version - 1)).toEqual(Result.fail(new Stale()))
        expect(yield* keep("3", version + 1)).toEqual(Result.fail(new Stale()))
        expect(yield* ledger.message(tenant, "first", "2")).toEqual(Option.none())
        // Nobody who is at work on the payment is disturbed.
        yield* ledger.commit(nextOf(walked))
      })
    )

    it.effect(`given one message, when it comes ${racers} times at once, then it is recorded once`, () =>
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const walked = yield* captured
        const { tenant } = walked.payment
        const written = yield* Effect.all(
          Array.from({ length: racers }, (_, index) =>
            Effect.result(
              index % 2 === 0
                ? ledger.commit(nextOf(walked, messageOf(walked.payment, "1")))
                : Effect.andThen(Effect.yieldNow, ledger.keepMessage(tenant, messageOf(walked.payment, "1"), null))
            )
          ),
          { concurrency: "unbounded" }
        )
        expect(written.filter(Result.isSuccess)).toHaveLength(1)
        const failures = written.flatMap((one) => (Result.isFailure(one) ? [one.failure._tag] : []))
        expect(new Set(failures)).toEqual(new Set(["pointsman/MessageTaken"]))
      })
    )

    it.effect("given a message about another payment than its change, then the commit dies and writes nothing", () =>
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const walked = yield* captured
        const exit = yield* Effect.exit(ledger.commit(nextOf(walked, messageOf(null, "1"))))
        expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
        expect(yield* ledger.message(walked.payment.tenant, "first", "1")).toEqual(Option.none())
      })
    )

    it.effect(
      "given an attempt, a refund or a charge, then its payment is found with all of its book, and by no other tenant",
      () =>
        Effect.gen(function* () {
          const ledger = yield* Ledger
          const walked = yield* captured
          const refund = yield* newRefund(walked.payment, { money: { ...walked.payment.money, minorUnits: 100 } })
          const { after, change } = writeEntries(walked, { refunds: [refund] })
          yield* ledger.commit(change)
          yield* ledger.commit((yield* firstChange(walked.payment.tenant)).change)
          const { tenant } = walked.payment
          const attemptId = walked.attempts[0]?.id ?? ""
          const connectionId = walked.payment.connectionId ?? ""
          const providerRef = walked.payment.providerRef ?? ""
          for (const subject of [{ attemptId }, { refundId: refund.id }, { connectionId, providerRef }]) {
            expect(yield* ledger.bookOf(tenant, subject)).toStrictEqual(Option.some({ book: after, told: [] }))
            for (const other of [yield* newTenant(), { ...tenant, environment: "production" as const }]) {
              expect(yield* ledger.bookOf(other, subject)).toEqual(Option.none())
            }
          }
          for (const subject of [
            { attemptId: refund.id },
            { refundId: attemptId },
            { attemptId: "" },
            { connectionId: "another", providerRef },
            { connectionId, providerRef: `${providerRef}1` },
            { connectionId, providerRef: "" }
          ]) {
            expect(yield* ledger.bookOf(tenant, subject)).toEqual(Option.none())
          }
        })
    )

    it.effect("given messages of every kind, then the book tells of settlement and disputes, oldest first", () =>
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const walked = yield* captured
        const { payment } = walked
        const kept = [
          messageOf(payment, "9"),
          messageOf(payment, "8", { about: "dispute", verdict: "opened", disputeId: "dp_1" }),
          messageOf(payment, "7", { about: "refund" }),
          messageOf(payment, "6", { about: "settlement", isApplied: false }),
          messageOf(null, "5", { about: "dispute", verdict: "won" }),
          messageOf(payment, "4", { about: "dispute", verdict: "lost", connectionId: "second" })
        ]
        for (const message of kept) yield* ledger.keepMessage(payment.tenant, message, null)
        const found = Option.getOrThrow(
          yield* ledger.bookOf(payment.tenant, { attemptId: walked.attempts[0]?.id ?? "" })
        )
        expect(found.told).toStrictEqual(
          [kept[1], kept[3], kept[5]].flatMap((message) => {
            if (message === undefined) return []
            const { body: _, ...note } = message
            return [note]
          })
        )
      })
    )
  })
}
