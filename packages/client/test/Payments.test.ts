/** What `@pointsman/node` does in its process, by the client of a server. */

import { errorCodes } from "@pointsman/http/api"
import { assert, describe, it } from "vitest"
import { errorOf as errorInProcess } from "../../node/src/ErrorOf.ts"
import { errorOf } from "../src/Errors.ts"
import { createClient, isPointsmanError } from "../src/index.ts"
import { clientCases, failureOf } from "./support/ClientCases.ts"
import { apiError } from "./support/FaultyProxy.ts"
import { serverOfFile } from "./support/World.ts"

const { settings, world } = serverOfFile()

clientCases("the client of a server", () => createClient(settings))

describe("errors", () => {
  it("the error for a payment without a connection has each reason", async () => {
    const { client } = await world()
    const asked = { amount: 1999, currency: "EUR", country: "NL", initiator: "mit", debug: true } as const
    const instruments = [{ connection: "another", token: "tok_1" }]
    const failure = await failureOf(client.create({ ...asked, instruments }))
    assert.strictEqual(failure.code, "routing_failed")
    assert.deepStrictEqual([...new Set(failure.excluded.map(({ code }) => code))], ["INSTRUMENT_NOT_AVAILABLE"])
  })

  it("an option that does not exist sends nothing", async () => {
    const { client, proxy } = await world()
    const options: object = { idempotency_key: "order-1001" }
    const message = await client.create({ amount: 1999, currency: "EUR", country: "NL" }, options).then(
      () => "it was sent",
      (error: unknown) => String(error)
    )
    assert.strictEqual(message, "TypeError: `idempotency_key` is no option: expected idempotencyKey or signal.")
    assert.strictEqual(proxy.asked.length, 0)
  })

  it("the API's codes say of money what the same errors in process say", () => {
    const onlyOverHttp: Array<string> = []
    for (const code of Object.keys(errorCodes) as ReadonlyArray<keyof typeof errorCodes>) {
      const inProcess = errorInProcess({ error: { code, message: "" } })
      if (inProcess.code !== code) onlyOverHttp.push(code)
      const { moneyMayHaveMoved } = errorOf(
        { code, message: "" },
        { idempotencyKey: null, movesMoney: true, isMaybeAgain: false }
      )
      assert.strictEqual(moneyMayHaveMoved, inProcess.moneyMayHaveMoved, code)
    }
    assert.includeMembers(onlyOverHttp, ["unauthorized", "rate_limited"])
  })
})

describe("results", () => {
  it("a payment at a provider that does not answer is UNKNOWN", async () => {
    const { client } = await world()
    const asked = { amount: 1999, currency: "EUR", country: "NL", simulate: { charge: "no_answer" } } as const
    assert.strictEqual((await client.create(asked)).payment.status, "UNKNOWN")
  })

  it("a newer server's status is UNKNOWN, and its word is kept", async () => {
    const { client, proxy } = await world()
    const data = { status: "HELD", payment_status: "HELD" }
    proxy.faults.push({ status: 200, body: JSON.stringify({ data }) })
    assert.deepInclude(await client.payment("01a1fe08-9226-7266-a33a-e3e7f1609a4e"), {
      status: "UNKNOWN",
      payment_status: "HELD"
    })
  })

  it("a payment with a return URL sends the customer to the hosted page", async () => {
    const { client } = await world()
    const hosted = { amount: 1999, currency: "EUR", country: "NL", return_url: "https://shop.example/thanks" }
    const { payment } = await client.create(hosted)
    assert.strictEqual(payment.status, "REQUIRES_ACTION")
    assert.match(payment.next_action.url ?? "", /\/hosted\//u)
  })

  it("ids that lead to another path find nothing and do not read the list", async () => {
    const { client } = await world()
    for (const id of ["", ".", "..", "a/../../payments", "?limit=1"]) {
      assert.strictEqual((await failureOf(client.payment(id))).code, "not_found", id)
    }
  })

  it("a partner's calls with a test key get the API's own refusal", async () => {
    const { client } = await world()
    assert.strictEqual((await failureOf(client.merchants().page())).code, "live_key_required")
    assert.strictEqual((await failureOf(client.dispute("dp_1"))).code, "not_found")
    const evidence = { texts: { summary: "It was sent." }, files: { receipt: new Uint8Array([37, 80, 68, 70, 45]) } }
    assert.strictEqual((await failureOf(client.keepEvidence("dp_1", evidence))).code, "not_found")
  })
})

describe("settings", () => {
  const whole = { url: "https://pay.shop.example", apiKey: "ps_test_1" }
  for (const wrong of [
    { url: "pay.shop.example" },
    { url: "ftp://pay.shop.example" },
    { apiKey: "" },
    { apiKey: "ps_test_1\n" },
    { tries: 0 },
    { callMillis: 86_400_000 },
    { tryMillis: Number.NaN }
  ]) {
    it(`${JSON.stringify(wrong)} gives no client, and no secret in the message`, () => {
      try {
        createClient({ ...whole, ...wrong })
      } catch (error) {
        assert.isFalse(isPointsmanError(error))
        assert.notInclude(String(error), "ps_test_1")
        return
      }
      assert.fail("it was made")
    })
  }

  it("the key is not in an error printed with all of its fields", async () => {
    const { client, proxy } = await world({ tries: 1 })
    proxy.faults.push("lost", apiError(401, "unauthorized"))
    for (let count = 0; count < 2; count++) {
      const failure = await failureOf(client.payments().page())
      const { inspect } = await import("node:util")
      assert.notInclude(inspect(failure, { depth: 10, showHidden: true }), settings.apiKey)
    }
  })
})
