/** The audit trail: one chain, and entries that are written with the change that they are about. */
import { createHash } from "node:crypto"
import { describe, expect } from "@effect/vitest"
import { Audit, auditDraft, Directory, findFault } from "@pointsman/core/ports"
import { Effect } from "effect"
import { apiKeyOf, newTenant, workspaceOf } from "./Given.ts"
import type { StorageTest } from "./StorageTest.ts"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

const nothing = { workspaces: [], apiKeys: [], connections: [], routing: [], webhookEndpoints: [] }

const entries = Effect.flatMap(Audit, ({ list }) => list({ after: 0, limit: 100_000 }))

export const audit = (it: StorageTest): void => {
  describe("the audit trail", () => {
    it.effect("given entries that are added at once, when they are read, then they are one chain", () =>
      Effect.gen(function* () {
        const { append, list } = yield* Audit
        const before = (yield* entries).length
        const draft = yield* auditDraft("key.created", "subject \u0000 \ud800 ü", { list: ["a", null], number: 1 })
        const added = yield* Effect.forEach(Array(20).keys(), () => append(draft), { concurrency: "unbounded" })
        const all = yield* entries
        expect(all).toHaveLength(before + 20)
        expect(findFault(all, undefined, sha256)).toBeUndefined()
        expect(all.slice(before)).toEqual(added.toSorted((a, b) => a.number - b.number))
        expect(all.at(-1)).toMatchObject(draft)
        expect(yield* list({ after: before + 3, limit: 2 })).toEqual(all.slice(before + 3, before + 5))
      })
    )

    it.effect("given a change of the directory with an entry, when it is written, then both are, or neither", () =>
      Effect.gen(function* () {
        const directory = yield* Directory
        const tenant = yield* newTenant()
        const contents = { ...nothing, workspaces: [workspaceOf(tenant)], apiKeys: [apiKeyOf(tenant)] }
        const draft = yield* auditDraft("configuration.applied", tenant.workspaceId, {})
        const own = Effect.map(entries, (all) => all.filter(({ subject }) => subject === tenant.workspaceId).length)
        yield* directory.write(contents, draft)
        expect(yield* own).toBe(1)
        const { configurations } = yield* directory.state
        const after = configurations.at(-1)?.generation ?? 0
        const configuration = { generation: after + 1, hash: "0".repeat(64), appliedAt: 1 }
        expect(yield* directory.apply({ contents, configuration, after: after + 1, audit: draft })).toBe(false)
        expect(yield* own).toBe(1)
        expect(yield* directory.apply({ contents, configuration, after, audit: draft })).toBe(true)
        expect(yield* own).toBe(2)
        expect(findFault(yield* entries, undefined, sha256)).toBeUndefined()
      })
    )
  })
}
