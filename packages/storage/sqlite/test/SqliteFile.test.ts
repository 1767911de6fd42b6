import { execFile } from "node:child_process"
import { readdirSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { describe, expect } from "@effect/vitest"
import { itRuns, itRunsLive } from "@pointsman/contracts/vitest"
import type { Event } from "@pointsman/core"
import { Directory, Ledger, SuccessRates } from "@pointsman/core/ports"
import { Cause, Effect, Exit, Fiber, Option } from "effect"
import { open } from "../src/Database.ts"
import { migrate, steps } from "../src/Migrations.ts"
import { bindEventId, bindId } from "../src/Rows.ts"
import { newChange, newFile, newOperation, newRefund, rate, tenant, withStorage } from "./Given.ts"

const run = promisify(execFile)
const script = fileURLToPath(new URL("OtherProcess.ts", import.meta.url))

const otherProcess = (filename: string, what: string, argument = "") =>
  Effect.map(
    Effect.promise(() => run(process.execPath, ["--conditions=@pointsman/source", script, filename, what, argument])),
    ({ stdout }): unknown => JSON.parse(stdout)
  )

/** Another writer of the file. */
const otherClient = (filename: string) =>
  Effect.acquireRelease(
    Effect.sync(() => new DatabaseSync(filename)),
    (db) => Effect.sync(() => db.close())
  )

const workspace = { id: "ws", name: "Acme", country: null, category: null, suspended: false, partner: null }
const apiKey = {
  hash: "hash-of-the-key",
  ...tenant,
  scopes: null,
  name: null,
  expiresAt: null,
  networks: null,
  revokedAt: null,
  source: "operator",
  createdAt: 1
} as const
const contents = { workspaces: [workspace], apiKeys: [apiKey], connections: [], routing: [], webhookEndpoints: [] }

describe("sqlite file", () => {
  itRuns("all that was committed is there after the file is closed and opened", function* () {
    const filename = yield* newFile
    const read = Effect.fnUntraced(function* (id: string) {
      const ledger = yield* Ledger
      const directory = yield* Directory
      return {
        payment: yield* ledger.payment(tenant, id),
        attempts: yield* ledger.attempts(tenant, id),
        timeline: yield* ledger.timeline(tenant, id, { limit: 10 }),
        claim: yield* ledger.claim(tenant, `key-${id}`),
        contents: yield* directory.contents,
        rates: yield* (yield* SuccessRates).changedSince(0)
      }
    })
    const before = yield* Effect.gen(function* () {
      const change = yield* newChange()
      yield* (yield* Ledger).commit(change)
      yield* (yield* Directory).write(contents)
      yield* (yield* SuccessRates).write([rate])
      return yield* read(change.payment.after.id)
    }).pipe(withStorage({ filename }))
    expect(before.timeline).toHaveLength(1)
    expect(before.contents).toStrictEqual(contents)
    expect(before.rates).toStrictEqual([rate])

    const id = Option.getOrThrow(before.payment).id
    expect(yield* read(id).pipe(withStorage({ filename }))).toStrictEqual(before)
  })

  itRuns("only the owner can read a new file and the files beside it", function* () {
    const filename = yield* newFile
    yield* Effect.gen(function* () {
      yield* (yield* Ledger).commit(yield* newChange())
      const files = readdirSync(dirname(filename))
      expect(files).toContain("pointsman.db-wal")
      for (const file of files) expect(statSync(`${dirname(filename)}/${file}`).mode & 0o777).toBe(0o600)
    }).pipe(withStorage({ filename }))
  })

  itRuns("a file in a folder that does not exist fails with StorageError", function* () {
    const filename = `${yield* newFile}/missing/pointsman.db`
    const failure = yield* Effect.flip(Effect.void.pipe(withStorage({ filename })))
    expect(failure).toMatchObject({ _tag: "pointsman/StorageError", operation: "open" })
  })

  itRuns("each commit of an open file reaches the disk", function* () {
    const db = yield* Effect.acquireRelease(open(yield* newFile), (db) => Effect.sync(db.close))
    const pragma = (name: string) => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]
    expect(pragma("journal_mode")).toBe("wal")
    expect(pragma("synchronous")).toBe(2)
    expect(pragma("foreign_keys")).toBe(1)
  })
})

