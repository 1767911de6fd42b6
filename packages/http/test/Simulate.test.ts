/** What `simulate` brings about, by requests alone. */
import { declineCategories } from "@pointsman/core"
import { afterAll, describe, expect, test } from "vitest"
import { keys, realCore } from "./support/RealCore.ts"
import { serve } from "./support/Web.ts"

const web = serve(realCore)
afterAll(web.close)

const create = async (simulate: object, fields: object = {}) => {
  const body = { amount: 1000, currency: "EUR", country: "NL", simulate, ...fields }
  const reply = await web.send("/api/v1/payments", { key: keys.acme, body })
  expect(reply.status).toBe(201)
  return reply.body.data
}
const operate = (id: string, name: string, amount?: number) =>
  web.send(`/api/v1/payments/${id}/${name}`, {
    method: "POST",
    key: keys.acme,
    body: amount === undefined ? undefined : { amount }
  })
const read = async (id: string) => {
  const { data } = (await web.send(`/api/v1/payments/${id}`, { key: keys.acme })).body
  return [data.status, data.captured_amount, data.refunded_amount, data.refund_pending_amount]
}
const outcomesOf = (payment: { routing: { attempts: ReadonlyArray<{ outcome: string }> } }) =>
  payment.routing.attempts.map(({ outcome }) => outcome)

describe("a charge", () => {
  test.each(declineCategories)("decline:%s is DECLINED so, and no other connection is asked", async (category) => {
    const payment = await create({ charge: `decline:${category}` })
    expect(payment).toMatchObject({ status: "DECLINED", decline_category: category })
    expect(outcomesOf(payment)).toEqual(["declined"])
  })

  test.each(declineCategories)("soft_decline:%s asks the next connection", async (category) => {
    const payment = await create({ charge: [`soft_decline:${category}`, "approve"] })
    expect([payment.status, outcomesOf(payment)]).toEqual(["CAPTURED", ["declined", "captured"]])
    const twice = await create({ charge: `soft_decline:${category}` })
    expect(twice).toMatchObject({ status: "DECLINED", decline_category: category })
    expect(outcomesOf(twice)).toEqual(["declined", "declined"])
  })

  test("no_answer before approve is UNKNOWN, and no other connection is asked", async () => {
    const payment = await create({ charge: ["no_answer", "approve"] })
    expect(payment).toMatchObject({ status: "UNKNOWN", decline_category: null, decline_reason: null })
    expect(outcomesOf(payment)).toEqual(["unanswered"])
  })
})

describe("what comes after it", () => {
  test.each([
    ["capture", {}, 200, ["CAPTURED", 1000, 0, 0]],
    ["capture", { capture: "refuse" }, "psp_error", ["AUTHORIZED", 0, 0, 0]],
    ["void", { void: "confirm" }, 200, ["CANCELLED", 0, 0, 0]],
    ["void", { void: "no_answer" }, "void_result_unknown", ["UNKNOWN", 0, 0, 0]],
    ["refunds", { refund: "confirm" }, 200, ["PARTIALLY_REFUNDED", 1000, 300, 0]],
    ["refunds", { refund: "pending" }, "refund_pending", ["CAPTURED", 1000, 0, 300]]
  ] as const)("a POST to %s with %j is answered %s", async (name, simulate, answer, amounts) => {
    const isRefund = name === "refunds"
    const { id } = await create(simulate, isRefund ? {} : { capture_method: "manual" })
    const reply = await operate(id, name, isRefund ? 300 : undefined)
    expect(reply.body.error?.code ?? reply.status).toBe(answer)
    expect(await read(id)).toEqual(amounts)
  })
})
