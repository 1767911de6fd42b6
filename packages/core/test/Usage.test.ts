import { assert, describe } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { NotSent, Unanswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { liveCaller } from "./support/Pages.ts"
import { caller, request, world } from "./support/World.ts"

describe("usage", () => {
  const metered = world({ connections: [{ id: "test" }, { id: "live", environment: "production" }] })
  itIn("production payments that reached a provider count, and sandbox ones do not", metered, function* ({ provider }) {
    const pointsman = yield* Pointsman
    const until = 60_000
    const usage = pointsman.usage({ workspaceId: "acme", from: 0, until })
    yield* pointsman.create(caller, request())
    assert.strictEqual(yield* usage, 0)
    yield* pointsman.create(liveCaller, request())
    provider.onCharge = () => Effect.fail(new Unanswered({ reason: "time-out" }))
    yield* pointsman.create(liveCaller, request())
    provider.onCharge = () => Effect.fail(new NotSent({ reason: "connection refused" }))
    yield* pointsman.create(liveCaller, request())
    assert.strictEqual(yield* usage, 2)
    yield* TestClock.adjust(until)
    provider.onCharge = () => Effect.fail(new Unanswered({ reason: "time-out" }))
    yield* pointsman.create(liveCaller, request())
    assert.strictEqual(yield* usage, 2)
    assert.strictEqual(yield* pointsman.usage({ workspaceId: "other", from: 0, until }), 0)
  })
})
