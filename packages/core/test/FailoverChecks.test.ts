/**
 * A further attempt looks at its connection as it is by then: operators change configurations while a payment is at its
 * first provider.
 */

import { assert, describe, it } from "@effect/vitest"
import { type Connection, type Payment, Pointsman } from "@pointsman/core"
import { Directory, RecordLosses } from "@pointsman/core/ports"
import { Effect } from "effect"
import { ours, theirs } from "./support/Accounts.ts"
import { itIn } from "./support/ItIn.ts"
import { attemptsOf, comeBack, liveCaller, liveConnections, paged, stored } from "./support/Pages.ts"
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

const rewrite = (id: string, to: (connection: Connection) => Connection) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    const { connections, ...contents } = yield* directory.contents
    yield* directory.write({ ...contents, connections: connections.map((one) => (one.id === id ? to(one) : one)) })
  })

const deactivate = (id: string) => rewrite(id, (connection) => ({ ...connection, active: false }))

const asked = (own: World) => own.provider.charges.map(({ connectionId }) => connectionId)
const skipped = ({ routing }: Payment) => routing?.skipped?.map(({ code, connectionId }) => [connectionId, code])

describe("a further attempt", () => {
  it.effect("the next connection is asked when one is deactivated and the first attempt fails", () => {
    const own = world(three)
    return Effect.gen(function* () {
      const payment = yield* whileAtMain(own, deactivate("backup"))
      assert.deepStrictEqual(asked(own), ["main", "third"])
      assert.deepStrictEqual([payment.state, payment.connectionId], ["Captured", "third"])
      assert.deepStrictEqual(skipped(payment), [["backup", "CONNECTION_INACTIVE"]])
      const { chapters } = yield* (yield* Pointsman).explainRouting(tenant, payment.id)
      const told = chapters.flatMap(({ sentences }) => sentences).filter((sentence) => sentence.includes("backup"))
      assert.isTrue(told.some((sentence) => sentence.includes("CONNECTION_INACTIVE")))
      assert.isFalse(told.some((sentence) => sentence.includes("circuit")))
    }).pipe(Effect.provide(own.layer))
  })

  itIn("a payment without another usable connection ends as after the last attempt", world(), function* (own) {
    const payment = yield* whileAtMain(own, deactivate("backup"))
    assert.deepStrictEqual(asked(own), ["main"])
    assert.deepStrictEqual([payment.state, payment.declineReason], ["Failed", "provider_error"])
    assert.deepStrictEqual(skipped(payment), [["backup", "CONNECTION_INACTIVE"]])
  })

  itIn("a connection whose account changed meanwhile is not used", world(), function* (own) {
    const at = 0
    const recorded = Effect.gen(function* () {
      const directory = yield* Directory
      for (const account of [ours, theirs]) {
        const backup = (yield* directory.contents).connections.find(({ id }) => id === "backup") as Connection
        const { sealedCredentials } = backup
        yield* directory.recordAccount({ connectionId: "backup", sealedCredentials, account, at })
      }
    })
    const payment = yield* whileAtMain(own, recorded)
    assert.deepStrictEqual(asked(own), ["main"])
    assert.deepStrictEqual(skipped(payment), [["backup", "ACCOUNT_CHANGED"]])
  })

  itIn("a limit that was configured meanwhile excludes the connection", world(), function* (own) {
    const payment = yield* whileAtMain(
      own,
      rewrite("backup", (connection) => ({ ...connection, supports: { currencies: ["USD"] } }))
    )
    assert.deepStrictEqual(asked(own), ["main"])
    assert.deepStrictEqual(skipped(payment), [["backup", "CURRENCY_NOT_SUPPORTED"]])
  })

  itIn("no other connection is asked if records were lost meanwhile", world(), function* (own) {
    const losses = yield* RecordLosses
    const payment = yield* whileAtMain(own, losses.declare({ since: 0, reason: "restored", declaredAt: 1 }))
    assert.deepStrictEqual(asked(own), ["main"])
    assert.strictEqual(payment.state, "Failed")
  })

  itIn("a further attempt has the timeout that was configured meanwhile", world(), function* (own) {
    const payment = yield* whileAtMain(
      own,
      rewrite("backup", (one) => ({ ...one, timeoutMillis: 1_234 }))
    )
    const attempts = yield* attemptsOf(payment)
    assert.deepStrictEqual(attempts.map(({ connectionId, timeoutMillis }) => [connectionId, timeoutMillis]).at(-1), [
      "backup",
      1_234
    ])
    assert.isUndefined(payment.routing?.skipped)
  })

  it.effect("a page opens no checkout at a next connection that is deactivated meanwhile", () => {
    const own = world({ environment: "production", connections: liveConnections })
    return Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const { payment, token } = yield* paged(liveCaller)
      const context = yield* Effect.context<Directory>()
      own.provider.onOpenCheckout = () =>
        Effect.as(Effect.orDie(Effect.provideContext(deactivate("backup"), context)), {
          _tag: "Rejected" as const,
          code: "busy",
          message: "Busy."
        })
      yield* pointsman.openCheckout(token, comeBack)
      assertFields(own.provider.checkouts, "connectionId", "main")
      assert.deepStrictEqual(skipped(yield* stored(payment)), [["backup", "CONNECTION_INACTIVE"]])
    }).pipe(Effect.provide(own.layer))
  })
})
