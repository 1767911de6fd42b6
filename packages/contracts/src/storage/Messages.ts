/** A provider's message is stored before it is applied, and decided once, with its change or not at all. */
import { expect } from "@effect/vitest"
import type { Payment, Tenant } from "@pointsman/core"
import {
  type Change,
  Ledger,
  type MessageDecision,
  type MessageNote,
  type MessageOutcome,
  MessageTaken,
  Stale,
  type StoredMessage
} from "@pointsman/core/ports"
import { Effect, Exit, Option, Result } from "effect"
import { firstChange, moveAlong, newTenant, reach, rowOf, type Walked, written } from "./Given.ts"
import { messageOf, newRefund, nextOf, writeEntries } from "./GivenEntries.ts"
import { chapter, itWith } from "./StorageTest.ts"
import { racers } from "./Unguarded.ts"

const noteOf = ({ body: _, isSealed: __, ...note }: StoredMessage): MessageNote => note

/** The outcome of a message that was `received`. */
const decided = (
  message: StoredMessage,
  payment: Payment | null,
  more: Partial<MessageNote> = {}
): MessageDecision => ({
  expected: "received",
  after: { ...noteOf(message), paymentId: payment?.id ?? null, outcome: "applied", ...more }
})

/** Stores a message, and returns its outcome. */
const storedAs = (tenant: Tenant, message: StoredMessage, payment: Payment | null, more: Partial<MessageNote> = {}) =>
  Effect.gen(function* () {
    yield* (yield* Ledger).storeMessage(tenant, message)
    return decided(message, payment, more)
  })

const captured = (tenant: Tenant) => Effect.map(reach(tenant, "Captured"), ({ walked }) => walked)

/** The next write of a payment, which changes nothing but its version. */
const nextWith = ({ payment }: Walked, message?: MessageDecision): Change => nextOf(payment, {}, { message })