/** The steps of this version, and one of a later version. */
const later = {
  ...steps,
  "2_notes": "alter table payments add column note text not null default 'none'"
}

describe("migrations", () => {
  itRuns("a second migration of no schema finds nothing to do", function* () {
    const db = yield* Effect.acquireRelease(open(yield* newFile), (db) => Effect.sync(db.close))
    const schema = () => db.prepare("select sql from sqlite_schema order by name").all()
    expect(yield* migrate(db)).toEqual([[1, "baseline"]])
    const made = schema()
    expect(yield* migrate(db)).toEqual([])
    expect(schema()).toEqual(made)
  })

  itRuns("only a later step runs on a file of this version, and records stay", function* () {
    const filename = yield* newFile
    const { id } = yield* Effect.gen(function* () {
      const change = yield* newChange()
      yield* (yield* Ledger).commit(change)
      return change.payment.after
    }).pipe(withStorage({ filename }))
    const db = yield* Effect.acquireRelease(open(filename), (db) => Effect.sync(db.close))
    expect(yield* migrate(db, later)).toEqual([[2, "notes"]])
    expect(yield* migrate(db, later)).toEqual([])
    expect(db.prepare("select id, note from payments").all()).toEqual([
      { id: new Uint8Array(bindId(id) ?? []), note: "none" }
    ])
    expect(db.prepare("select migration_id, name from pointsman_migrations order by migration_id").all()).toEqual([
      { migration_id: 1, name: "baseline" },
      { migration_id: 2, name: "notes" }
    ])
  })

  itRuns("nothing stays of a later step that fails halfway", function* () {
    const db = yield* Effect.acquireRelease(open(yield* newFile), (db) => Effect.sync(db.close))
    yield* migrate(db)
    const schema = () => db.prepare("select sql from sqlite_schema order by name").all()
    const before = schema()
    const broken = {
      ...steps,
      "2_broken": "create table notes (text any) strict; create table payments (id)"
    }
    expect(yield* Effect.flip(migrate(db, broken))).toMatchObject({ _tag: "pointsman/StorageError" })
    expect(schema()).toEqual(before)
    expect(yield* migrate(db, later)).toEqual([[2, "notes"]])
  })

  itRuns("a file that a later step changed is refused by this version", function* () {
    const filename = yield* newFile
    const db = yield* Effect.acquireRelease(open(filename), (db) => Effect.sync(db.close))
    yield* migrate(db, later)
    const { cause } = yield* Effect.flip(Effect.void.pipe(withStorage({ filename })))
    expect(String(cause)).toMatch(/schema version 2, created by a newer release; this release supports up to 1/u)
  })

  itRuns("all openers of a new file at once in one process can write", function* () {
    const filename = yield* newFile
    const opener = Effect.gen(function* () {
      const change = yield* newChange()
      yield* (yield* Ledger).commit(change)
      return yield* (yield* Ledger).payments(tenant, { limit: 10 })
    }).pipe(withStorage({ filename }))
    const lists = yield* Effect.forEach(Array(4).keys(), () => opener, { concurrency: "unbounded" })
    expect(Math.max(...lists.map((list) => list.length))).toBe(4)
  })

  itRunsLive("two processes that open a new file at once both come through", function* () {
    const filename = yield* newFile
    const answers = yield* Effect.forEach(Array(2).keys(), () => otherProcess(filename, "write", "6"), {
      concurrency: "unbounded"
    })
    expect(new Set(answers.flat()).size).toBe(12)
    const list = yield* Effect.andThen(Ledger, (ledger) => ledger.payments(tenant, { limit: 100 })).pipe(
      withStorage({ filename })
    )
    expect(list).toHaveLength(12)
  })
})

