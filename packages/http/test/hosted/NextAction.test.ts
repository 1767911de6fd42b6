/** `next_action` wherever a payment is shown. */
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { payment, paymentId, scripted } from "../support/Scripted.ts"
import { serve } from "../support/Web.ts"
import { awaiting } from "./HostedWeb.ts"

const baseUrl = "https://pay.example/base"
const create = {
  amount: 1999,
  currency: "EUR",
  country: "NL",
  return_url: "https://shop.example/thanks",
  cancel_url: "https://shop.example/basket"
}
const redirect = {
  type: "REDIRECT",
  url: `${baseUrl}/hosted/token-of-${paymentId}`,
  expires_at: "2026-11-21T11:30:00.000Z"
}
const none = { type: "NONE" }

describe("next_action", () => {
  test.each([false, true])("return_url with replay %s leads to the page", async (isReplay) => {
    const script = scripted({ create: () => Effect.succeed({ payment: awaiting, isReplay }) })
    const reply = await serve(script.layer, { baseUrl }).send("/api/v1/payments", { key: "sandbox", body: create })
    expect(reply.status).toBe(201)
    expect(reply.headers.get("idempotent-replay")).toBe(isReplay ? "true" : null)
    expect(reply.body.data).toMatchObject({ payment_status: "REQUIRES_ACTION", next_action: redirect })
    expect(reply.body.data).not.toHaveProperty("routing")
    expect(script.created[0]?.request).toMatchObject({ returnUrl: create.return_url, cancelUrl: create.cancel_url })
  })

  test.each(["AwaitingCustomer", "CheckoutOpen"] as const)("%s leads to the page in reads and lists", async (state) => {
    const script = scripted({
      payment: () => Effect.succeed({ ...awaiting, state }),
      payments: () => Effect.succeed({ items: [{ ...awaiting, state }, payment], hasMore: true })
    })
    const web = serve(script.layer, { baseUrl })
    const one = await web.send(`/api/v1/payments/${paymentId}`, { key: "sandbox" })
    expect(one.body.data.next_action).toEqual(redirect)
    const list = await web.send("/api/v1/payments", { key: "sandbox" })
    expect(list.body.data.map((shown: { next_action: unknown }) => shown.next_action)).toEqual([redirect, none])
    expect(list.body).toMatchObject({ has_more: true, next_cursor: paymentId })
    expect(script.asked.filter(([name]) => name === "pageToken")).toHaveLength(2)
  })

  test("a key that only reads gets no address with a payment, and no token is made", async () => {
    const script = scripted({
      payment: () => Effect.succeed(awaiting),
      payments: () => Effect.succeed({ items: [awaiting], hasMore: false })
    })
    const web = serve(script.layer, { baseUrl })
    const { url: _, ...withoutAddress } = redirect
    const one = await web.send(`/api/v1/payments/${paymentId}`, { key: "readOnly" })
    expect(one.body.data.next_action).toEqual(withoutAddress)
    const list = await web.send("/api/v1/payments", { key: "readOnly" })
    expect(list.body.data[0].next_action).toEqual(withoutAddress)
    expect(script.asked.filter(([name]) => name === "pageToken")).toEqual([])
  })

  test.each(["Captured", "Cancelled", "ChargeUnknown", "ChargePending"] as const)(
    "a hosted payment in %s has nothing to do, and no token is made",
    async (state) => {
      const script = scripted({ payment: () => Effect.succeed({ ...awaiting, state }) })
      const reply = await serve(script.layer, { baseUrl }).send(`/api/v1/payments/${paymentId}`, { key: "sandbox" })
      expect(reply.body.data.next_action).toEqual(none)
      expect(script.asked).toEqual([["payment", expect.anything(), paymentId]])
    }
  )

  test.each([
    ["capture", "/capture"],
    ["void", "/void"],
    ["refund", "/refunds"]
  ])("a %s has nothing to do", async (_, path) => {
    const reply = await serve(scripted().layer, { baseUrl }).send(`/api/v1/payments/${paymentId}${path}`, {
      key: "sandbox",
      method: "POST"
    })
    expect(reply.status).toBe(200)
    expect(reply.body.data.next_action).toEqual(none)
  })

  test("a payment's page has one slash behind a base URL that ends in one", async () => {
    const script = scripted({ payment: () => Effect.succeed(awaiting) })
    const web = serve(script.layer, { baseUrl: `${baseUrl}/` })
    const reply = await web.send(`/api/v1/payments/${paymentId}`, { key: "sandbox" })
    expect(reply.body.data.next_action.url).toBe(redirect.url)
  })

  test("return_url without a base URL is 422 and named", async () => {
    const script = scripted()
    const reply = await serve(script.layer).send("/api/v1/payments", { key: "sandbox", body: create })
    expect(reply.status).toBe(422)
    expect(reply.body.error).toMatchObject({ code: "validation_error", param: "return_url" })
    expect(script.created).toEqual([])
  })
})