export const messages = chapter("messages", (suiteIt) => {
  /** With a captured payment. */
  const it = itWith(suiteIt, ({ tenant }) =>
    Effect.map(captured(tenant), (walked) => ({ walked, payment: walked.payment }))
  )

  it("a message reads back as stored and decided, with a change or without", function* ({ ledger, payment, walked }) {
    const odd = "Zürich \u0000 \ud800 🚃 '"
    const first = messageOf(odd, { body: odd, reason: odd, outcome: "unreadable", about: "unreadable" })
    const alone = messageOf("alone", { subjectId: odd, connectionId: odd, isSealed: false })
    const read = ({ connectionId, eventId }: StoredMessage) => ledger.message(payment.tenant, connectionId, eventId)
    for (const message of [first, alone]) {
      expect(yield* ledger.storeMessage(payment.tenant, message)).toEqual(Option.none())
      expect(yield* read(message)).toStrictEqual(Option.some(message))
    }
    const content = { about: "dispute", subjectId: odd, disputeId: odd, verdict: "lost", writtenAt: 7 } as const
    const after: MessageNote = { ...noteOf(first), ...content, paymentId: payment.id, outcome: "applied" }
    yield* ledger.commit(nextWith(walked, { expected: "unreadable", after: { ...after, reason: null } }))
    yield* ledger.keepMessage(payment.tenant, decided(alone, payment, { outcome: "older", disputeId: odd }), null)
    expect(yield* read(first)).toStrictEqual(Option.some({ ...first, ...after, reason: null }))
    expect(yield* read(alone)).toStrictEqual(
      Option.some({ ...alone, paymentId: payment.id, outcome: "older", disputeId: odd })
    )
  })

  it("a stored message that comes again gives the first one and writes nothing", function* ({ ledger, payment }) {
    const first = messageOf("1")
    expect(yield* ledger.storeMessage(payment.tenant, first)).toEqual(Option.none())
    const again = messageOf("1", { about: "refund", body: "other", receivedAt: 9, outcome: "unreadable" })
    expect(yield* ledger.storeMessage(payment.tenant, again)).toStrictEqual(Option.some(noteOf(first)))
    expect(yield* ledger.message(payment.tenant, "first", "1")).toStrictEqual(Option.some(first))
    const decision = decided(first, payment, { outcome: "confirmed" })
    yield* ledger.keepMessage(payment.tenant, decision, null)
    expect(yield* ledger.storeMessage(payment.tenant, again)).toStrictEqual(Option.some(decision.after))
  })

  it("a decided message is taken when decided again, with a change or without", function* (given) {
    const { ledger, payment, tenant, walked } = given
    const decision = yield* storedAs(tenant, messageOf("1"), payment)
    yield* ledger.keepMessage(tenant, { ...decision, after: { ...decision.after, outcome: "waits" } }, null)
    const { change } = yield* moveAlong(walked, rowOf("Captured", "SettlementReported"))
    const failures = [
      yield* Effect.flip(ledger.commit({ ...change, message: decision })),
      // Also where the version is not the one any more.
      yield* Effect.flip(ledger.commit(nextWith({ ...walked, payment: { ...walked.payment, version: 1 } }, decision))),
      yield* Effect.flip(ledger.keepMessage(tenant, decision, { paymentId: walked.payment.id, version: 0 }))
    ]
    expect(failures).toEqual([new MessageTaken(), new MessageTaken(), new MessageTaken()])
    expect(yield* ledger.payment(tenant, walked.payment.id)).toStrictEqual(Option.some(walked.payment))
    const stored = Option.getOrThrow(yield* ledger.message(tenant, "first", "1"))
    expect(stored.outcome).toBe("waits")
    // Who expects that outcome decides it anew.
    yield* ledger.commit({ ...change, message: { ...decision, expected: "waits" } })
    expect(Option.getOrThrow(yield* ledger.message(tenant, "first", "1")).outcome).toBe("applied")
  })

  it("deciding a message that is not stored is stale and writes nothing", function* ({ ledger, tenant, walked }) {
    const decision = decided(messageOf("1"), walked.payment)
    expect(yield* Effect.flip(ledger.commit(nextWith(walked, decision)))).toEqual(new Stale())
    expect(yield* Effect.flip(ledger.keepMessage(tenant, decision, null))).toEqual(new Stale())
    expect(yield* ledger.message(tenant, "first", "1")).toEqual(Option.none())
    expect(yield* ledger.payment(tenant, walked.payment.id)).toStrictEqual(Option.some(walked.payment))
  })

  it("an id of two connections or two tenants is recorded for both", function* ({ ledger, walked }) {
    const [mine, theirs] = [walked, yield* captured(yield* newTenant())]
    yield* ledger.commit(nextWith(mine, yield* storedAs(mine.payment.tenant, messageOf("1"), mine.payment)))
    yield* ledger.commit(nextWith(theirs, yield* storedAs(theirs.payment.tenant, messageOf("1"), theirs.payment)))
    expect(yield* ledger.storeMessage(mine.payment.tenant, messageOf("1", { connectionId: "second" }))).toEqual(
      Option.none()
    )
    const other = yield* ledger.message(theirs.payment.tenant, "second", "1")
    expect(other).toEqual(Option.none())
    const own = Option.getOrThrow(yield* ledger.message(theirs.payment.tenant, "first", "1"))
    expect(own.paymentId).toBe(theirs.payment.id)
  })

  it("a stale change leaves its message undecided, to be decided again", function* (given) {
    const { ledger, payment, tenant, walked } = given
    const decision = yield* storedAs(tenant, messageOf("1"), payment)
    yield* ledger.commit(nextWith(walked))
    expect(yield* Effect.flip(ledger.commit(nextWith(walked, decision)))).toEqual(new Stale())
    expect(yield* ledger.message(tenant, "first", "1")).toStrictEqual(Option.some(messageOf("1")))
    const read = Option.getOrThrow(yield* ledger.payment(tenant, walked.payment.id))
    yield* ledger.commit(nextWith({ ...walked, payment: read }, decision))
    expect(Option.getOrThrow(yield* ledger.message(tenant, "first", "1")).outcome).toBe("applied")
  })

  it("a message that changes nothing is decided only for the version that was seen", function* (given) {
    const { ledger, payment, tenant, walked } = given
    const { id, version } = payment
    const keep = (eventId: string, seen: number) =>
      Effect.flatMap(storedAs(tenant, messageOf(eventId), walked.payment), (decision) =>
        Effect.result(ledger.keepMessage(tenant, decision, { paymentId: id, version: seen }))
      )
    expect(yield* keep("1", version)).toEqual(Result.succeed(undefined))
    expect(yield* keep("2", version - 1)).toEqual(Result.fail(new Stale()))
    expect(yield* keep("3", version + 1)).toEqual(Result.fail(new Stale()))
    expect(yield* ledger.message(tenant, "first", "2")).toStrictEqual(Option.some(messageOf("2")))
    // A kept message does not disturb a writer of the payment.
    yield* ledger.commit(nextWith(walked))
  })

  it(`one of ${racers} stores of one message at once stored it`, function* ({ ledger, tenant }) {
    const stored = yield* Effect.all(
      Array.from({ length: racers }, () => ledger.storeMessage(tenant, messageOf("1"))),
      { concurrency: "unbounded" }
    )
    expect(stored.filter(Option.isNone)).toHaveLength(1)
    expect(stored.filter(Option.isSome).map(({ value }) => value.outcome)).toEqual(Array(racers - 1).fill("received"))
  })

  it(`one message decided ${racers} times at once is decided once`, function* ({ ledger, tenant, walked }) {
    const decision = yield* storedAs(tenant, messageOf("1"), walked.payment)
    const written = yield* Effect.all(
      Array.from({ length: racers }, (_, index) =>
        Effect.result(
          index % 2 === 0
            ? Effect.asVoid(ledger.commit(nextWith(walked, decision)))
            : Effect.andThen(Effect.yieldNow, ledger.keepMessage(tenant, decision, null))
        )
      ),
      { concurrency: "unbounded" }
    )
    expect(written.filter(Result.isSuccess)).toHaveLength(1)
    const failures = written.flatMap((one) => (Result.isFailure(one) ? [one.failure._tag] : []))
    expect(new Set(failures)).toEqual(new Set(["pointsman/MessageTaken"]))
  })

  it("a message about another payment than its change dies and writes nothing", function* ({ ledger, tenant, walked }) {
    const decision = yield* storedAs(tenant, messageOf("1"), null)
    const exit = yield* Effect.exit(ledger.commit(nextWith(walked, decision)))
    expect(Exit.hasDies(exit)).toBe(true)
    const stored = yield* ledger.message(tenant, "first", "1")
    expect(stored).toStrictEqual(Option.some(messageOf("1")))
  })

  it("an attempt, a refund or a charge finds its payment's book, for its tenant only", function* (given) {
    const { ledger, tenant, walked } = given
    const refund = yield* newRefund(walked.payment, { money: { ...walked.payment.money, minorUnits: 100 } })
    const { after, change } = writeEntries(walked, { refunds: [refund] })
    yield* ledger.commit(change)
    yield* written(firstChange(tenant))
    const attemptId = walked.attempts[0]?.id ?? ""
    const connectionId = walked.payment.connectionId ?? ""
    const providerRef = walked.payment.providerRef ?? ""
    for (const subject of [{ attemptId }, { refundId: refund.id }, { connectionId, providerRef }]) {
      expect(yield* ledger.bookOf(tenant, subject)).toStrictEqual(Option.some({ book: after, others: [] }))
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

  suiteIt("a message finds a charge that moved no money by the attempt's reference", function* ({ ledger, tenant }) {
    const { walked } = yield* reach(tenant, "Charging")
    const { after, change } = yield* moveAlong(walked, rowOf("Charging", "ChargeDeclined"))
    const attempts = after.attempts.map(
      (attempt) => ({ ...attempt, outcome: "Declined", providerRef: "ch-1" }) as const
    )
    yield* ledger.commit({ ...change, attempts })
    const subject = { connectionId: attempts[0]?.connectionId ?? "", providerRef: "ch-1" }
    const idOf = Effect.map(
      ledger.bookOf(tenant, subject),
      Option.map(({ book, others }) => [book.payment.id, others])
    )
    expect(yield* idOf).toEqual(Option.some([walked.payment.id, []]))
    expect(yield* ledger.bookOf(tenant, { ...subject, providerRef: "ch-2" })).toEqual(Option.none())
    expect(yield* ledger.bookOf(tenant, { ...subject, connectionId: "another" })).toEqual(Option.none())
    expect(yield* ledger.bookOf(yield* newTenant(), subject)).toEqual(Option.none())
  })

  it("messages of several tenants are listed newest first, by page and by filter", function* (given) {
    const { ledger, walked: mine } = given
    const theirs = yield* captured(yield* newTenant())
    const names = { mine: mine.payment.tenant, theirs: theirs.payment.tenant }
    // Of connections that no other test has: the list is that of all tenants.
    const own = `own ${mine.payment.id}`
    const other = `other ${mine.payment.id}`
    const cases: ReadonlyArray<readonly [Tenant, string, string, number, MessageOutcome, Payment | null]> = [
      [names.mine, own, "1", 30, "applied", mine.payment],
      [names.mine, own, "2", 10, "unmatched", null],
      [names.mine, other, "3", 20, "applied", mine.payment],
      [names.theirs, own, "4", 20, "applied", theirs.payment],
      // Of one millisecond: by connection, then by id.
      [names.mine, own, "5", 20, "confirmed", mine.payment]
    ]
    for (const [tenant, connectionId, eventId, receivedAt, outcome, payment] of cases) {
      const message = messageOf(eventId, { connectionId, receivedAt })
      yield* ledger.keepMessage(tenant, yield* storedAs(tenant, message, payment, { outcome }), null)
    }
    const body = { about: "unreadable", subjectId: "", outcome: "unreadable", reason: "at data.id" } as const
    yield* ledger.storeMessage(names.mine, messageOf("sha256:0", { connectionId: own, receivedAt: 40, ...body }))
    yield* ledger.storeMessage(names.mine, messageOf("6", { connectionId: own, receivedAt: 5 }))
    const idsOf = (query: Partial<Parameters<typeof ledger.messages>[0]>) =>
      Effect.map(ledger.messages({ connectionId: own, limit: 10, ...query }), (found) =>
        found.map(({ eventId }) => eventId)
      )
    expect(yield* idsOf({})).toEqual(["sha256:0", "1", "5", "4", "2", "6"])
    expect(yield* idsOf({ limit: 2 })).toEqual(["sha256:0", "1"])
    const from = (eventId: string, receivedAt: number) => ({ before: { connectionId: own, eventId, receivedAt } })
    expect(yield* idsOf(from("1", 30))).toEqual(["5", "4", "2", "6"])
    expect(yield* idsOf(from("5", 20))).toEqual(["4", "2", "6"])
    expect(yield* idsOf({ tenant: names.mine })).toEqual(["sha256:0", "1", "5", "2", "6"])
    expect(yield* idsOf({ tenant: { ...names.mine, environment: "production" } })).toEqual([])
    expect(yield* idsOf({ connectionId: undefined, tenant: names.mine })).toEqual(["sha256:0", "1", "5", "3", "2", "6"])
    expect(yield* idsOf({ connectionId: undefined, paymentId: mine.payment.id })).toEqual(["1", "5", "3"])
    expect(yield* idsOf({ paymentId: mine.payment.id, outcome: "applied" })).toEqual(["1"])
    expect(yield* idsOf({ paymentId: "" })).toEqual([])
    for (const [outcome, ids] of [
      ["received", ["6"]],
      ["applied", ["1", "4"]],
      ["unmatched", ["2"]],
      ["unreadable", ["sha256:0"]],
      ["waits", []]
    ] as const) {
      expect(yield* idsOf({ outcome })).toEqual(ids)
    }
    expect(yield* idsOf({ outcome: "applied", ...from("1", 30) })).toEqual(["4"])
    const [first] = yield* ledger.messages({ connectionId: own, limit: 1 })
    expect(first).toStrictEqual({
      ...noteOf(messageOf("sha256:0", { connectionId: own, receivedAt: 40, ...body })),
      tenant: names.mine
    })
    const [attempt] = mine.attempts
    const named = { connectionId: attempt?.connectionId ?? "", subjectId: attempt?.providerRef ?? "" }
    for (const [tenant, message] of [
      [names.mine, messageOf("7", { ...named, receivedAt: 50 })],
      [names.mine, messageOf("8", { ...named, receivedAt: 60 })],
      [names.mine, messageOf("9", { ...named, receivedAt: 60, subjectId: `${named.subjectId}1` })],
      [names.mine, messageOf("10", { ...named, receivedAt: 60, connectionId: own })],
      [names.theirs, messageOf("11", { ...named, receivedAt: 60, subjectId: "ch-none" })]
    ] as const) {
      yield* ledger.storeMessage(tenant, message)
    }
    const naming = { connectionId: undefined, tenant: names.mine, outcome: "received" } as const
    expect(yield* idsOf({ ...naming, namesAttemptFrom: 50 })).toEqual(["8", "7"])
    expect(yield* idsOf({ ...naming, namesAttemptFrom: 51 })).toEqual(["8"])
    expect(yield* idsOf({ ...naming, outcome: "unmatched", namesAttemptFrom: 0 })).toEqual([])
  })
})
