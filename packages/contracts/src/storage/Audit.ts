/** The audit trail: one chain, and entries that are written with the change that they are about. */
import { createHash } from "node:crypto"
import { expect } from "@effect/vitest"
import type { JsonObject } from "@pointsman/core"
import { Audit, type AuditAction, AuditActor, type AuditSearch, auditDraft, findFault } from "@pointsman/core/ports"
import { Effect } from "effect"
import { apiKeyOf, nothing, workspaceOf } from "./Given.ts"
import { chapter } from "./StorageTest.ts"
import { atOnce } from "./Unguarded.ts"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

const entries = Effect.flatMap(Audit, ({ list }) => list({ after: 0, limit: 100_000 }))

export const audit = chapter("the audit trail", (it) => {
  it("entries added at once are read as one chain", function* ({ audit: { append, list } }) {
    const before = (yield* entries).length
    const draft = yield* auditDraft("key.created", "subject \u0000 \ud800 ü", { list: ["a", null], number: 1 })
    const added = yield* atOnce(Array(20).keys(), () => append(draft))
    const all = yield* entries
    expect(all).toHaveLength(before + 20)
    expect(findFault(all, undefined, sha256)).toBeUndefined()
    expect(all.slice(before)).toEqual(added.toSorted((a, b) => a.number - b.number))
    expect(all.at(-1)).toMatchObject(draft)
    expect(yield* list({ after: before + 3, limit: 2 })).toEqual(all.slice(before + 3, before + 5))
  })

  it("a search finds all entries that match, the newest first", function* ({ audit: { append, search }, tenant }) {
    const { workspaceId } = tenant
    const actor = `${workspaceId} ü \u{1f600}`
    const add = (action: AuditAction, at: number, details: JsonObject, by = actor) =>
      Effect.gen(function* () {
        const draft = yield* Effect.provideService(auditDraft(action, "subject", details), AuditActor, by)
        return (yield* append({ ...draft, at })).number
      })
    const first = yield* add("key.created", 1_000, { workspace_id: workspaceId, name: null })
    const second = yield* add("key.revoked", 2_000, { workspace_id: workspaceId })
    // What only looks like it is not about the workspace.
    const longer = yield* add("key.created", 3_000, { workspace_id: `${workspaceId}","a":"` })
    const deep = yield* add("operator.added", 4_000, { grants: [{ workspace_id: workspaceId, role: "admin" }] })
    const other = yield* add("key.created", 5_000, { workspace_id: `${workspaceId} ü` }, `${actor} too`)
    const find = (query: Omit<AuditSearch, "limit">, limit = 100) =>
      Effect.map(search({ ...query, limit }), (found) => found.map(({ number }) => number))
    expect(yield* find({ actor })).toEqual([deep, longer, second, first])
    expect(yield* find({ actor }, 2)).toEqual([deep, longer])
    expect(yield* find({ actor, before: longer })).toEqual([second, first])
    expect(yield* find({ workspaceIds: [workspaceId] })).toEqual([second, first])
    expect(yield* find({ workspaceIds: [workspaceId, `${workspaceId} ü`] })).toEqual([other, second, first])
    expect(yield* find({ workspaceIds: [] })).toEqual([])
    expect(yield* find({ actor, action: "key.created" })).toEqual([longer, first])
    expect(yield* find({ actor, from: 2_000, until: 4_000 })).toEqual([longer, second])
    expect((yield* find({}, 1))[0]).toBeGreaterThanOrEqual(other)
    expect(yield* search({ actor, before: second, limit: 1 })).toMatchObject([{ number: first, actor, at: 1_000 }])
  })

  it("a change of the directory and its entry are both written, or neither", function* ({ directory, tenant }) {
    const contents = { ...nothing, workspaces: [workspaceOf(tenant)], apiKeys: [apiKeyOf(tenant)] }
    const draft = yield* auditDraft("configuration.applied", tenant.workspaceId, {})
    const own = Effect.map(entries, (all) => all.filter(({ subject }) => subject === tenant.workspaceId).length)
    yield* directory.write(contents, draft)
    expect(yield* own).toBe(1)
    const { configurations, version } = yield* directory.state
    const generation = (configurations.at(-1)?.generation ?? 0) + 1
    const configuration = { generation, hash: "0".repeat(64), appliedAt: 1 }
    expect(yield* directory.apply({ contents, configuration, version: version + 1, audit: draft })).toBe(false)
    expect(yield* own).toBe(1)
    expect(yield* directory.apply({ contents, configuration, version, audit: draft })).toBe(true)
    expect(yield* own).toBe(2)
    expect(findFault(yield* entries, undefined, sha256)).toBeUndefined()
  })
})
