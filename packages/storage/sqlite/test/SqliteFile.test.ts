import { execFile } from "node:child_process"
import { readdirSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { describe, expect, it } from "@effect/vitest"
import { Directory, type Event, Ledger } from "@pointsman/core"
import { Cause, Effect, Exit, Fiber, Option } from "effect"
import { open } from "../src/Database.ts"
import { migrate } from "../src/Migrations.ts"
import { newChange, newFile, tenant, withStorage } from "./Given.ts"

const run = promisify(execFile)
const script = fileURLToPath(new URL("OtherProcess.ts", import.meta.url))

const otherProcess = (filename: string, what: string, argument = "") =>
  Effect.map(
    Effect.promise(() => run(process.execPath, ["--conditions=@pointsman/source", script, filename, what, argument])),
    ({ stdout }): unknown => JSON.parse(stdout)
  )

const workspace = { id: "ws", name: "Acme", country: null, category: null, suspended: false, partner: null }
const apiKey = {
  hash: "hash-of-the-key",
  ...tenant,
  scopes: null,
  revokedAt: null,
  source: "operator",
  createdAt: 1
} as const
const contents = { workspaces: [workspace], apiKeys: [apiKey], connections: [], routing: [], webhookEndpoints: [] }

describe("sqlite file", () => {
  it.effect("given what was committed, when the file is closed and opened again, then all of it is there", () =>
    Effect.gen(function* () {
      const filename = yield* newFile
      const read = Effect.fnUntraced(function* (id: string) {
        const ledger = yield* Ledger
        const directory = yield* Directory
        return {
          payment: yield* ledger.payment(tenant, id),
          attempts: yield* ledger.attempts(tenant, id),
          timeline: yield* ledger.timeline(tenant, id, { limit: 10 }),
          claim: yield* ledger.claim(tenant, `key-${id}`),
          contents: yield* directory.contents
        }
      })
      const before = yield* Effect.gen(function* () {
        const change = yield* newChange()
        yield* (yield* Ledger).commit(change)
        yield* (yield* Directory).write(contents)
        return yield* read(change.payment.after.id)
      }).pipe(withStorage({ filename }))
      expect(before.timeline).toHaveLength(1)
      expect(before.contents).toStrictEqual(contents)

      const id = Option.getOrThrow(before.payment).id
      expect(yield* read(id).pipe(withStorage({ filename }))).toStrictEqual(before)
    })
  )

  it.effect("given a new file, when it is opened, then its owner alone can read it and what lies beside it", () =>
    Effect.gen(function* () {
      const filename = yield* newFile
      yield* Effect.gen(function* () {
        yield* (yield* Ledger).commit(yield* newChange())
        const files = readdirSync(dirname(filename))
        expect(files).toContain("pointsman.db-wal")
        for (const file of files) expect(statSync(`${dirname(filename)}/${file}`).mode & 0o777).toBe(0o600)
      }).pipe(withStorage({ filename }))
    })
  )

  it.effect("given a folder that does not exist, when a file in it is opened, then it fails with StorageError", () =>
    Effect.gen(function* () {
      const filename = `${yield* newFile}/missing/pointsman.db`
      const failure = yield* Effect.flip(Effect.void.pipe(withStorage({ filename })))
      expect(failure).toMatchObject({ _tag: "pointsman/StorageError", operation: "open" })
    })
  )

  it.effect("given an open file, when it commits, then each commit reaches the disk", () =>
    Effect.gen(function* () {
      const db = yield* Effect.acquireRelease(open(yield* newFile), (db) => Effect.sync(db.close))
      const pragma = (name: string) => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]
      expect(pragma("journal_mode")).toBe("wal")
      expect(pragma("synchronous")).toBe(2)
      expect(pragma("foreign_keys")).toBe(1)
    })
  )
})

