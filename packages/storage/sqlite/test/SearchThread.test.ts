/** Searches, which a thread of their own makes. */
import { existsSync, renameSync } from "node:fs"
import { StatementSync } from "node:sqlite"
import { expect, it } from "@effect/vitest"
import { Audit, Ids, Ledger, Settlements } from "@pointsman/core/ports"
import { Effect } from "effect"
import { vi } from "vitest"
import { newChange, newFile, tenant, withStorage } from "./Given.ts"

const committed = Effect.gen(function* () {
  const ledger = yield* Ledger
  const change = yield* newChange()
  yield* ledger.commit(change)
  return { ledger, payment: change.payment.after }
})

it.live("a search finds what was committed in a file that no thread can open", () =>
  Effect.gen(function* () {
    const filename = yield* newFile
    yield* Effect.gen(function* () {
      const { ledger, payment } = yield* committed
      renameSync(filename, `${filename}.moved`)
      for (const time of ["the first search", "the second search"]) {
        const { payments } = yield* ledger.search(tenant, { createdFrom: 0, limit: 10, walkAtMost: 10 })
        expect(payments, time).toStrictEqual([payment])
      }
      renameSync(`${filename}.moved`, filename)
    }).pipe(withStorage({ filename }))
  }).pipe(Effect.provide(Ids.layer))
)

it.live("this thread asks the file for none of the lists without an index", () =>
  Effect.gen(function* () {
    const filename = yield* newFile
    yield* Effect.gen(function* () {
      const { ledger, payment } = yield* committed
      const asked = vi.spyOn(StatementSync.prototype, "all")
      yield* Effect.addFinalizer(() => Effect.sync(() => asked.mockRestore()))
      yield* ledger.payments(tenant, { limit: 10 })
      expect(asked).toHaveBeenCalledOnce()
      const found = yield* ledger.search(tenant, { createdFrom: 0, limit: 10, walkAtMost: 10 })
      yield* (yield* Audit).search({ actor: "jo", limit: 10 })
      yield* (yield* Settlements).balance({ tenant, from: 0, until: 1 })
      expect(found.payments).toStrictEqual([payment])
      expect(asked).toHaveBeenCalledOnce()
    }).pipe(withStorage({ filename }), Effect.scoped)
    // The thread's connection is closed first: the last one that may write leaves no log behind, which a copy would lack.
    expect(existsSync(`${filename}-wal`)).toBe(false)
  }).pipe(Effect.provide(Ids.layer))
)
