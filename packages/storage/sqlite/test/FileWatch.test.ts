/** A file that is replaced under the process that has it open. */
import { copyFileSync, existsSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { backup, DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "@effect/vitest"
import type { Tenant } from "@pointsman/core"
import { Ids, Ledger, RecordLosses, StorageCondition, StorageError } from "@pointsman/core/ports"
import { Effect } from "effect"
import { newChange, newFile, tenant, withStorage } from "./Given.ts"

const commit = Effect.gen(function* () {
  const change = yield* newChange()
  yield* (yield* Ledger).commit(change)
  return change.payment.after.id
})

describe("a database file that is replaced", () => {
  it.effect("an older copy in place of the file writes nothing, and its opener knows the loss", () =>
    Effect.gen(function* () {
      const filename = yield* newFile
      const kept = yield* commit.pipe(withStorage({ filename }))
      copyFileSync(filename, `${filename}.backup`)
      yield* Effect.gen(function* () {
        const { read } = yield* StorageCondition
        yield* commit
        expect((yield* read).refusal).toBeNull()
        for (const suffix of ["-wal", "-shm"]) rmSync(`${filename}${suffix}`)
        renameSync(`${filename}.backup`, filename)
        expect(yield* Effect.flip(commit)).toBeInstanceOf(StorageError)
        expect((yield* read).refusal).toContain("the database file was replaced")
      }).pipe(withStorage({ filename }))
      yield* Effect.gen(function* () {
        expect((yield* (yield* Ledger).payments(tenant, { limit: 10 })).map(({ id }) => id)).toEqual([kept])
        const { known, newest } = yield* RecordLosses
        expect((yield* newest)?.reason).toContain("lacks payments that a server had acknowledged")
        expect(yield* known).toEqual(yield* newest)
        expect((yield* (yield* StorageCondition).read).refusal).toBeNull()
        yield* commit
      }).pipe(withStorage({ filename }))
      expect(existsSync(`${filename}-acknowledged`)).toBe(false)
    }).pipe(Effect.provide(Ids.layer))
  )

  it.effect("a process that died while it noted what it knew leaves a known loss", () =>
    Effect.gen(function* () {
      const filename = yield* newFile
      yield* commit.pipe(withStorage({ filename }))
      writeFileSync(`${filename}-acknowledged`, '[{"workspaceId":"ws","envi')
      const { ended, reason } = yield* Effect.flatMap(RecordLosses, ({ newest }) => newest).pipe(
        Effect.flatMap(Effect.fromNullishOr),
        withStorage({ filename })
      )
      expect(ended).toBeNull()
      expect(reason).toContain("was replaced while a server used it")
      expect(existsSync(`${filename}-acknowledged`)).toBe(false)
    }).pipe(Effect.provide(Ids.layer))
  )

  it.effect("each tenant has its own payments, and pays again, in an earlier state", () =>
    Effect.gen(function* () {
      const filename = yield* newFile
      const [first, second]: ReadonlyArray<Tenant> = ["one", "two"].map((workspaceId) => ({
        workspaceId,
        environment: "sandbox"
      }))
      const payOf = Effect.fnUntraced(function* (owner: Tenant | undefined) {
        const change = yield* newChange()
        const own = owner ?? tenant
        const { after } = change.payment
        yield* (yield* Ledger).commit({
          ...change,
          tenant: own,
          payment: { ...change.payment, after: { ...after, tenant: own } }
        })
        expect(yield* (yield* Ledger).timeline(own, after.id, { limit: 10 })).toHaveLength(change.events.length)
        return after.id
      })
      const idsOf = (owner: Tenant | undefined) =>
        Effect.flatMap(Ledger, (ledger) =>
          Effect.map(ledger.payments(owner ?? tenant, { limit: 10 }), (found) => found.map(({ id }) => id))
        )
      const copied = (from: string, to: string) =>
        Effect.promise(async () => {
          const source = new DatabaseSync(from)
          await backup(source, to)
          source.close()
        })
      yield* Effect.gen(function* () {
        yield* copied(filename, `${filename}.backup`)
        yield* payOf(first)
        yield* payOf(second)
        expect([yield* idsOf(first), yield* idsOf(second)].map((ids) => ids.length)).toEqual([1, 1])
        yield* copied(`${filename}.backup`, filename)
        const again = yield* payOf(second)
        expect([yield* idsOf(first), yield* idsOf(second)]).toEqual([[], [again]])
        const late = yield* payOf(first)
        expect([yield* idsOf(first), yield* idsOf(second)]).toEqual([[late], [again]])
      }).pipe(withStorage({ filename }))
    }).pipe(Effect.provide(Ids.layer))
  )

  it.effect("a copy of what is there is opened anew, and no loss is known", () =>
    Effect.gen(function* () {
      const filename = yield* newFile
      const kept = yield* commit.pipe(withStorage({ filename }))
      yield* Effect.gen(function* () {
        copyFileSync(filename, `${filename}.copy`)
        renameSync(`${filename}.copy`, filename)
        expect((yield* (yield* StorageCondition).read).refusal).not.toBeNull()
      }).pipe(withStorage({ filename }))
      yield* Effect.gen(function* () {
        expect((yield* (yield* Ledger).payments(tenant, { limit: 10 })).map(({ id }) => id)).toEqual([kept])
        expect(yield* (yield* RecordLosses).newest).toBeNull()
      }).pipe(withStorage({ filename }))
    }).pipe(Effect.provide(Ids.layer))
  )

  it.effect("a missing payment with a commit older than 30 days may be retention's", () =>
    Effect.gen(function* () {
      const filename = yield* newFile
      yield* commit.pipe(withStorage({ filename }))
      const lossAfter = (days: number) => {
        const at = -days * 24 * 60 * 60_000
        const gone = { ...tenant, paymentId: "pay_gone", version: 1, at }
        writeFileSync(`${filename}-acknowledged`, JSON.stringify([gone]))
        return Effect.flatMap(RecordLosses, ({ newest }) => newest).pipe(withStorage({ filename }))
      }
      expect(yield* lossAfter(31)).toBeNull()
      expect((yield* lossAfter(29))?.reason).toContain("lacks payments")
    }).pipe(Effect.provide(Ids.layer))
  )
})
