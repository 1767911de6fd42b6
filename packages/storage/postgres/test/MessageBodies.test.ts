/** Bodies of messages by month: where they are written and read, and what happens to them when their month is dropped. */
import { describe, expect, it } from "@effect/vitest"
import { Ids, Ledger, Retention, type SealedText, SealedTexts, type StoredMessage } from "@pointsman/core/ports"
import { Effect, Fiber, Option, type Redacted } from "effect"
import { newChange, tenant, withStorage } from "./Given.ts"
import { hasServer, newDatabase } from "./support/TestDatabase.ts"
import { clientOf, untilWaiting } from "./support/Waiting.ts"

const month = Date.UTC(2096, 9, 1)
const day = 24 * 60 * 60_000
/** Months later: all that came in the month is over. */
const over = { now: month + 200 * day, deliveriesBefore: null, bodiesBefore: month + 100 * day }

const messageOf = (eventId: string, more: Partial<StoredMessage> = {}): StoredMessage => ({
  connectionId: "first",
  eventId,
  paymentId: null,
  about: "charge",
  subjectId: "att_1",
  disputeId: null,
  verdict: null,
  outcome: "received",
  reason: null,
  writtenAt: month,
  receivedAt: month + day,
  body: `body of ${eventId}`,
  isSealed: true,
  ...more
})

const store = (...messages: ReadonlyArray<StoredMessage>) =>
  Effect.flatMap(Ledger, (ledger) => Effect.forEach(messages, (message) => ledger.storeMessage(tenant, message)))

const bodyOf = (eventId: string) =>
  Effect.flatMap(Ledger, (ledger) =>
    Effect.map(ledger.message(tenant, "first", eventId), (found) => Option.getOrThrow(found).body)
  )

/** The tables that hold a body of a message; the column of the message is `messages`. */
const placesOf = (url: Redacted.Redacted) =>
  Effect.gen(function* () {
    const sql = yield* clientOf(url, 1)
    const found = yield* sql<{ id: string; place: string }>`
      select m.event_id as id, b.tableoid::regclass::text as place from message_bodies as b join messages as m
        using (workspace_id, environment, connection_id, event_hash)
      union all select event_id, 'messages' from messages where body <> '' order by 1, 2`
    return Object.fromEntries(found.map(({ id, place }) => [id, place]))
  })

const ofMonth = `message_bodies_${month}_${month + 31 * day}`

