/** A standby that lags takes the place of its primary: what was acknowledged is gone, and the servers notice it. */
import { describe, expect, it } from "@effect/vitest"
import { firstVersionIn } from "@pointsman/core/internal"
import {
  type Change,
  Ids,
  Ledger,
  RecordLosses,
  StorageClock,
  StorageCondition,
  StorageHistory
} from "@pointsman/core/ports"
import { layer } from "@pointsman/storage-postgres"
import { Clock, Context, Effect, Layer, Option, Redacted } from "effect"
import { newChange, tenant } from "./Given.ts"
import { findBinaries, startPostgres } from "./support/EmbeddedPostgres.ts"
import { copyForStandby } from "./support/Standby.ts"
import { clientOf, until } from "./support/Waiting.ts"

const binaries = findBinaries()

const primary = Effect.acquireRelease(
  Effect.promise(() =>
    startPostgres("native" in binaries ? binaries.native : "", {
      fsync: true,
      settings: { wal_level: "replica", max_wal_senders: "4" }
    })
  ),
  (started) => Effect.promise(started.stop)
)

const standbyOf = Effect.fnUntraced(function* (server: Effect.Success<typeof primary>) {
  const { copy, files } = yield* copyForStandby(server)
  const standby = yield* Effect.promise(() => server.startOn(copy, { takesPlace: false, files }))
  return {
    ...standby,
    /** In the primary's place. */
    promote: Effect.gen(function* () {
      yield* Effect.promise(() => server.startOn(copy, { takesPlace: true, files: {} }))
      yield* (yield* clientOf(Redacted.make(server.url), 1))`select pg_promote()`
    })
  }
})

const commitSome = Effect.fnUntraced(function* (ledger: Ledger["Service"], count: number) {
  const ids: Array<string> = []
  for (let made = 0; made < count; made++) {
    const change = yield* newChange()
    yield* ledger.commit(change)
    ids.push(change.payment.after.id)
  }
  return ids
})

/** The next write of a payment and of its key. */
const nextOf = ({ claim, payment, tenant }: Effect.Success<ReturnType<typeof newChange>>, version: number): Change => ({
  tenant,
  payment: { expected: version - 1, after: { ...payment.after, version } },
  attempts: [],
  events: [],
  claim: { expected: version - 1, after: { ...claim.after, version } }
})

/** Until a comparison with the database has begun and ended. Each of them makes the list of warnings anew. */
const untilCompared = Effect.fnUntraced(function* ({ read }: StorageCondition) {
  for (const what of ["one that may have begun before", "one from now on"]) {
    const { warnings } = yield* read
    yield* until(
      `a comparison has ended: ${what}`,
      Effect.map(read, (later) => later.warnings !== warnings)
    )
  }
})

const given = Effect.gen(function* () {
  const server = yield* primary
  const url = Redacted.make(server.url)
  const storage = Effect.map(Layer.build(Layer.fresh(layer({ url }).pipe(Layer.provide(Ids.layer)))), (context) => ({
    ledger: Context.get(context, Ledger),
    losses: Context.get(context, RecordLosses),
    untilCompared: untilCompared(Context.get(context, StorageCondition)),
    firstVersion: Context.get(context, StorageHistory).firstVersion,
    agesFrom: () => Context.get(context, StorageClock)?.agesFrom() ?? null
  }))
  const storages = [yield* storage, yield* storage] as const
  yield* commitSome(storages[0].ledger, 3)
  const standby = yield* standbyOf(server)
  const replicated = yield* commitSome(storages[0].ledger, 3)
  const rows = yield* clientOf(Redacted.make(standby.url), 1)
  const has = (id: string) =>
    Effect.map(rows`select 1 as one from payments where id = ${id}`, (found) => found.length > 0)
  const count = Effect.map(rows`select count(*)::int as n from payments`, ([row]) => row?.["n"])
  yield* until(
    "the standby has all",
    Effect.map(count, (n) => n === 6)
  )
  return { replicated, server, standby: { ...standby, has }, storage, storages }
})

