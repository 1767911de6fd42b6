/**
 * When the running server does what nobody asks it for, by the records of a provider and of a receiver of webhooks. The
 * clock is turned to a second before each time and to the time itself, so a list of times says both: what happened, and
 * that it did not happen before.
 */
import { assert, describe, it } from "vitest"
import { connectionTo, liveKey, workspaceWith } from "./support/Configurations.ts"
import { pay } from "./support/Pay.ts"
import { type Reaction, type Reply, startProvider } from "./support/ScriptedProvider.ts"
import { startInProcess } from "./support/ServerInProcess.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"
import { makeTurnedClock } from "./support/TurnedClock.ts"
import { startReceiver } from "./support/WebhookReceiver.ts"

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const began = Date.UTC(2027, 0, 15, 12)
const path = "/api/v1/payments"

/** `every(2 * hour, 6 * hour)`: 2, 4 and 6 hours. */
const every = (millis: number, until: number) =>
  Array.from({ length: until / millis }, (_, index) => (index + 1) * millis)
const counted = (since: number, times: ReadonlyArray<number>) => times.map((time) => since + time)

const openWorld = async (environment: Readonly<Record<string, string>> = {}) => {
  const turned = makeTurnedClock(began)
  const provider = await startProvider()
  const receiver = await startReceiver(turned.now)
  /** For each of our payment or refund ids, when the provider was asked for its record. */
  const lookUps = new Map<string, Array<number>>()
  /** What the provider says of them. Without a word: what a good provider's own record says. */
  const record = new Map<string, Reaction>()
  for (const operation of ["lookUpCharge", "lookUpRefund"] as const) {
    provider.always(operation, (call) => {
      const id = new URL(call.path, "http://provider").searchParams.values().next().value ?? ""
      lookUps.set(id, [...(lookUps.get(id) ?? []), turned.now() - began])
      return record.get(id) ?? call.execute()
    })
  }
  const server = await startInProcess({
    folder: temporaryFolder(),
    turned,
    // The lookups of closed payments have no schedule.
    environment: {
      POINTSMAN_ALLOW_PRIVATE_WEBHOOKS: "true",
      POINTSMAN_PROOF_LOOKUPS_PER_DAY: "off",
      ...environment
    },
    configuration: {
      workspaces: [
        {
          ...workspaceWith([connectionTo(provider)]),
          webhooks: [{ environment: "production", url: receiver.url, secret: "whsec_merchant_1" }]
        }
      ]
    }
  })
  return { turned, provider, receiver, server, lookUps, record }
}
type World = Awaited<ReturnType<typeof openWorld>>

let keys = 0

const create = async ({ provider, server }: World, change: object = {}) => {
  const calls = provider.calls.length
  const answer = await pay(server, `schedule-${++keys}`, change)
  const attemptId: string = provider.calls[calls]?.body?.attempt_id ?? ""
  return { answer, attemptId, id: String(answer.body.data?.payment_id) }
}

const operate = ({ server }: World, id: string, operation: "capture" | "void" | "refunds") =>
  server.request("POST", `${path}/${id}/${operation}`, { key: liveKey })

const statusOf = async ({ server }: World, id: string): Promise<string> =>
  (await server.request("GET", `${path}/${id}`, { key: liveKey })).body.data.status

/** `payment.captured at 60000`: the events of a payment, as the receiver got them. */
const heardOf = ({ receiver }: World, id: string): ReadonlyArray<string> =>
  receiver.heard.flatMap(({ at, body }) => {
    const event = JSON.parse(body)
    return event.data.payment_id === id ? [`${event.type} at ${at - began}`] : []
  })

const silence: Reply = { status: 500, body: {} }

