/** One `provider_reference` for two payments of a connection: what merchants see, over every store. */
import { Effect } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { charge, deliver, dispute } from "./support/Messages.ts"
import { answerOf, create, expectSound, operate, retrieve, timeline } from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { openWorld, type World } from "./support/World.ts"

describe.each(stores)("over %s", (_, store) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(store)
  })
  afterAll(() => world.close())
  beforeEach(() => world.reset())

  /** A payment whose charge is answered with the reference. */
  const charged = async (reference: string, idempotencyKey?: string) => {
    world.provider.onCharge = () => Effect.succeed({ _tag: "Captured", providerRef: reference })
    const reply = await create(world, {}, { idempotencyKey })
    expect(reply.status).toBe(201)
    const { payment_id: id, payment_status } = reply.body.data
    return { id, status: payment_status, attemptId: world.provider.charges.at(-1)?.attemptId ?? "", reply }
  }
  const typesOf = async (id: string) => (await timeline(world, id)).map(({ type }) => type)
  const conflictsOf = async (id: string) =>
    (await timeline(world, id))
      .filter(({ type }) => type === "payment.conflict")
      .map(({ data }) => [data["connection_id"], data["provider_reference"], data["other_payment_id"]])

  test("a create with a reused reference is UNKNOWN, and the first payment continues", async () => {
    const first = await charged("ch_answer")
    const before = await retrieve(world, first.id)
    const second = await charged("ch_answer", "key-of-the-second")
    expect([first.status, second.status]).toEqual(["CAPTURED", "UNKNOWN"])
    const replay = await create(world, {}, { idempotencyKey: "key-of-the-second" })
    expect([replay.headers.get("idempotent-replay"), replay.body]).toEqual(["true", second.reply.body])
    expect(await typesOf(second.id)).toEqual(["payment.created", "payment.conflict", "payment.unknown"])
    expect(await typesOf(first.id)).toEqual(["payment.created", "payment.captured", "payment.conflict"])
    expect(await conflictsOf(first.id)).toEqual([["main", "ch_answer", second.id]])
    expect(await conflictsOf(second.id)).toEqual([["main", "ch_answer", first.id]])
    const { updated: _, ...after } = await retrieve(world, first.id)
    expect(before).toMatchObject(after)

    expect(answerOf(await operate(world, "refund", first.id, { body: { amount: 400 } }))).toBe("200")
    expect(answerOf(await operate(world, "refund", second.id))).toBe("409 not_refundable")
    for (const { id } of [first, second]) await expectSound(world, id)
  })

  test("a payment stays UNKNOWN until a message comes under its own name", async () => {
    const first = await charged("ch_message")
    world.provider.onCharge = ({ attemptId }) => Effect.succeed({ _tag: "Pending", providerRef: `own_${attemptId}` })
    const id = (await create(world)).body.data.payment_id
    const { attemptId = "" } = world.provider.charges.at(-1) ?? {}
    for (let time = 0; time < 2; time++) {
      const reply = await deliver(world, charge(attemptId, "captured", { provider_reference: "ch_message" }))
      expect(reply.status).toBe(200)
    }
    expect(await retrieve(world, id)).toMatchObject({ payment_status: "UNKNOWN", captured_amount: 0 })
    expect(await conflictsOf(id)).toEqual([["main", "ch_message", first.id]])
    expect(await conflictsOf(first.id)).toEqual([["main", "ch_message", id]])
    await deliver(world, charge(attemptId, "captured", { provider_reference: `own_${attemptId}` }))
    expect(await retrieve(world, id)).toMatchObject({ payment_status: "CAPTURED", captured_amount: 1000 })
    await expectSound(world, id)
  })

  test("one of many creates at once has the reference, and every other is UNKNOWN", async () => {
    world.provider.onCharge = () => Effect.succeed({ _tag: "Captured", providerRef: "ch_race" })
    const replies = await Promise.all(Array.from({ length: 8 }, () => create(world)))
    const of = (status: string) => replies.map(({ body }) => body.data).filter((one) => one.payment_status === status)
    expect([of("CAPTURED").length, of("UNKNOWN").length]).toEqual([1, 7])
    const [winner] = of("CAPTURED")
    const told = (await conflictsOf(winner.payment_id)).map(([, , other]) => other)
    expect(told.toSorted()).toEqual(
      of("UNKNOWN")
        .map(({ payment_id }) => payment_id)
        .toSorted()
    )
    for (const { payment_id } of of("UNKNOWN")) {
      expect(await conflictsOf(payment_id)).toEqual([["main", "ch_race", winner.payment_id]])
    }
  })

  test("a dispute by our own name is only that payment's", async () => {
    const first = await charged("ch_dispute")
    const second = await charged("ch_dispute")
    await deliver(world, dispute(first.attemptId, "opened"))
    expect(await retrieve(world, first.id)).toMatchObject({ payment_status: "CHARGEBACK" })
    expect(await retrieve(world, second.id)).toMatchObject({ payment_status: "UNKNOWN" })
  })
})