describe("migrations", () => {
  it.effect("given no schema, when it is migrated twice, then the second time finds nothing to do", () =>
    Effect.gen(function* () {
      const db = yield* Effect.acquireRelease(open(yield* newFile), (db) => Effect.sync(db.close))
      const schema = () => db.prepare("select sql from sqlite_schema order by name").all()
      expect((yield* migrate(db)).map(([number]) => number)).toEqual([1, 2, 3])
      const made = schema()
      expect(yield* migrate(db)).toEqual([])
      expect(schema()).toEqual(made)
    })
  )

  it.effect("given a schema of a newer version, when the file is opened, then it is refused", () =>
    Effect.gen(function* () {
      const filename = yield* newFile
      yield* Effect.void.pipe(withStorage({ filename }))
      const db = new DatabaseSync(filename)
      db.exec("insert into pointsman_migrations (migration_id, name) values (999, 'of_tomorrow')")
      db.close()
      const failure = yield* Effect.flip(Effect.void.pipe(withStorage({ filename })))
      expect(failure).toMatchObject({ _tag: "pointsman/StorageError", operation: "migrate" })
    })
  )

  it.effect("given a new file, when several of one process open it at once, then all of them can write", () =>
    Effect.gen(function* () {
      const filename = yield* newFile
      const opener = Effect.gen(function* () {
        const change = yield* newChange()
        yield* (yield* Ledger).commit(change)
        return yield* (yield* Ledger).payments(tenant, { limit: 10 })
      }).pipe(withStorage({ filename }))
      const lists = yield* Effect.forEach(Array(4).keys(), () => opener, { concurrency: "unbounded" })
      expect(Math.max(...lists.map((list) => list.length))).toBe(4)
    })
  )

  it.live("given a new file, when several processes open it at once, then all of them come through", () =>
    Effect.gen(function* () {
      const filename = yield* newFile
      const answers = yield* Effect.forEach(Array(4).keys(), () => otherProcess(filename, "write", "3"), {
        concurrency: "unbounded"
      })
      expect(new Set(answers.flat()).size).toBe(12)
      const list = yield* Effect.andThen(Ledger, (ledger) => ledger.payments(tenant, { limit: 100 })).pipe(
        withStorage({ filename })
      )
      expect(list).toHaveLength(12)
    })
  )
})

describe("two connections", () => {
  it.live("given a key that was read, when another process revokes it, then the next read shows it", () =>
    Effect.gen(function* () {
      const filename = yield* newFile
      yield* Effect.gen(function* () {
        const directory = yield* Directory
        const ledger = yield* Ledger
        yield* directory.write(contents)
        const change = yield* newChange()
        yield* ledger.commit({ ...change, apiKeyHash: apiKey.hash })
        expect(Option.getOrThrow(yield* directory.keyHolder(apiKey.hash)).apiKey.revokedAt).toBeNull()

        expect(yield* otherProcess(filename, "revoke", apiKey.hash)).toBe("revoked")

        expect(Option.getOrThrow(yield* directory.keyHolder(apiKey.hash)).apiKey.revokedAt).toBe(5)
        const late = yield* newChange()
        const refused = yield* Effect.flip(ledger.commit({ ...late, apiKeyHash: apiKey.hash }))
        expect(refused._tag).toBe("pointsman/ApiKeyRevoked")
      }).pipe(withStorage({ filename }))
    })
  )

  it.live("given two processes that write, when a follower reads on from its last event, then it misses none", () =>
    Effect.gen(function* () {
      const filename = yield* newFile
      const each = 100
      yield* Effect.gen(function* () {
        const ledger = yield* Ledger
        const seen: Array<Event> = []
        const other = yield* Effect.forkChild(otherProcess(filename, "write", String(each)))
        const own = yield* Effect.forkChild(
          Effect.forEach(
            Array(each).keys(),
            () =>
              Effect.gen(function* () {
                yield* ledger.commit(yield* newChange())
                // Leaves the other process time to start and to come in between.
                yield* Effect.sleep("5 millis")
              }),
            { concurrency: 2 }
          )
        )
        const follow = Effect.gen(function* () {
          seen.push(...(yield* ledger.events(tenant, { after: seen.at(-1)?.id ?? "", limit: 1000 })))
          yield* Effect.sleep("1 millis")
        })
        yield* Effect.raceFirst(Effect.forever(follow), Effect.andThen(Fiber.join(own), Fiber.join(other)))
        yield* follow
        const all = (yield* ledger.events(tenant, { limit: 1000 })).toReversed()
        expect(all).toHaveLength(2 * each)
        expect(seen).toStrictEqual(all)
      }).pipe(withStorage({ filename }))
    })
  )

  it.effect(
    "given a store written under a later clock, when the clock is set back, then a follower misses nothing",
    () =>
      Effect.gen(function* () {
        const filename = yield* newFile
        // An id of the year 10889: no clock of a test comes after it.
        const last = "evt_ffffffff-fffe-7fff-bfff-ffffffffffff"
        yield* Effect.gen(function* () {
          yield* (yield* Ledger).commit(yield* newChange())
        }).pipe(withStorage({ filename }))
        const db = new DatabaseSync(filename)
        db.prepare("update events set id = ?").run(last)
        db.close()
        yield* Effect.gen(function* () {
          const ledger = yield* Ledger
          const change = yield* newChange()
          yield* ledger.commit({ ...change, events: [...change.events, ...change.events] })
          const followed = yield* ledger.events(tenant, { after: last, limit: 10 })
          expect(followed.map(({ id }) => id)).toEqual([
            "evt_ffffffff-ffff-7000-8000-000000000000",
            "evt_ffffffff-ffff-7000-8000-000000000001"
          ])
        }).pipe(withStorage({ filename }))
      })
  )

  it.effect("given a directory that was read, when another connection of this process writes, then it shows", () =>
    Effect.gen(function* () {
      const filename = yield* newFile
      yield* Effect.gen(function* () {
        const directory = yield* Directory
        expect(yield* directory.workspace("ws")).toEqual(Option.none())
        yield* Effect.andThen(Directory, (other) => other.write(contents)).pipe(withStorage({ filename }))
        expect(Option.getOrThrow(yield* directory.workspace("ws"))).toStrictEqual(workspace)
      }).pipe(withStorage({ filename }))
    })
  )
})