describe.skipIf(!hasServer)("bodies of messages", () => {
  const on = <A, E, R>(use: (url: Redacted.Redacted) => Effect.Effect<A, E, R>) =>
    Effect.flatMap(newDatabase, (url) =>
      withStorage({ url })(use(url) as Effect.Effect<A, E, Exclude<R, SealedTexts>>).pipe(Effect.provide(Ids.layer))
    )

  it.live("a message stored twice has its body once, in the partition of its month", () =>
    on((url) =>
      Effect.gen(function* () {
        const retention = yield* Retention
        yield* store(messageOf("early"))
        expect(yield* placesOf(url)).toEqual({ early: "message_bodies_default" })
        yield* retention.upkeep({ ...over, now: month, bodiesBefore: null })
        expect(yield* placesOf(url)).toEqual({ early: ofMonth })
        yield* store(messageOf("one"), messageOf("none", { body: "", isSealed: false }))
        const [again] = yield* store(messageOf("one", { body: "other", receivedAt: month + 2 * day }))
        expect(Option.getOrThrow(again ?? Option.none())).toMatchObject({ eventId: "one", receivedAt: month + day })
        expect(yield* placesOf(url)).toEqual({ early: ofMonth, one: ofMonth })
        const ledger = yield* Ledger
        for (const message of [
          messageOf("early"),
          messageOf("one"),
          messageOf("none", { body: "", isSealed: false })
        ]) {
          expect(Option.getOrThrow(yield* ledger.message(tenant, "first", message.eventId))).toStrictEqual(message)
        }
        const sql = yield* clientOf(url, 1)
        expect(yield* sql`select 1 from message_bodies`).toHaveLength(2)
        // The months of the next 62 days are there, and none twice.
        const parts = sql`select 1 from pg_inherits where inhparent = 'message_bodies'::regclass`
        expect(yield* parts).toHaveLength(4)
        yield* retention.upkeep({ ...over, now: month, bodiesBefore: null })
        expect(yield* parts).toHaveLength(4)
      })
    )
  )

  it.live("undecided messages keep their bodies when their month is dropped", () =>
    on((url) =>
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const retention = yield* Retention
        const reviewed = yield* newChange({ review: { since: 1, reasons: ["conflict"] } })
        const closed = yield* newChange()
        for (const change of [reviewed, closed]) yield* ledger.commit(change)
        yield* retention.upkeep({ ...over, now: month, bodiesBefore: null })
        const open = ["received", "waits", "unreadable", "unmatched"] as const
        const decided = ["applied", "confirmed", "older"] as const
        yield* store(
          ...[...open, ...decided].map((outcome) => messageOf(outcome, { outcome })),
          messageOf("reviewed", { outcome: "contradicts", paymentId: reviewed.payment.after.id }),
          messageOf("closed", { outcome: "contradicts", paymentId: closed.payment.after.id }),
          messageOf("later", { outcome: "applied", receivedAt: month + 40 * day })
        )
        // A body of the month is younger than the time.
        yield* retention.upkeep({ ...over, bodiesBefore: month + 5 * day })
        expect(Object.keys(yield* placesOf(url))).toHaveLength(10)
        yield* retention.upkeep({ ...over, bodiesBefore: month + 35 * day })
        const kept = [...open, "reviewed"]
        const column = Object.fromEntries(kept.map((id) => [id, "messages"]))
        expect(yield* placesOf(url)).toEqual({
          ...column,
          later: `message_bodies_${Date.UTC(2096, 10, 1)}_${Date.UTC(2096, 11, 1)}`
        })
        for (const id of [...kept, "later"]) expect(yield* bodyOf(id)).toBe(`body of ${id}`)
        for (const id of [...decided, "closed"]) expect(yield* bodyOf(id)).toBe("")
        // Once they are decided, they leave in batches.
        const sql = yield* clientOf(url, 1)
        yield* sql`update messages set outcome = 'applied' where event_id = 'waits'`
        const old = { tenant, before: over.bodiesBefore, limit: 9, isLongest: true }
        expect(yield* retention.pruneBodies(old)).toBe(1)
        expect(yield* bodyOf("waits")).toBe("")
      })
    )
  )

  it.live("a month waits for a message that another transaction holds", () =>
    on((url) =>
      Effect.gen(function* () {
        const retention = yield* Retention
        yield* retention.upkeep({ ...over, now: month, bodiesBefore: null })
        yield* store(messageOf("held"), messageOf("free"))
        const sql = yield* clientOf(url, 2)
        const lock = sql`select 1 from messages where event_id = 'held' for update`
        yield* sql.withTransaction(Effect.andThen(lock, retention.upkeep(over)))
        expect(yield* placesOf(url)).toEqual({ free: "messages", held: ofMonth })
        yield* retention.upkeep(over)
        expect(yield* placesOf(url)).toEqual({ free: "messages", held: "messages" })
        expect(yield* bodyOf("held")).toBe("body of held")
      })
    )
  )

  it.live("no body in either place is left when a payment is erased, also of one that moves", () =>
    on((url) =>
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const retention = yield* Retention
        const change = yield* newChange()
        yield* ledger.commit(change)
        const paymentId = change.payment.after.id
        yield* retention.upkeep({ ...over, now: month, bodiesBefore: null })
        yield* store(
          messageOf("moving", { paymentId }),
          messageOf("kept", { paymentId, receivedAt: month + 40 * day }),
          messageOf("another")
        )
        const [sql, beside] = [yield* clientOf(url, 2), yield* clientOf(url, 1)]
        // The erasure waits for the message, whose body is moved before it goes on.
        const erasing = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`select 1 from messages where event_id = 'moving' for update`
            const fiber = yield* Effect.forkChild(ledger.eraseTexts(tenant, { paymentId, events: [] }))
            yield* untilWaiting(beside, 1)
            yield* sql`delete from message_bodies where received_at = ${month + day} and body = 'body of moving'`
            yield* sql`update messages set body = 'body of moving' where event_id = 'moving'`
            return fiber
          })
        )
        expect(yield* Fiber.join(erasing)).toBe(2)
        expect(yield* placesOf(url)).toEqual({ another: ofMonth })
        expect(yield* ledger.eraseTexts(tenant, { paymentId, events: [] })).toBe(0)
      })
    )
  )

  it.live("each body in both places is listed and replaced once when its key is rotated", () =>
    on((url) =>
      Effect.gen(function* () {
        const texts = yield* SealedTexts
        const retention = yield* Retention
        yield* store(messageOf("1"), messageOf("2"), messageOf("3", { isSealed: false }))
        const sql = yield* clientOf(url, 1)
        yield* retention.upkeep({ ...over, now: month, bodiesBefore: null })
        yield* retention.upkeep(over)
        yield* store(messageOf("4"), messageOf("5", { receivedAt: over.now }))
        yield* sql`update messages set outcome = 'applied', body = '', is_sealed = false where event_id = '2'`
        const keys = new Set<string>()
        let after: ReadonlyArray<string> | null = null
        for (let pages = 0; pages < 5; pages++) {
          const [text]: ReadonlyArray<SealedText> = yield* texts.list({ kind: "message", after, limit: 1 })
          if (text === undefined) break
          keys.add(`${text.key.at(-1)}: ${text.sealed}`)
          after = text.key
          const replacement = {
            kind: "message" as const,
            key: text.key,
            expected: text.sealed,
            sealed: `new ${text.sealed}`
          }
          expect(yield* texts.replace("message", [replacement])).toBe(1)
          expect(yield* texts.replace("message", [replacement])).toBe(0)
        }
        expect(keys).toEqual(new Set(["1", "4", "5"].map((id) => `${id}: body of ${id}`)))
        for (const id of ["1", "4", "5"]) expect(yield* bodyOf(id)).toBe(`new body of ${id}`)
        expect(yield* bodyOf("3")).toBe("body of 3")
      })
    )
  )

  it.live("each body of a workspace leaves, of months and of none", () =>
    on((url) =>
      Effect.gen(function* () {
        const retention = yield* Retention
        const applied = { outcome: "applied" as const }
        yield* store(messageOf("none", { ...applied, receivedAt: 9 }))
        yield* retention.upkeep({ ...over, now: month, bodiesBefore: null })
        yield* store(messageOf("month", applied), messageOf("open"))
        const query = { tenant, before: over.bodiesBefore, limit: 9 }
        const held = retention.held({ tenant, deliveriesBefore: null, bodiesBefore: query.before, limit: 9 })
        expect(yield* held).toMatchObject({ bodies: 2, oldestBodyAt: 9 })
        // Of the longest retention, the month waits for the upkeep.
        expect(yield* retention.pruneBodies({ ...query, isLongest: true })).toBe(1)
        expect(yield* held).toMatchObject({ bodies: 1, oldestBodyAt: month + day })
        expect(yield* placesOf(url)).toEqual({ month: ofMonth, open: ofMonth })
        expect(yield* retention.pruneBodies(query)).toBe(1)
        expect(yield* placesOf(url)).toEqual({ open: ofMonth })
      })
    )
  )
})
