/** What a standby answered is shown with its age; what did not come from there is not. */
import { Ledger, StaleReads } from "@pointsman/core/ports"
import * as MemoryStorage from "@pointsman/storage-memory"
import { Clock, Context, Effect, Layer } from "effect"
import { assert, beforeEach, describe, it } from "vitest"
import { usedWorld } from "./support/UsedWorld.ts"

const behindMillis = 3_000

/** Lists of payments are old where their caller allows it, as those of a standby are. */
const storage = Layer.effectContext(
  Effect.map(Layer.build(MemoryStorage.layer()), (context) => {
    const ledger = Context.get(context, Ledger)
    const noteAge = Effect.gen(function* () {
      const reads = yield* StaleReads
      if (reads !== undefined) reads.asOf = (yield* Clock.currentTimeMillis) - behindMillis
    })
    return Context.add(context, Ledger, {
      ...ledger,
      payments: (tenant, query) => Effect.tap(ledger.payments(tenant, query), noteAge)
    })
  })
)

const here = usedWorld({}, { storage })
let cookie: string
beforeEach(async () => {
  cookie = await here.signIn("ann", [{ workspaceId: "acme", role: "viewer" }])
})

const at = "/payments/acme/sandbox"

describe("reads of a standby", () => {
  it("a standby's list says its moment on the page, endpoint and export", async () => {
    const { id } = await here.pay("acme", "sandbox", "automatic", "order-1")
    const before = Date.now()
    for (const path of [at, `${at}/export.csv`, "/api/workspaces/acme/sandbox/payments"]) {
      const response = await here.send(path, { cookie })
      assert.strictEqual(response.status, 200, path)
      const asOf = response.headers.get("pointsman-as-of") ?? ""
      assert.isAtLeast(Date.parse(asOf), before - behindMillis, path)
      assert.isAtMost(Date.parse(asOf), Date.now() - behindMillis, path)
      const text = await response.text()
      assert.include(text, id, path)
      if (path === at) {
        const shown = `As of <time datetime="${asOf}">${asOf.slice(0, 19).replace("T", " ")} UTC</time>, 3 s behind.`
        assert.include(text, shown)
      }
    }
  })

  it("a page of one payment is read from the primary, and mentions no standby", async () => {
    const { id } = await here.pay("acme", "sandbox", "automatic", "order-1")
    const response = await here.send(`${at}/${id}`, { cookie })
    assert.isNull(response.headers.get("pointsman-as-of"))
    assert.notInclude(await response.text(), "standby")
  })
})
