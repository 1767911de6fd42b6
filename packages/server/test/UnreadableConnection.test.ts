/**
 * A connection that the configuration removed, and whose credentials were sealed with a key that is gone: it keeps
 * nobody else from anything, and what is open there is named.
 */
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { configurationWith, connectionTo, liveKey } from "./support/Configurations.ts"
import { pay, tellCaptured } from "./support/Pay.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { type ServerHere, startServerHere } from "./support/ServerHere.ts"
import { each, temporaryFolder } from "./support/ServerProcess.ts"
import { until } from "./support/Until.ts"

const path = "/api/v1/payments"

const environment = { POINTSMAN_UNKNOWN_CHECK_INTERVAL: "1 second" }

const webhookSecret = "whsec_of_the_provider"

/** As another key would have sealed it: the scheme is right, and nothing opens it. */
const sealedElsewhere = `v1.${Buffer.alloc(64, 7).toString("base64url")}`
const statement =
  `update connections set sealed_credentials = '${sealedElsewhere}', sealed_webhook_secret = '${sealedElsewhere}' ` +
  "where id = 'old'"

const create = async (server: ServerHere, change: object = {}) => (await pay(server, randomUUID(), change)).body.data

const statusOf = async (server: ServerHere, id: string): Promise<string> =>
  (await server.request("GET", `${path}/${id}`, { key: liveKey })).body.data.payment_status

const becomes = (server: ServerHere, id: string, wanted: string) =>
  until(`${id} is ${wanted}`, async () => (await statusOf(server, id)) === wanted)

const message = async (server: ServerHere, connection: string) =>
  (await tellCaptured(server, { connection, secret: webhookSecret }, "att_unknown")).status

describe("a removed connection that cannot be decrypted", () => {
  it("a server continues for others, and names what is open there", async () => {
    const folder = temporaryFolder()
    const [theirs, ours] = [await startProvider(), await startProvider()]
    const old = { ...connectionTo(theirs, "old"), webhookSecret }
    const main = { ...connectionTo(ours), webhookSecret }
    const serve = (...connections: ReadonlyArray<typeof main>) =>
      startServerHere({ folder, configuration: configurationWith(...connections), environment })
    const unansweredAt = async (server: ServerHere, provider: typeof ours) => {
      provider.next("charge", (call) => {
        call.execute()
        return "drop"
      })
      const payment = await create(server)
      assert.strictEqual(payment.payment_status, "UNKNOWN")
      return payment.payment_id as string
    }

    const before = await serve(old)
    const authorized = await create(before, { capture_method: "manual" })
    const open = await unansweredAt(before, theirs)
    await before.stop()
    const removed = await serve(main)
    await removed.stop()
    const db = new DatabaseSync(join(folder, ".pointsman", "pointsman.db"))
    db.exec(statement)
    db.close()

    const server = await serve(main)
    const health = await server.request("GET", "/health/ready", { key: null })
    assert.strictEqual(health.status, 200)
    assert.strictEqual((await create(server)).payment_status, "CAPTURED")
    const settled = await unansweredAt(server, ours)
    await becomes(server, settled, "CAPTURED")
    assert.deepStrictEqual(
      [await message(server, "main"), await message(server, "old"), await message(server, "old")],
      [200, 401, 401]
    )
    const capture = { key: liveKey, idempotencyKey: "capture-there", body: {} }
    const refused = await server.request("POST", `${path}/${authorized.payment_id}/capture`, capture)
    assert.deepStrictEqual([refused.status, refused.body.error.code], [502, "psp_error"])
    // It was due before the one at the other connection, and its lookups settled nothing.
    assert.strictEqual(await statusOf(server, open), "UNKNOWN")
    const doctor = await runHere(folder, ["doctor", "--json"], environment)
    assert.strictEqual(doctor.code, 1)
    const { checks } = JSON.parse(doctor.stdout).data
    const said = checks.filter(({ verdict }: { readonly verdict: string }) => verdict === "wrong")
    assert.deepStrictEqual(each(said, "check"), ["encryption key", "connections"])
    assert.match(said[1].says, /^"old" of acme .* inactive\) cannot be used: its credentials cannot be decrypted/u)
    assert.match(said[1].says, /\. 2 of its payments are open and cannot be looked up: configure/u)
    const { stderr, stdout } = await server.stop()
    const lines = (stdout + stderr).split("\n").filter((line) => line.includes("old "))
    const starts = lines.filter((line) => line.includes("the credentials of the inactive connection old"))
    const messages = lines.filter((line) => line.includes("connection old takes no messages"))
    assert.deepStrictEqual([starts.length, messages.length], [1, 1], lines.join("\n"))
    assert.match(starts[0] ?? "", /2 of its payments are open and cannot be looked up/u)

    // With its credentials in the configuration, its payments go on.
    const after = await serve(main, old)
    await becomes(after, open, "CAPTURED")
    const captured = await after.request("POST", `${path}/${authorized.payment_id}/capture`, {
      ...capture,
      idempotencyKey: "capture-again"
    })
    assert.strictEqual(captured.body.data?.payment_status, "CAPTURED")
  })
})
