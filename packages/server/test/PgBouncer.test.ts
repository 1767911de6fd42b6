/** A server behind PgBouncer, with everything that opens connections of its own: the sandbox and shared limits. */
import { Effect, Exit, Redacted, Scope } from "effect"
import { assert, describe, it, onTestFinished } from "vitest"
import { findPgBouncer, type PgBouncerOptions, pooled } from "../../storage/postgres/test/support/PgBouncer.ts"
import { environmentOn, newDatabase, postgresMissing } from "./support/PostgresServer.ts"
import { runServerHere, startServerHere } from "./support/ServerHere.ts"

const behind = async (options: PgBouncerOptions): Promise<string> => {
  const scope = Scope.makeUnsafe()
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const url = Redacted.make(await newDatabase())
  return Redacted.value(await Effect.runPromise(Scope.provide(pooled(url, options), scope)))
}

describe.skipIf(postgresMissing !== undefined || findPgBouncer() === undefined)("a server behind PgBouncer", () => {
  it("session mode makes payments of the sandbox, and shares limits", async () => {
    const url = await behind({ poolMode: "session" })
    const environment = { ...environmentOn(url), POINTSMAN_SHARED_LIMITS: "true" }
    const server = await startServerHere({ environment })
    const body = { amount: 1999, currency: "EUR", country: "NL" }
    const made = await server.request("POST", "/api/v1/payments", { idempotencyKey: "order-0001", body })
    assert.deepStrictEqual([made.status, made.body.data?.status], [201, "CAPTURED"])
  })

  it("transaction mode stops the start, which says what to use", async () => {
    const url = await behind({ poolMode: "transaction" })
    const { code, stderr } = await runServerHere({ environment: environmentOn(url) })
    assert.strictEqual(code, 1)
    assert.include(stderr, "cannot be used: a connection pooler gives one server session to several clients")
  })
})
