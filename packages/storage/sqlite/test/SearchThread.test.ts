/** Searches, which a thread of their own makes. */
import { renameSync } from "node:fs"
import { expect, it } from "@effect/vitest"
import { Ids, Ledger } from "@pointsman/core/ports"
import { Effect } from "effect"
import { newChange, newFile, tenant, withStorage } from "./Given.ts"

it.live("given a file that no thread can open, when it is searched, then what was committed is found", () =>
  Effect.gen(function* () {
    const filename = yield* newFile
    yield* Effect.gen(function* () {
      const ledger = yield* Ledger
      const change = yield* newChange()
      yield* ledger.commit(change)
      renameSync(filename, `${filename}.moved`)
      for (const time of ["the first search", "the second search"]) {
        const { payments } = yield* ledger.search(tenant, { createdFrom: 0, limit: 10, walkAtMost: 10 })
        expect(payments, time).toStrictEqual([change.payment.after])
      }
      renameSync(`${filename}.moved`, filename)
    }).pipe(withStorage({ filename }))
  }).pipe(Effect.provide(Ids.layer))
)
