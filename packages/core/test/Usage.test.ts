import { assert, describe } from "@effect/vitest"
import { Pointsman, type Tenant } from "@pointsman/core"
import { NotSent, Unanswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { caller, request, world } from "./support/World.ts"

const production: Tenant = { workspaceId: "acme", environment: "production" }
const live = { ...caller, tenant: production }

describe("usage", () => {
  itIn(
    "production payments that reached a provider count, and sandbox ones do not",
    world({
      connections: [{ id: "test" }, { id: "live", environment: "production" }]
    }),
    function* ({ provider }) {
      const pointsman = yield* Pointsman
      const until = 60_000
      const usage = pointsman.usage({ workspaceId: "acme", from: 0, until })
      yield* pointsman.create(caller, request())
      assert.strictEqual(yield* usage, 0)
      yield* pointsman.create(live, request())
      provider.onCharge = () => Effect.fail(new Unanswered({ reason: "time-out" }))
      yield* pointsman.create(live, request())
      provider.onCharge = () => Effect.fail(new NotSent({ reason: "connection refused" }))
      yield* pointsman.create(live, request())
      assert.strictEqual(yield* usage, 2)
      yield* TestClock.adjust(until)
      provider.onCharge = () => Effect.fail(new Unanswered({ reason: "time-out" }))
      yield* pointsman.create(live, request())
      assert.strictEqual(yield* usage, 2)
      assert.strictEqual(yield* pointsman.usage({ workspaceId: "other", from: 0, until }), 0)
    }
  )
})
