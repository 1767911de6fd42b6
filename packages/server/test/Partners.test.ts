import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { connectionTo, liveKey, otherLiveKey } from "./support/Configurations.ts"
import { type ServerHere, startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

const configuration = (fields: object = {}) => ({
  workspaces: [
    {
      id: "acme",
      partner: { allowance: 2 },
      keys: [{ environment: "production", secret: liveKey }],
      ...fields
    }
  ]
})

const merchants = (server: Pick<ServerHere, "request">, body?: object, key = liveKey) =>
  server.request(body === undefined ? "GET" : "POST", "/api/v1/merchants", { key, body })

describe("a partner's server", () => {
  it("a merchant invited by command and its connection stay when a file names neither", async () => {
    const folder = temporaryFolder()
    const first = await startServerHere({ folder, configuration: configuration() })
    const made = await merchants(first, { name: "Corner shop", email: "owner@shop.example", country: "NL" })
    const { id } = made.body.data
    // The log has no token, and an operator gets one.
    assert.include(first.stderr(), "pointsman merchants invite")
    assert.notInclude(first.stdout() + first.stderr(), "invitation_token")
    const invited = await runHere(folder, ["merchants", "invite", id])
    assert.match(invited.stdout, /^[A-Za-z0-9_-]{43}\n$/u)
    assert.include(invited.stderr, "Send the token to owner@shop.example.")
    const unknown = await runHere(folder, ["merchants", "invite", "mer_1", "--partner", "acme"])
    assert.deepStrictEqual([unknown.code, unknown.stdout], [1, ""])
    assert.include(unknown.stderr, "Merchant mer_1 not found: expected the id of a merchant of acme.")
    const other = await runHere(folder, ["merchants", "invite", id, "--partner", "globex"])
    assert.include(other.stderr, "--partner: expected one of acme.")
    await first.stop()

    // An operator sets the merchant up by naming it once.
    const connections = [connectionTo({ url: "http://127.0.0.1:9", apiKey: "key" }, "of-the-shop")]
    const keys = [{ environment: "production", secret: otherLiveKey }]
    const { workspaces } = configuration()
    const named = { workspaces: [...workspaces, { id, name: "Corner shop", country: "NL", keys, connections }] }
    const second = await startServerHere({ folder, configuration: named })
    assert.strictEqual((await merchants(second)).body.data[0].status, "active")
    await second.stop()

    // Its content was applied before: without a number, a start would not apply it again.
    const third = await startServerHere({ folder, configuration: { ...configuration(), generation: 3 } })
    assert.include(third.stdout(), "2 workspace(s), 1 active connection(s)")
    // But for the key: what a file brought and no longer names is revoked, whosever it is.
    assert.deepStrictEqual((await merchants(third)).body.data, [made.body.data])
    assert.strictEqual((await merchants(third, undefined, otherLiveKey)).status, 401)
    await third.stop()
  })
})
