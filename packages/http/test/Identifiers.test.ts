/** Ids and times as the API shows them, and which ids are older. */
import { describe, expect, test } from "vitest"
import { isOnPostgres } from "./support/OnPostgres.ts"
import { aRefundId, authorized, create, get, operate, timeline } from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { own } from "./support/Workspaces.ts"

const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
const idOf = (prefix: string) => new RegExp(`^${prefix}${uuid}$`, "u")
const time = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$/u

describe.each(stores)("over %s", (_name, store) => {
  const world = usedWorld(store)

  test("each id of a payment, its events and its refund says what it is of", async () => {
    const created = await create(world)
    const { id, payment_id, routing, created: at } = created.body.data
    expect(id).toMatch(idOf(""))
    expect(payment_id).toBe(id)
    expect(at).toMatch(time)
    expect(created.headers.get("x-request-id")).toMatch(idOf("req_"))
    expect(routing.attempts.map((attempt: { attempt_id: string }) => attempt.attempt_id)).toEqual([
      expect.stringMatching(idOf("att_"))
    ])
    await operate(world, "refund", id)
    const events = await timeline(world, id)
    expect(events).toHaveLength(3)
    for (const event of events) {
      expect(event.id).toMatch(idOf("evt_"))
      expect(event.created).toMatch(time)
    }
    expect(events.at(-1)?.data["refund_id"]).toEqual(aRefundId)
  })

  test("ids of many payments at once sort in the order of the list and the times", async () => {
    const { key } = await own(world, [{ name: "main" }])
    const began = Date.now()
    await Promise.all(Array.from({ length: 40 }, () => create(world, {}, { key })))
    const took = Date.now() - began
    const { data } = (await get(world, "/payments?limit=100", key)).body
    const ids = data.map((payment: { id: string }) => payment.id)
    expect(new Set(ids).size).toBe(40)
    expect(ids).toEqual([...ids].sort().reverse())
    const times: ReadonlyArray<string> = data.map((payment: { created: string }) => payment.created)
    // An id is drawn before the configuration is looked at, which on PostgreSQL may take a question over the network.
    if (!isOnPostgres) expect(times).toEqual([...times].sort().reverse())
    for (const [index, created] of times.entries()) {
      const waited = Date.parse(created) - Number.parseInt(ids[index].replace("-", "").slice(0, 12), 16)
      expect(waited).toBeGreaterThanOrEqual(0)
      // Both are of the time in which it was made, but for a millisecond that is cut off.
      expect(waited).toBeLessThanOrEqual(took + 1)
    }
    const events = (await get(world, "/events?limit=100", key)).body.data.map((event: { id: string }) => event.id)
    expect(new Set(events).size).toBe(80)
  })

  test("every answer has a request id of its own", async () => {
    const id = await authorized(world)
    const replies = [
      await get(world, "/payments"),
      await get(world, `/payments/${id}`),
      await operate(world, "capture", id, { body: { amount: 0 } }),
      await operate(world, "capture", id),
      await world.send("/api/v1/payments"),
      await world.send("/nowhere"),
      await world.send("/api/v1/payments", { method: "DELETE" })
    ]
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 422, 200, 401, 404, 405])
    const requestIds = replies.map(({ headers }) => headers.get("x-request-id"))
    for (const requestId of requestIds) expect(requestId).toMatch(idOf("req_"))
    expect(new Set(requestIds).size).toBe(replies.length)
  })
})