describe("two connections", () => {
  itRunsLive("the next read shows a key that another process revoked", function* () {
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

  itRunsLive("a follower misses nothing that two processes write from its last event", function* () {
    const filename = yield* newFile
    const each = 100
    yield* Effect.gen(function* () {
      const ledger = yield* Ledger
      const seen: Array<Event> = []
      const ownIds: Array<string> = []
      const writeOne = Effect.gen(function* () {
        const change = yield* newChange()
        yield* ledger.commit(change)
        ownIds.push(change.payment.after.id)
      })
      // This process writes before the other one starts, and until it has ended; the other one waits for that.
      yield* writeOne
      let isOver = false
      const other = yield* Effect.forkChild(
        Effect.ensuring(
          otherProcess(filename, "takeTurns", String(each)),
          Effect.sync(() => {
            isOver = true
          })
        )
      )
      const writeOn = Effect.gen(function* () {
        while (!isOver) {
          yield* writeOne
          yield* Effect.sleep("5 millis")
        }
      })
      const own = yield* Effect.forkChild(Effect.all([writeOn, writeOn], { concurrency: 2 }))
      const follow = Effect.gen(function* () {
        seen.push(...(yield* ledger.events(tenant, { after: seen.at(-1)?.id ?? "", limit: 1000 })))
        yield* Effect.sleep("1 millis")
      })
      yield* Effect.raceFirst(Effect.forever(follow), Effect.andThen(Fiber.join(own), Fiber.join(other)))
      yield* follow
      const all = (yield* ledger.events(tenant, { limit: 100_000 })).toReversed()
      expect(all).toHaveLength(each + ownIds.length)
      const isOwn = new Set(ownIds)
      const writers = all.map(({ paymentId }) => isOwn.has(paymentId))
      expect(writers.filter((own, index) => own && writers[index - 1] === false).length).toBeGreaterThanOrEqual(
        each / 10
      )
      expect(seen).toStrictEqual(all)
    }).pipe(withStorage({ filename }))
  })

  itRuns("a follower misses nothing of a store written under a later clock", function* () {
    const filename = yield* newFile
    // An id of the year 10889: no clock of a test comes after it.
    const last = "evt_ffffffff-fffe-7fff-bfff-ffffffffffff"
    yield* Effect.gen(function* () {
      yield* (yield* Ledger).commit(yield* newChange())
    }).pipe(withStorage({ filename }))
    const db = new DatabaseSync(filename)
    db.prepare("update events set id = ?").run(bindEventId(last))
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

  itRuns("a read directory shows what another connection of the process writes", function* () {
    const filename = yield* newFile
    yield* Effect.gen(function* () {
      const directory = yield* Directory
      expect(yield* directory.workspace("ws")).toEqual(Option.none())
      yield* Effect.andThen(Directory, (other) => other.write(contents)).pipe(withStorage({ filename }))
      expect(Option.getOrThrow(yield* directory.workspace("ws"))).toStrictEqual(workspace)
    }).pipe(withStorage({ filename }))
  })
})

describe("checks of the database", () => {
  const breaks = {
    "more is captured than was authorized": "authorized_minor = 100, captured_minor = 200",
    "more is authorized than was asked": "authorized_minor = 2000",
    "refunds exceed what was captured":
      "authorized_minor = 100, captured_minor = 100, refunded_minor = 60, refund_pending_minor = 50",
    "an amount is negative": "refund_pending_minor = -1",
    "an amount is a fraction": "captured_minor = 0.5",
    "its tenant is no number": "t = 'staging'"
  }

  for (const [name, assignment] of Object.entries(breaks)) {
    itRuns(`SQLite refuses a payment from any writer when ${name}`, function* () {
      const filename = yield* newFile
      yield* Effect.andThen(Ledger, (ledger) => Effect.andThen(newChange(), ledger.commit)).pipe(
        withStorage({ filename })
      )
      const db = yield* otherClient(filename)
      expect(() => db.exec(`update payments set ${assignment}`)).toThrow()
      // The statement itself is sound: without the checks it goes through, fractions aside.
      expect(() => db.exec("update payments set authorized_minor = 200, captured_minor = 200")).not.toThrow()
    })
  }

  const rowBreaks: Readonly<Record<string, readonly [statements: string, refused: RegExp]>> = {
    "two payments have one hosted page": ["update payments set page = 'h'", /UNIQUE constraint failed/],
    "two payments of a tenant have one key": [
      "update payments set key = x'00', claim_version = 1, claimed_at = 1, claim = '{}'",
      /UNIQUE constraint failed/
    ],
    "a key has no claim": ["update payments set claim = null where key is not null", /CHECK constraint failed/],
    "a payment is of no tenant": ["update payments set t = zeroblob(5)", /FOREIGN KEY constraint failed/],
    "two payments have one id": ["update payments set id = zeroblob(16)", /UNIQUE constraint failed/]
  }

  for (const [name, [statements, refused]] of Object.entries(rowBreaks)) {
    itRuns(`SQLite refuses two payments from any writer when ${name}`, function* () {
      const filename = yield* newFile
      yield* Effect.gen(function* () {
        const ledger = yield* Ledger
        yield* ledger.commit(yield* newChange())
        const { claim: _, events: __, ...first } = yield* newChange({ authorizedMinor: 1000, capturedMinor: 1000 })
        yield* ledger.commit({ ...first, events: [] })
        const payment = first.payment.after
        yield* ledger.commit({
          tenant,
          payment: { expected: 1, after: { ...payment, version: 2, refundPendingMinor: 400 } },
          attempts: [],
          operations: [newOperation(payment)],
          refunds: [newRefund(payment, { money: { minorUnits: 400, currency: "EUR" } })],
          events: []
        })
      }).pipe(withStorage({ filename }))
      const db = yield* otherClient(filename)
      expect(() => db.exec(statements)).toThrow(refused)
    })
  }

  itRuns("SQLite refuses a broken rate to any writer, with the rest of the write", function* () {
    const filename = yield* newFile
    yield* Effect.gen(function* () {
      const { changedSince, write } = yield* SuccessRates
      yield* write([rate])
      for (const succeeded of [Number.NaN, Number.POSITIVE_INFINITY, -1]) {
        const broken = { ...rate, rate: { ...rate.rate, succeeded }, version: 2 }
        const next = { ...rate, segment: "other" }
        expect(yield* Effect.flip(write([next, broken]))).toMatchObject({ _tag: "pointsman/StorageError" })
      }
      expect(yield* changedSince(3)).toStrictEqual([rate])
    }).pipe(withStorage({ filename }))
    const db = yield* otherClient(filename)
    for (const set of ["succeeded = -0.001", "failed = 9e999", "version = 0", "environment = 'staging'"]) {
      expect(() => db.exec(`update success_rates set ${set}`), set).toThrow(/CHECK constraint failed/)
    }
    expect(() => db.exec("update success_rates set succeeded = 0.001, failed = 0, version = 2")).not.toThrow()
  })

  itRuns("reads of a payment or its refunds that were broken on disk die", function* () {
    const filename = yield* newFile
    const payment = yield* Effect.gen(function* () {
      const change = yield* newChange({ authorizedMinor: 1000, capturedMinor: 1000, refundPendingMinor: 1000 })
      const payment = change.payment.after
      yield* (yield* Ledger).commit({ ...change, refunds: [newRefund(payment)] })
      return payment
    }).pipe(withStorage({ filename }))
    const db = yield* otherClient(filename)
    db.exec("update payments set refund_pending_minor = 999")
    yield* Effect.gen(function* () {
      const ledger = yield* Ledger
      const dies = Effect.fnUntraced(function* (read: Effect.Effect<unknown, unknown>) {
        const exit = yield* Effect.exit(read)
        expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
      })
      yield* dies(ledger.book(tenant, payment.id))
      db.exec("PRAGMA ignore_check_constraints = ON; update payments set captured_minor = 5")
      yield* dies(ledger.payment(tenant, payment.id))
      yield* dies(ledger.payments(tenant, { limit: 1 }))
    }).pipe(withStorage({ filename }))
  })
})
