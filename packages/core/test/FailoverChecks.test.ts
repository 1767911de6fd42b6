/**
 * A further attempt looks at its connection as it is by then: operators change configurations while a payment is at its
 * first provider.
 */

import { assert } from "@effect/vitest"
import { type Connection, type Payment, Pointsman } from "@pointsman/core"
import { Directory, RecordLosses } from "@pointsman/core/ports"
import { Effect } from "effect"
import { ours, theirs } from "./support/Accounts.ts"
import { itHere, itIn } from "./support/ItIn.ts"
import { attemptsOf, changeConnections, comeBack, liveCaller, liveConnections, paged, stored } from "./support/Pages.ts"
import { assertFields } from "./support/Steps.ts"
import { caller, request, tenant, type World, world } from "./support/World.ts"

const three = {
  connections: [{ id: "main" }, { id: "backup" }, { id: "third" }],
  routing: { mode: "failover", maxAttempts: 2 }
} as const

/** While the charge is at `main`, which rejects it then. */
const whileAtMain = <E>(own: World, change: Effect.Effect<unknown, E, Directory>) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<Directory>()
    const { onCharge } = own.provider
    own.provider.onCharge = (charge) =>
      charge.connectionId === "main"
        ? Effect.as(Effect.orDie(Effect.provideContext(change, context)), {
            _tag: "Rejected" as const,
            code: "rate_limited",
            message: "too many"
          })
        : onCharge(charge)
    return (yield* (yield* Pointsman).create(caller, request())).payment
  })

const rewrite = (id: string, change: Partial<Connection>) =>
  changeConnections((one) => (one.id === id ? { ...one, ...change } : one))

const deactivate = (id: string) => rewrite(id, { active: false })

/** The provider names one account of the connection, and then another one. */
const accountChanges = Effect.gen(function* () {
  const directory = yield* Directory
  for (const account of [ours, theirs]) {
    const backup = (yield* directory.contents).connections.find(({ id }) => id === "backup") as Connection
    const { sealedCredentials } = backup
    yield* directory.recordAccount({ connectionId: "backup", sealedCredentials, account, at: 0 })
  }
})

const asked = (own: World) => own.provider.charges.map(({ connectionId }) => connectionId)
const skipped = ({ routing }: Payment) => routing?.skipped?.map(({ code, connectionId }) => [connectionId, code])

itIn("the next connection is asked when one is deactivated and the first attempt fails", world(three), function* (own) {
  const payment = yield* whileAtMain(own, deactivate("backup"))
  assert.deepStrictEqual(asked(own), ["main", "third"])
  assert.deepStrictEqual([payment.state, payment.connectionId], ["Captured", "third"])
  assert.deepStrictEqual(skipped(payment), [["backup", "CONNECTION_INACTIVE"]])
  const { chapters } = yield* (yield* Pointsman).explainRouting(tenant, payment.id)
  const told = chapters.flatMap(({ sentences }) => sentences).filter((sentence) => sentence.includes("backup"))
  assert.isTrue(told.some((sentence) => sentence.includes("CONNECTION_INACTIVE")))
  assert.isFalse(told.some((sentence) => sentence.includes("circuit")))
})

for (const [what, change, code] of [
  ["is inactive", deactivate("backup"), "CONNECTION_INACTIVE"],
  ["has another account", accountChanges, "ACCOUNT_CHANGED"],
  ["has a new limit", rewrite("backup", { supports: { currencies: ["USD"] } }), "CURRENCY_NOT_SUPPORTED"]
] as const) {
  itHere(`a connection that ${what} meanwhile is not used; the payment ends without it`, function* (own) {
    const payment = yield* whileAtMain<unknown>(own, change)
    assert.deepStrictEqual(asked(own), ["main"])
    assert.deepStrictEqual([payment.state, payment.declineReason], ["Failed", "provider_error"])
    assert.deepStrictEqual(skipped(payment), [["backup", code]])
  })
}

itHere("no other connection is asked if records were lost meanwhile", function* (own) {
  const losses = yield* RecordLosses
  const payment = yield* whileAtMain(own, losses.declare({ since: 0, reason: "restored", declaredAt: 1 }))
  assert.deepStrictEqual(asked(own), ["main"])
  assert.strictEqual(payment.state, "Failed")
})

itHere("a further attempt has the timeout that was configured meanwhile", function* (own) {
  const payment = yield* whileAtMain(own, rewrite("backup", { timeoutMillis: 1_234 }))
  assert.deepInclude((yield* attemptsOf(payment)).at(-1), { connectionId: "backup", timeoutMillis: 1_234 })
  assert.isUndefined(payment.routing?.skipped)
})

const live = world({ environment: "production", connections: liveConnections })
itIn("a page opens no checkout at a next connection that is deactivated meanwhile", live, function* (own, pointsman) {
  const { payment, token } = yield* paged(liveCaller)
  const context = yield* Effect.context<Directory>()
  const busy = { _tag: "Rejected", code: "busy", message: "Busy." } as const
  own.provider.onOpenCheckout = () =>
    Effect.as(Effect.orDie(Effect.provideContext(deactivate("backup"), context)), busy)
  yield* pointsman.openCheckout(token, comeBack)
  assertFields(own.provider.checkouts, "connectionId", "main")
  assert.deepStrictEqual(skipped(yield* stored(payment)), [["backup", "CONNECTION_INACTIVE"]])
})