describe.skipIf("missing" in binaries)("a failover to a standby", () => {
  it.live("every server knows of the loss by a lagging one, and its time, after restarts", () =>
    Effect.gen(function* () {
      const began = yield* Clock.currentTimeMillis
      const { server, standby, storage, storages } = yield* given
      yield* Effect.promise(standby.kill)
      const before = yield* Clock.currentTimeMillis
      const lost = yield* commitSome(storages[0].ledger, 5)
      yield* Effect.promise(server.kill)
      yield* standby.promote
      for (const { losses } of storages) {
        yield* until(
          "the loss is known",
          Effect.map(losses.known, (loss) => loss !== null)
        )
      }
      const [one, other] = storages
      const loss = yield* one.losses.newest
      expect(loss).toMatchObject({ number: 1, recovered: [], ended: null })
      expect(loss?.reason).toContain("the database lacks payments that it had acknowledged")
      expect(loss?.since).toBeLessThanOrEqual(before)
      // A minute or so before the newest commit that is left.
      expect(loss?.since).toBeGreaterThan(began - 120_000)
      expect(yield* other.losses.known).toEqual(loss)
      const stored = yield* one.ledger.payments(tenant, { limit: 100 })
      expect(stored.filter(({ id }) => lost.includes(id))).toEqual([])
      expect(stored).toHaveLength(6)
      // Ages begin anew, on every server, and on one that starts later.
      const later = yield* storage
      for (const { agesFrom } of [one, other, later]) expect(agesFrom()).toBeGreaterThanOrEqual(before)
      expect(yield* later.losses.known).toEqual(loss)
      // What is committed from now on is not lost, and the loss is declared once.
      yield* commitSome(one.ledger, 2)
      yield* one.untilCompared
      expect(yield* one.losses.newest).toEqual(loss)
    }).pipe(Effect.scoped, Effect.provide(Ids.layer))
  )

  it.live("servers know of the loss by a lagging one though they commit before comparing", () =>
    Effect.gen(function* () {
      const { server, standby, storages } = yield* given
      const [{ ledger, losses }] = storages
      yield* Effect.promise(standby.kill)
      yield* commitSome(ledger, 5)
      yield* Effect.promise(server.kill)
      yield* standby.promote
      // What servers read every two seconds: they wait until the lock is gone.
      const other = yield* clientOf(Redacted.make(server.url), 1)
      yield* other.withTransaction(
        Effect.gen(function* () {
          yield* other`lock table record_losses in access exclusive mode`
          yield* until("payments are committed again", Effect.as(commitSome(ledger, 1), true))
          yield* commitSome(ledger, 200)
        })
      )
      yield* until(
        "the loss is known",
        Effect.map(losses.known, (loss) => loss !== null)
      )
    }).pipe(Effect.scoped, Effect.provide(Ids.layer))
  )

  it.live(
    "a step decided on a lost record is stale on another one with its number",
    () =>
      Effect.gen(function* () {
        const { server, standby, storages } = yield* given
        const [one, other] = storages
        const made = yield* newChange()
        yield* one.ledger.commit(made)
        yield* until("the standby has it", standby.has(made.payment.after.id))
        yield* Effect.promise(standby.kill)
        yield* one.ledger.commit(nextOf(made, 2))
        const unseen = yield* newChange()
        yield* one.ledger.commit(unseen)
        yield* Effect.promise(server.kill)
        yield* standby.promote
        const { id } = made.payment.after
        yield* until("payments are read again", Effect.map(other.ledger.payment(tenant, id), Option.isSome))
        // What is left is the same record as before.
        yield* other.ledger.commit(nextOf(made, 2))
        // As a recovery does, which stores a lost payment again.
        yield* other.ledger.commit(unseen)
        for (const stale of [nextOf(made, 3), nextOf(unseen, 2)]) {
          expect((yield* Effect.flip(one.ledger.commit(stale)))._tag).toBe("pointsman/Stale")
        }
        const version = firstVersionIn(2) + 1
        expect(Option.getOrThrow(yield* one.ledger.payment(tenant, id)).version).toBe(version)
        expect(Option.getOrThrow(yield* one.ledger.claim(tenant, made.claim.after.key)).version).toBe(version)
        yield* one.ledger.commit(nextOf(made, version + 1))
        yield* until(
          "new payments are numbered so",
          Effect.sync(() => one.firstVersion() === firstVersionIn(2))
        )
      }).pipe(Effect.scoped, Effect.provide(Ids.layer)),
    60_000
  )

  it.live("ages begin anew at a server that has everything, and no record is missing", () =>
    Effect.gen(function* () {
      const { server, standby, storages } = yield* given
      const [one] = storages
      expect(one.agesFrom()).toBeNull()
      yield* Effect.promise(server.kill)
      yield* Effect.promise(standby.kill)
      yield* standby.promote
      yield* until(
        "the timeline is another one",
        Effect.sync(() => one.agesFrom() !== null)
      )
      yield* one.untilCompared
      expect(yield* one.losses.newest).toBeNull()
    }).pipe(Effect.scoped, Effect.provide(Ids.layer))
  )
})
