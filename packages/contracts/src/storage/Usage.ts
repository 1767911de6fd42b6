/** Usage counts production payments that reached a provider, each once. */
import { expect } from "@effect/vitest"
import { type AttemptOutcome, attemptOutcomes, type Tenant } from "@pointsman/core"
import { Ledger } from "@pointsman/core/ports"
import { Effect } from "effect"
import { firstChange, moveAlong, newTenant, rowOf, written } from "./Given.ts"
import { chapter } from "./StorageTest.ts"

const ever = { from: 0, until: Number.MAX_SAFE_INTEGER }

/** A payment whose first attempt had the outcome. */
const write = Effect.fnUntraced(function* (tenant: Tenant, outcome: AttemptOutcome | null, createdAt = 1000) {
  const { after, change } = yield* firstChange(tenant, { payment: { createdAt } })
  yield* (yield* Ledger).commit({ ...change, attempts: change.attempts.map((attempt) => ({ ...attempt, outcome })) })
  return after
})

export const usage = chapter("usage", (it) => {
  for (const outcome of [null, ...attemptOutcomes]) {
    const counts = outcome !== null && outcome !== "NotSent" && outcome !== "Abandoned"
    it(`${outcome ?? "no answer yet"} ${counts ? "counts" : "does not count"} in usage`, function* ({ ledger }) {
      const tenant = yield* newTenant("production")
      yield* write(tenant, outcome)
      expect(yield* ledger.usage({ workspaceId: tenant.workspaceId, ...ever })).toBe(counts ? 1 : 0)
    })
  }

  it("a payment counts once for several attempts if any reached a provider", function* ({ ledger }) {
    const tenant = yield* newTenant("production")
    for (const outcomes of [
      ["Rejected", "Captured"],
      ["NotSent", "Declined"],
      ["NotSent", "NotSent"]
    ] as const) {
      const first = yield* written(firstChange(tenant))
      const { after, change } = yield* moveAlong(first.after, rowOf("Charging", "AttemptFollowed"))
      const attempts = after.attempts.map((attempt, index) => ({ ...attempt, outcome: outcomes[index] ?? null }))
      yield* ledger.commit({ ...change, attempts })
    }
    expect(yield* ledger.usage({ workspaceId: tenant.workspaceId, ...ever })).toBe(2)
  })

  it("a payment counts once its call in flight is answered, and from then on", function* ({ ledger }) {
    const tenant = yield* newTenant("production")
    const first = yield* write(tenant, null)
    const count = ledger.usage({ workspaceId: tenant.workspaceId, ...ever })
    expect(yield* count).toBe(0)
    yield* ledger.commit((yield* moveAlong(first, rowOf("Charging", "ChargeUnanswered"))).change)
    expect(yield* count).toBe(1)
  })

  it("a span of usage includes its start and not its end", function* ({ ledger }) {
    const tenant = yield* newTenant("production")
    for (const createdAt of [999, 1000, 1500, 1999, 2000, 2001]) yield* write(tenant, "Captured", createdAt)
    const count = (from: number, until: number) => ledger.usage({ workspaceId: tenant.workspaceId, from, until })
    expect(yield* count(1000, 2000)).toBe(3)
    expect(yield* count(1000, 2001)).toBe(4)
    expect(yield* count(1001, 2000)).toBe(2)
    expect(yield* count(2000, 2000)).toBe(0)
    expect(yield* count(2000, 1000)).toBe(0)
    expect(yield* count(0, 5000)).toBe(6)
  })

  it("sandbox payments and those of other workspaces do not count as usage", function* ({ ledger }) {
    const tenant = yield* newTenant("production")
    const { workspaceId } = tenant
    yield* write(tenant, "Captured")
    yield* write({ workspaceId, environment: "sandbox" }, "Captured")
    yield* write({ workspaceId: `${workspaceId} production`, environment: "production" }, "Captured")
    expect(yield* ledger.usage({ workspaceId, ...ever })).toBe(1)
    expect(yield* ledger.usage({ workspaceId: (yield* newTenant()).workspaceId, ...ever })).toBe(0)
  })
})