describe("the schedules of a running server", () => {
  it("each open payment is looked up at its times over days, and at no other", async () => {
    const world = await openWorld()
    const { provider, record } = world
    const manual = { capture_method: "manual" }
    const pending = (attemptId: string): Reply => ({
      status: 200,
      body: { provider_reference: `provider-${attemptId}`, status: "pending" }
    })

    provider.next("charge", () => "drop")
    const charge = await create(world)
    const toCapture = await create(world, manual)
    const toVoid = await create(world, manual)
    const toAccept = await create(world, manual)
    const authorized = await create(world, manual)
    const captured = await create(world)
    const unrefunded = await create(world)
    provider.next("charge", ({ body }) => pending(body.attempt_id))
    const accepted = await create(world)
    assert.strictEqual(accepted.answer.body.data.status, "PENDING")
    record.set(accepted.attemptId, pending(accepted.attemptId))

    // Later than they were created: their clocks start when they entered their state.
    const later = 7 * second
    world.turned.turnTo(began + later)
    provider.next("capture", (call) => {
      call.execute()
      return "drop"
    })
    const capture = await operate(world, toCapture.id, "capture")
    assert.strictEqual(capture.body.error.code, "capture_result_unknown")
    provider.next("void", () => "drop")
    assert.strictEqual((await operate(world, toVoid.id, "void")).body.error.code, "void_result_unknown")
    provider.next("capture", () => pending(toAccept.attemptId))
    assert.strictEqual((await operate(world, toAccept.id, "capture")).body.data.status, "PENDING")
    record.set(toAccept.attemptId, pending(toAccept.attemptId))
    const refundIds: Array<string> = []
    provider.next("refund", ({ body }) => {
      refundIds.push(body.refund_id)
      return { status: 200, body: { provider_refund_id: "provider-refund", status: "pending" } }
    })
    assert.strictEqual((await operate(world, captured.id, "refunds")).body.error.code, "refund_pending")
    provider.next("refund", (call) => {
      refundIds.push(call.body.refund_id)
      call.execute()
      return "drop"
    })
    const refund = await operate(world, unrefunded.id, "refunds")
    assert.strictEqual(refund.body.error.code, "refund_result_unknown")
    const [acceptedRefund = "", unknownRefund = ""] = refundIds
    record.set(acceptedRefund, { status: 200, body: { provider_refund_id: "provider-refund", status: "pending" } })
    const unknown = [charge, toCapture, toVoid]
    for (const { attemptId } of unknown) record.set(attemptId, silence)
    record.set(unknownRefund, silence)

    const ofUnknown = [minute, 5 * minute, ...every(30 * minute, 3 * hour)]
    const ofAccepted = [...every(hour, day), 2 * day, 3 * day]
    // The void turns out never to have arrived, and what was not voided is an authorization again.
    const ofVoid = [...ofUnknown, ...counted(3 * hour, every(day, 2 * day))]
    const times = [...ofVoid, ...ofAccepted].flatMap((time) => [time, later + time])
    await world.server.live(
      counted(
        began,
        times.filter((time) => time < 3 * hour)
      )
    )
    assert.deepStrictEqual(await Promise.all(unknown.map(({ id }) => statusOf(world, id))), Array(3).fill("UNKNOWN"))
    // The provider finds its tongue.
    for (const { attemptId } of unknown) record.delete(attemptId)
    await world.server.live(
      counted(
        began,
        times.filter((time) => time >= 3 * hour && time < 2 * day)
      )
    )
    record.delete(unknownRefund)
    await world.server.live(
      counted(
        began,
        times.filter((time) => time >= 2 * day)
      )
    )

    const asked = (id: string) => world.lookUps.get(id) ?? []
    assert.deepStrictEqual(asked(charge.attemptId), ofUnknown)
    assert.deepStrictEqual(asked(toCapture.attemptId), counted(later, ofUnknown))
    assert.deepStrictEqual(asked(toVoid.attemptId), counted(later, ofVoid))
    assert.deepStrictEqual(asked(accepted.attemptId), ofAccepted)
    assert.deepStrictEqual(asked(toAccept.attemptId), counted(later, ofAccepted))
    assert.deepStrictEqual(asked(authorized.attemptId), every(day, 3 * day))
    assert.deepStrictEqual(asked(acceptedRefund), every(day, 3 * day))
    assert.deepStrictEqual(asked(unknownRefund), every(day, 2 * day))
    assert.deepStrictEqual([asked(captured.attemptId), asked(unrefunded.attemptId)], [[], []])

    // What the lookups found was believed, and told.
    assert.deepStrictEqual(await Promise.all(unknown.map(({ id }) => statusOf(world, id))), [
      "FAILED",
      "CAPTURED",
      "AUTHORIZED"
    ])
    assert.include(heardOf(world, charge.id), `payment.failed at ${3 * hour}`)
    assert.include(heardOf(world, toCapture.id), `payment.captured at ${later + 3 * hour}`)
    assert.include(heardOf(world, toVoid.id), `payment.authorized at ${later + 3 * hour}`)
    assert.include(heardOf(world, unrefunded.id), `payment.refunded at ${2 * day}`)
    assert.strictEqual(await statusOf(world, unrefunded.id), "REFUNDED")
    assert.strictEqual(await statusOf(world, accepted.id), "PENDING")
  })

  it("lookups follow other intervals of the environment", async () => {
    const world = await openWorld({
      POINTSMAN_UNKNOWN_CHECK_INTERVAL: "3 minutes",
      POINTSMAN_PENDING_CHECK_INTERVAL: "40 minutes",
      POINTSMAN_REFUND_CHECK_INTERVAL: "50 minutes"
    })
    const { provider, record } = world
    provider.next("charge", () => "drop")
    const unknown = await create(world)
    record.set(unknown.attemptId, silence)
    const pending: Reply = { status: 200, body: { provider_reference: "provider-pending", status: "pending" } }
    provider.next("charge", () => pending)
    const accepted = await create(world)
    record.set(accepted.attemptId, pending)
    const captured = await create(world)
    let refundId = ""
    provider.next("refund", ({ body }) => {
      refundId = body.refund_id
      return "drop"
    })
    await operate(world, captured.id, "refunds")
    record.set(refundId, silence)
    // The early looks at what is unknown come no later than its interval.
    const ofUnknown = [minute, ...every(3 * minute, 120 * minute)]
    await world.server.live(counted(began, [...ofUnknown, ...every(10 * minute, 120 * minute)]))
    assert.deepStrictEqual(world.lookUps.get(unknown.attemptId), ofUnknown)
    assert.deepStrictEqual(world.lookUps.get(accepted.attemptId), every(40 * minute, 120 * minute))
    assert.deepStrictEqual(world.lookUps.get(refundId), [50 * minute, 100 * minute])
  })
})