describe("checks of the database", () => {
  const breaks = {
    "more is captured than was authorized": "authorized_minor = 100, captured_minor = 200",
    "more is authorized than was asked": "authorized_minor = 2000",
    "refunds exceed what was captured":
      "authorized_minor = 100, captured_minor = 100, refunded_minor = 60, refund_pending_minor = 50",
    "an amount is negative": "refund_pending_minor = -1",
    "an amount is a fraction": "captured_minor = 0.5",
    "the environment is neither of the two": "environment = 'staging'"
  }

  for (const [name, assignment] of Object.entries(breaks)) {
    it.effect(`given a payment, when ${name}, then SQLite refuses it whoever writes`, () =>
      Effect.gen(function* () {
        const filename = yield* newFile
        yield* Effect.andThen(Ledger, (ledger) => Effect.andThen(newChange(), ledger.commit)).pipe(
          withStorage({ filename })
        )
        const db = yield* Effect.acquireRelease(
          Effect.sync(() => new DatabaseSync(filename)),
          (db) => Effect.sync(() => db.close())
        )
        expect(() => db.exec(`update payments set ${assignment}`)).toThrow()
        // The statement itself is sound: without the checks it goes through, fractions aside.
        expect(() => db.exec("update payments set authorized_minor = 200, captured_minor = 200")).not.toThrow()
      })
    )
  }

  it.effect("given a payment that was broken on disk, when it is read, then the read dies", () =>
    Effect.gen(function* () {
      const filename = yield* newFile
      const change = yield* Effect.gen(function* () {
        const change = yield* newChange()
        yield* (yield* Ledger).commit(change)
        return change
      }).pipe(withStorage({ filename }))
      const db = new DatabaseSync(filename)
      db.exec("PRAGMA ignore_check_constraints = ON; update payments set captured_minor = 5")
      db.close()
      yield* Effect.gen(function* () {
        const ledger = yield* Ledger
        const one = yield* Effect.exit(ledger.payment(tenant, change.payment.after.id))
        const list = yield* Effect.exit(ledger.payments(tenant, { limit: 1 }))
        expect(Exit.isFailure(one) && Cause.hasDies(one.cause)).toBe(true)
        expect(Exit.isFailure(list) && Cause.hasDies(list.cause)).toBe(true)
      }).pipe(withStorage({ filename }))
    })
  )
})
