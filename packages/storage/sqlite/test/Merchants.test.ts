/** What the contract cannot know of SQLite: its COMMIT, its plans, and a second connection to the file. */
import { describe, expect, it } from "@effect/vitest"
import type { Merchant, Workspace } from "@pointsman/core"
import { Directory, Ids, Merchants } from "@pointsman/core/ports"
import { makeMerchants } from "@pointsman/storage-sql"
import { Effect, Option, Result } from "effect"
import { make as makeDirectory } from "../src/Directory.ts"
import { sqlOf } from "../src/Sql.ts"
import { contentsOf, failingCommit, newFile, newMemory, withStorage } from "./Given.ts"

const partner: Workspace = {
  id: "partner",
  name: "Partner",
  country: null,
  category: null,
  suspended: false,
  partner: { allowance: 2 }
}
const contents = contentsOf({ workspaces: [partner] })

const newMerchant = Effect.gen(function* () {
  const id = yield* (yield* Ids).merchant
  return {
    id,
    partnerId: partner.id,
    workspaceId: id,
    name: "Corner shop",
    email: `${id}@shop.example`,
    country: "NL",
    category: null,
    invitationHash: `hash-of-${id}`,
    createdAt: 0
  } satisfies Merchant
})

/** The two ports over a database whose statements a test may watch and break. */
const opened = Effect.fnUntraced(function* (...watch: Parameters<typeof newMemory>) {
  const { listening, ...rest } = yield* newMemory(...watch)
  const { directory, form } = makeDirectory(listening)
  yield* directory.write(contents)
  return { ...rest, directory, store: makeMerchants(sqlOf(listening), form) }
})

describe("merchants in SQLite", () => {
  it.effect("a COMMIT with a lost answer is there once when repeated, also for the directory", () =>
    Effect.gen(function* () {
      const state = { isBroken: false }
      const { directory, store } = yield* opened(failingCommit(state, true, { errcode: 10 }))
      const merchant = yield* newMerchant
      expect(yield* directory.workspace(merchant.workspaceId)).toEqual(Option.none())
      state.isBroken = true
      expect((yield* Effect.flip(store.provision({ merchant })))._tag).toBe("pointsman/CommitUnknown")
      expect(Option.isSome(yield* directory.workspace(merchant.workspaceId))).toBe(true)
      yield* store.provision({ merchant })
      expect(yield* store.list(partner.id, { limit: 10 })).toHaveLength(1)
    }).pipe(Effect.provide(Ids.layer))
  )

  it.effect("a COMMIT that SQLite refuses writes nothing and says so", () =>
    Effect.gen(function* () {
      const state = { isBroken: false }
      const { directory, store } = yield* opened(failingCommit(state, false, { errcode: 5 }))
      const merchant = yield* newMerchant
      state.isBroken = true
      expect((yield* Effect.flip(store.provision({ merchant })))._tag).toBe("pointsman/StorageError")
      expect(yield* store.list(partner.id, { limit: 10 })).toEqual([])
      expect(yield* directory.workspace(merchant.workspaceId)).toEqual(Option.none())
    }).pipe(Effect.provide(Ids.layer))
  )

  it.effect("an allowance holds over two connections to one file that provision at once", () =>
    Effect.gen(function* () {
      const filename = yield* newFile
      const merchants = yield* Effect.forEach(Array(32).keys(), () => newMerchant)
      const provisionOne = (merchant: Merchant) =>
        Effect.andThen(Merchants, (store) => Effect.result(store.provision({ merchant })))
      yield* Effect.gen(function* () {
        const directory = yield* Directory
        yield* directory.write(contents)
        const other = Effect.forEach(merchants.slice(16), provisionOne, { concurrency: "unbounded" }).pipe(
          withStorage({ filename })
        )
        const own = Effect.forEach(merchants.slice(0, 16), provisionOne, { concurrency: "unbounded" })
        const results = (yield* Effect.all([own, other], { concurrency: "unbounded" })).flat()
        expect(results.filter(Result.isSuccess)).toHaveLength(2)
        const store = yield* Merchants
        expect(yield* store.list(partner.id, { limit: 100 })).toHaveLength(2)
        expect((yield* directory.contents).workspaces).toHaveLength(3)
      }).pipe(withStorage({ filename }))
    }).pipe(Effect.provide(Ids.layer))
  )

  it.effect("SQLite goes straight to a page or a merchant's rows among many", () =>
    Effect.gen(function* () {
      const { asked, plansOf, store } = yield* opened()
      asked.length = 0
      yield* store.list(partner.id, { before: "b", limit: 10 })
      yield* store.provision({ merchant: yield* newMerchant, apiKeyHash: "of no key" }).pipe(Effect.ignore)
      yield* store.provision({ merchant: yield* newMerchant })
      const plans = plansOf(/^select/u)
      expect(plans.filter((step) => /^SCAN (?!CONSTANT)|TEMP B-TREE/u.test(step))).toEqual([])
      expect(plans).toContain("SEARCH merchants USING PRIMARY KEY (partner_id=? AND id<?)")
      expect(plans).toContain("SEARCH merchants USING COVERING INDEX merchants_by_email (partner_id=? AND email_key=?)")
      expect(plans).toContain("SEARCH api_keys USING INDEX api_keys_by_workspace (workspace_id=? AND environment=?)")
    }).pipe(Effect.provide(Ids.layer))
  )
})
