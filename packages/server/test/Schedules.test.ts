/**
 * When the running server does what nobody asks it for, by the records of a provider and of a receiver of webhooks. The
 * clock is turned to a second before each time and to the time itself, so a list of times says both: what happened, and
 * that it did not happen before.
 */
import { cpSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { connectionTo, liveKey, workspaceWith } from "./support/Configurations.ts"
import { pay } from "./support/Pay.ts"
import { type Reaction, type Reply, type ScriptedProvider, startProvider } from "./support/ScriptedProvider.ts"
import { type ServerInProcess, startInProcess } from "./support/ServerInProcess.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"
import { makeTurnedClock, type TurnedClock } from "./support/TurnedClock.ts"
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

interface World {
  readonly folder: string
  readonly turned: TurnedClock
  readonly provider: ScriptedProvider
  readonly receiver: Awaited<ReturnType<typeof startReceiver>>
  readonly server: ServerInProcess
  /** For each of our payment or refund ids, when the provider was asked for its record. */
  readonly lookUps: ReadonlyMap<string, ReadonlyArray<number>>
  /** What the provider says of them. Without a word: what a good provider's own record says. */
  readonly record: Map<string, Reaction>
}

interface WorldOptions {
  readonly environment?: Readonly<Record<string, string>>
  readonly drawn?: () => number
  /** Time-outs of further connections, by card brand, which is also the connection's id. */
  readonly timeouts?: Readonly<Record<string, string>>
  /** Those of a server that is no more. */
  readonly folder?: string
  readonly provider?: ScriptedProvider
}

const openWorld = async (options: WorldOptions = {}): Promise<World> => {
  const { environment, drawn, timeouts = {}, folder = temporaryFolder() } = options
  const turned = makeTurnedClock(began)
  const provider = options.provider ?? (await startProvider())
  const receiver = await startReceiver(turned.now)
  const lookUps = new Map<string, Array<number>>()
  const record = new Map<string, Reaction>()
  for (const operation of ["lookUpCharge", "lookUpRefund"] as const) {
    provider.always(operation, (call) => {
      const id = new URL(call.path, "http://provider").searchParams.values().next().value ?? ""
      lookUps.set(id, [...(lookUps.get(id) ?? []), turned.now() - began])
      return record.get(id) ?? call.execute()
    })
  }
  const named = Object.entries(timeouts)
  const workspace = workspaceWith([
    connectionTo(provider),
    ...named.map(([id, timeout]) => ({ ...connectionTo(provider, id), timeout }))
  ])
  const rules = named.map(([id]) => ({ name: id, when: { cardBrand: [id] }, use: { mode: "fixed", order: [id] } }))
  const server = await startInProcess({
    folder,
    turned,
    drawn,
    // The lookups of closed payments have no schedule.
    environment: {
      POINTSMAN_ALLOW_PRIVATE_WEBHOOKS: "true",
      POINTSMAN_PROOF_LOOKUPS_PER_DAY: "off",
      ...environment
    },
    configuration: {
      workspaces: [
        {
          ...workspace,
          routing: { production: { mode: "fixed", order: ["main"], rules } },
          webhooks: [{ environment: "production", url: receiver.url, secret: "whsec_merchant_1" }]
        }
      ]
    }
  })
  return { folder, turned, provider, receiver, server, lookUps, record }
}

/** The folder as a process leaves it that is killed: not closed, and without what only a living one can use. */
const asKilled = ({ folder }: World): string => {
  const copy = temporaryFolder()
  cpSync(folder, copy, { recursive: true, filter: (name) => !name.endsWith("-shm") })
  return copy
}

let keys = 0
const newKey = () => `schedule-${++keys}`

const create = async ({ provider, server }: World, change: object = {}, idempotencyKey = newKey()) => {
  const body = { amount: 1999, currency: "EUR", country: "NL", ...change }
  const calls = provider.calls.length
  const answer = await pay(server, idempotencyKey, body)
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

  it("calls that never arrived are believed after two timeouts and the send window", async () => {
    // 5 s + 2 x 27.5 s is the first look's minute, to the millisecond.
    const world = await openWorld({ timeouts: { young: "27501 millis", old: "27500 millis" } })
    const { provider } = world
    provider.always("charge", () => "drop")
    const young = await create(world, { card_brand: "young" })
    const old = await create(world, { card_brand: "old" })
    provider.next("charge", (call) => {
      call.execute()
      return "drop"
    })
    const executed = await create(world, { card_brand: "young" })
    provider.always("charge", (call) => call.execute())
    const manual = { capture_method: "manual" }
    const youngCapture = await create(world, { ...manual, card_brand: "young" })
    const oldCapture = await create(world, { ...manual, card_brand: "old" })
    provider.always("capture", () => "drop")
    for (const { id } of [youngCapture, oldCapture]) await operate(world, id, "capture")
    provider.always("capture", (call) => call.execute())
    const captured = await create(world)
    provider.next("refund", () => "drop")
    await operate(world, captured.id, "refunds")

    await world.server.live(counted(began, [minute, 5 * minute]))
    assert.deepStrictEqual(world.lookUps.get(old.attemptId), [minute])
    assert.deepStrictEqual(world.lookUps.get(young.attemptId), [minute, 5 * minute])
    assert.deepStrictEqual(heardOf(world, old.id).at(-1), `payment.failed at ${minute}`)
    assert.deepStrictEqual(heardOf(world, young.id).at(-1), `payment.failed at ${5 * minute}`)
    // What did happen is believed at once.
    assert.deepStrictEqual(heardOf(world, executed.id).at(-1), `payment.captured at ${minute}`)
    assert.deepStrictEqual(heardOf(world, oldCapture.id).at(-1), `payment.authorized at ${minute}`)
    assert.deepStrictEqual(heardOf(world, youngCapture.id).at(-1), `payment.authorized at ${5 * minute}`)
    // Nothing happened, so it can be done now.
    assert.strictEqual((await operate(world, oldCapture.id, "capture")).body.data.status, "CAPTURED")
    await world.server.live([began + day])
    assert.deepStrictEqual(heardOf(world, captured.id).at(-1), `payment.refund_failed at ${day}`)
    const refunded = (await operate(world, captured.id, "refunds")).body.data
    assert.deepStrictEqual([refunded.status, refunded.refund_pending_amount], ["REFUNDED", 0])
    assert.lengthOf(provider.charges, 4)
  })

  it("the daily job finds the calls of a server that died in the middle", async () => {
    const world = await openWorld()
    const { provider } = world
    const authorized = await create(world, { capture_method: "manual" })
    const captured = await create(world)
    const holds = (["charge", "capture", "refund"] as const).map((operation) => provider.hold(operation))
    const key = newKey()
    const gone = Promise.allSettled([
      create(world, {}, key),
      operate(world, authorized.id, "capture"),
      operate(world, captured.id, "refunds")
    ])
    const [charge] = await Promise.all(holds.map(({ arrived }) => arrived))
    const id: string = charge?.body.payment_id
    const folder = asKilled(world)
    // The provider executes them, and who hears of it is not looked at again.
    for (const { release } of holds) release()
    await gone
    await world.server.stop()

    const next = await openWorld({ folder, provider })
    const window = 15 * minute
    const all = [id, authorized.id, captured.id]
    next.turned.turnTo(began + window - 1)
    assert.strictEqual((await create(next, {}, key)).answer.body.error.code, "idempotency_in_progress")
    await next.server.live(counted(began, [window, day - 2 * second]))
    assert.deepStrictEqual(await Promise.all(all.map((one) => statusOf(next, one))), ["PENDING", "PENDING", "CAPTURED"])
    assert.lengthOf(next.receiver.heard, 0)
    await next.server.live(counted(began, [day]))
    assert.deepStrictEqual(heardOf(next, id), [`payment.unknown at ${day}`])
    assert.deepStrictEqual(heardOf(next, authorized.id), [`payment.capture_unknown at ${day}`])
    assert.deepStrictEqual(heardOf(next, captured.id), [`payment.refund_unknown at ${day}`])
    assert.strictEqual(next.lookUps.size, 0)
    await next.server.live(counted(began, [day + minute, 2 * day]))
    assert.deepStrictEqual(heardOf(next, id).at(-1), `payment.captured at ${day + minute}`)
    assert.deepStrictEqual(heardOf(next, authorized.id).at(-1), `payment.captured at ${day + minute}`)
    assert.deepStrictEqual(heardOf(next, captured.id).at(-1), `payment.refunded at ${2 * day}`)
    const replay = await create(next, {}, key)
    assert.deepStrictEqual([replay.id, replay.answer.body.data.status], [id, "CAPTURED"])
    assert.lengthOf(provider.charges, 3)
    assert.lengthOf(
      provider.calls.filter(({ operation }) => !operation.startsWith("lookUp")),
      5
    )
  })

  it("dead requests wait for the claim window, also with a shorter interval", async () => {
    const environment = { POINTSMAN_DEAD_REQUEST_INTERVAL: "1 minute" }
    const world = await openWorld({ environment })
    const hold = world.provider.hold("charge")
    const gone = create(world)
    const { body } = await hold.arrived
    const folder = asKilled(world)
    hold.release("drop")
    await gone
    await world.server.stop()
    const next = await openWorld({ environment, folder, provider: world.provider })
    await next.server.live(counted(began, every(minute, 14 * minute)))
    assert.strictEqual(await statusOf(next, body.payment_id), "PENDING")
    await next.server.live([began + 15 * minute])
    assert.deepStrictEqual(heardOf(next, body.payment_id), [`payment.unknown at ${15 * minute}`])
  })

  it("a hosted page without an act is cancelled after 30 minutes", async () => {
    const world = await openWorld()
    const page = await create(world, { return_url: "https://shop.example/thanks" })
    const { expires_at: expiresAt } = page.answer.body.data.next_action
    assert.strictEqual(Date.parse(expiresAt), began + 30 * minute)
    world.turned.turnTo(began + 30 * minute - 2 * second)
    await world.server.rest()
    assert.strictEqual(await statusOf(world, page.id), "REQUIRES_ACTION")
    await world.server.live([began + 30 * minute])
    assert.strictEqual(await statusOf(world, page.id), "CANCELLED")
    assert.deepStrictEqual(heardOf(world, page.id).at(-1), `payment.cancelled at ${30 * minute}`)
    assert.lengthOf(world.provider.calls, 0)
  })

  it("an answered key is a new request after 24 hours, and not before", async () => {
    const world = await openWorld()
    const key = newKey()
    const first = await create(world, {}, key)
    world.turned.turnTo(began + day - 1)
    const replay = await create(world, {}, key)
    assert.deepStrictEqual(replay.answer.body, first.answer.body)
    assert.strictEqual(replay.answer.headers.get("idempotent-replay"), "true")
    assert.lengthOf(world.provider.charges, 1)
    world.turned.turnTo(began + day)
    const second = await create(world, {}, key)
    assert.notStrictEqual(second.id, first.id)
    assert.isNull(second.answer.headers.get("idempotent-replay"))
    assert.lengthOf(world.provider.charges, 2)
  })

  it("lookups follow other intervals of the environment", async () => {
    const world = await openWorld({
      environment: {
        POINTSMAN_UNKNOWN_CHECK_INTERVAL: "3 minutes",
        POINTSMAN_PENDING_CHECK_INTERVAL: "40 minutes",
        POINTSMAN_REFUND_CHECK_INTERVAL: "50 minutes"
      }
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

  it("webhooks to a failing receiver follow the schedule by a tenth, and end", async () => {
    const delays = [0, 5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour]
    // What is drawn when an attempt ends says when the next one comes.
    const draws = [0.5, 0, 1, 0.25, 1, 0, 0.75]
    let drawn = 0.5
    const world = await openWorld({ drawn: () => drawn })
    world.receiver.status = () => 503
    const times: Array<number> = [0]
    for (const [index, delay] of delays.slice(1).entries()) {
      drawn = draws[index] ?? 0.5
      if (index === 0) await create(world)
      else await world.server.live([began + (times.at(-1) ?? 0)])
      await world.server.rest()
      times.push((times.at(-1) ?? 0) + delay * (0.9 + 0.2 * drawn))
    }
    await world.server.live(counted(began, [times.at(-1) ?? 0, 40 * day]))
    const came = Map.groupBy(world.receiver.heard, ({ headers }) => headers["x-service-delivery-id"])
    assert.strictEqual(came.size, 2)
    for (const heard of came.values()) {
      assert.deepStrictEqual(
        heard.map(({ at }) => at - began),
        times
      )
    }
  })

  it("an attempt at a silent receiver is over after 15 seconds, and fails", async () => {
    const world = await openWorld()
    world.receiver.status = (number) => (number <= 2 ? undefined : 200)
    await create(world)
    await world.receiver.count(2)
    await world.server.rest(1)
    world.turned.turnTo(began + 15 * second - 1)
    await world.server.rest(1)
    assert.strictEqual(world.receiver.hungUp(), 0)
    world.turned.turnTo(began + 15 * second)
    await world.server.rest()
    await world.server.live([began + 20 * second, began + hour])
    assert.strictEqual(world.receiver.hungUp(), 2)
    assert.deepStrictEqual(
      world.receiver.heard.map(({ at }) => at - began),
      [0, 0, 20 * second, 20 * second]
    )
  })
})
