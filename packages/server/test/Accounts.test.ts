/**
 * A connection id that a configuration points at another account: what that account has never heard of was charged in
 * the first one.
 */
import { randomUUID } from "node:crypto"
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { configurationWith, connectionTo, liveKey } from "./support/Configurations.ts"
import { pay } from "./support/Pay.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { type ServerHere, startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"
import { until } from "./support/Until.ts"

const path = "/api/v1/payments"

/** "Never received" is believed 5 seconds and two time-outs after the call; how far the clocks go ahead meanwhile. */
const believedAfterMillis = 5_000 + 2 * 5_000 + 3_000

const environment = {
  POINTSMAN_UNKNOWN_CHECK_INTERVAL: "1 second",
  POINTSMAN_PENDING_CHECK_INTERVAL: "1 second"
}

const create = (server: ServerHere, change: object = {}) => pay(server, randomUUID(), change)

const read = async (server: ServerHere, id: string) =>
  (await server.request("GET", `${path}/${id}`, { key: liveKey })).body.data

const conflictsOf = async (server: ServerHere, id: string) =>
  (await server.request("GET", `${path}/${id}/events`, { key: liveKey })).body.data.filter(
    ({ type }: { readonly type: string }) => type === "payment.conflict"
  )

describe("a connection id that is pointed at another account", { timeout: 240_000 }, () => {
  it("another account denies no charge, and takes no money", async () => {
    const folder = temporaryFolder()
    const ours = await startProvider({ account: "acct_ours" })
    const theirs = await startProvider({ account: "acct_theirs" })
    let clockAheadMillis: number | undefined
    const serve = (...connections: ReadonlyArray<ReturnType<typeof connectionTo>>) =>
      startServerHere({ folder, configuration: configurationWith(...connections), environment, clockAheadMillis })

    const before = await serve(connectionTo(ours))
    const authorized = (await create(before, { capture_method: "manual" })).body.data
    ours.next("charge", (call) => {
      call.execute()
      return "drop"
    })
    const unknown = (await create(before)).body.data
    assert.deepStrictEqual([authorized.payment_status, unknown.payment_status], ["AUTHORIZED", "UNKNOWN"])
    await before.stop()

    clockAheadMillis = believedAfterMillis
    const server = await serve(connectionTo(theirs))
    const health = await server.request("GET", "/health/ready", { key: null })
    assert.deepStrictEqual(health.body.accounts, [
      { connection: "main", state: "changed", account: "acct_ours", current_account: "acct_theirs" }
    ])
    const refused = await create(server, { debug: true })
    assert.deepStrictEqual([refused.status, refused.body.error.code], [409, "routing_failed"])
    assert.include(JSON.stringify(refused.body), "ACCOUNT_CHANGED")
    for (const operation of ["capture", "void"]) {
      const asked = { key: liveKey, idempotencyKey: `${operation}-there`, body: {} }
      const sent = await server.request("POST", `${path}/${authorized.payment_id}/${operation}`, asked)
      assert.deepStrictEqual([sent.status, sent.body.error.code], [502, "psp_error"])
      assert.match(sent.body.error.message, /Nothing was sent to the provider.* another account/u)
    }
    // Its record would be believed by now, and it has never heard of the charge.
    await until("a conflict", async () => (await conflictsOf(server, unknown.payment_id)).length > 0)
    const conflicts = await conflictsOf(server, unknown.payment_id)
    assert.lengthOf(conflicts, 1)
    assert.deepInclude(conflicts[0].data, { account: "acct_ours", current_account: "acct_theirs" })
    assert.strictEqual((await read(server, unknown.payment_id)).payment_status, "UNKNOWN")
    assert.strictEqual((await read(server, authorized.payment_id)).payment_status, "AUTHORIZED")
    assert.isEmpty(theirs.calls)
    await server.stop()
    const { checks } = JSON.parse((await runHere(folder, ["doctor", "--json"], environment)).stdout).data
    const found = checks.find(({ check }: { readonly check: string }) => check === "accounts")
    assert.strictEqual(found.verdict, "wrong")

    // A restart forgets nothing. A new id is another connection, and the old one, with its credentials, goes on.
    const after = await serve(connectionTo(ours), connectionTo(theirs, "second"))
    await until("it is settled", async () => (await read(after, unknown.payment_id)).payment_status === "CAPTURED")
    const captured = await after.request("POST", `${path}/${authorized.payment_id}/capture`, {
      key: liveKey,
      idempotencyKey: "capture-again",
      body: {}
    })
    assert.strictEqual(captured.body.data?.payment_status, "CAPTURED")
    const charged = ours.charges.length
    assert.strictEqual((await create(after)).body.data.payment_status, "CAPTURED")
    assert.deepStrictEqual([ours.charges.length, theirs.charges.length], [charged, 1])
  })
})
