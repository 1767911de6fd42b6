/** A create with `return_url` and the page that it leads to, over the real core. */
import { afterAll, describe, expect, test } from "vitest"
import { keys, realCore } from "../support/RealCore.ts"
import { serve } from "../support/Web.ts"

const baseUrl = "https://pay.example"
const web = serve(realCore, { baseUrl })
afterAll(web.close)

const create = (fields: object = {}, key: string = keys.acme) =>
  web.send("/api/v1/payments", {
    key,
    body: {
      amount: 1000,
      currency: "EUR",
      country: "NL",
      return_url: "https://shop.example/thanks?order=1",
      cancel_url: "https://shop.example/basket",
      ...fields
    }
  })
const press = (url: string, form: Record<string, string>) =>
  web.fetch(new Request(url, { method: "POST", body: new URLSearchParams(form), redirect: "manual" }))
const read = async (path: string) => (await web.send(`/api/v1/payments/${path}`, { key: keys.acme })).body.data

describe("a create with return_url", () => {
  test("a hosted create with debug waits half an hour, without routing", async () => {
    const { status, body } = await create({ debug: true })
    expect(status).toBe(201)
    expect(body.data).toMatchObject({ payment_status: "REQUIRES_ACTION", status: "REQUIRES_ACTION" })
    expect(body.data).not.toHaveProperty("routing")
    const { expires_at, type, url } = body.data.next_action
    expect([type, url.startsWith(`${baseUrl}/hosted/`)]).toEqual(["REDIRECT", true])
    expect(Date.parse(expires_at) - Date.parse(body.data.created)).toBe(30 * 60_000)
    const events = await read(`${body.data.id}/events`)
    expect(events.map((event: { type: string }) => event.type)).toEqual(["payment.requires_action"])
  })

  test("a hosted create without a connection is created, and FAILED once approved", async () => {
    const { body } = await create({}, keys.globex)
    expect(body.data.status).toBe("REQUIRES_ACTION")
    const pressed = await press(body.data.next_action.url, { action: "approve" })
    expect(pressed.headers.get("location")).toContain("status=FAILED")
  })

  test.each([
    ["approve", {}, "CAPTURED", null],
    ["approve", { capture_method: "manual" }, "AUTHORIZED", null],
    ["confirm_challenge", { simulate: { charge: "requires_authentication" } }, "CAPTURED", null],
    ["fail_challenge", {}, "DECLINED", "authentication_failed"],
    ["approve", { simulate: { charge: "no_answer" } }, "UNKNOWN", null],
    ["approve", { simulate: { charge: "technical_error" } }, "FAILED", null],
    ["cancel", {}, "CANCELLED", null]
  ])("%s with %j is %s, and the customer goes back", async (action, fields, status, category) => {
    const { body } = await create(fields)
    const pressed = await press(body.data.next_action.url, { action })
    expect(pressed.status).toBe(303)
    expect(pressed.headers.get("referrer-policy")).toBe("no-referrer")
    const back = `payment_id=${body.data.id}&status=${status}`
    expect(pressed.headers.get("location")).toBe(
      action === "cancel" ? `https://shop.example/basket?${back}` : `https://shop.example/thanks?order=1&${back}`
    )
    const payment = await read(body.data.id)
    expect(payment).toMatchObject({ status, decline_category: category, next_action: { type: "NONE" } })
    // Acting again shows what happened, sends nobody away and changes nothing.
    const again = await press(body.data.next_action.url, { action: "approve" })
    expect([again.status, again.headers.get("location")]).toEqual([200, null])
    expect(await read(body.data.id)).toEqual(payment)
  })
})
