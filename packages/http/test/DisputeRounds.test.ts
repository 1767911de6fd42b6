/** Rounds of one dispute over the API: the provider's time orders what its messages state. */
import { Ledger } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { describe, expect, test } from "vitest"
import { deliver, dispute, type Message } from "./support/Messages.ts"
import { answerOf, captured, get, operate, retrieve } from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { acme, keys } from "./support/World.ts"

/** A minute of the day on which the provider writes. */
const at = (minute: number): string => `2026-11-21T12:${String(minute).padStart(2, "0")}:00Z`

// One store is enough: none of them orders statements.
describe.each(stores.slice(0, 1))("over %s", (_name, store) => {
  const world = usedWorld(store)

  const given = async () => {
    const paymentId = await captured(world)
    const attemptId = world.provider.charges.at(-1)?.attemptId ?? ""
    const of = (type: string, minute: number, more: object = {}): Message => ({
      ...dispute(attemptId, "opened", { dispute_id: `du_${paymentId}`, ...more }),
      type: `dispute.${type}`,
      created: at(minute)
    })
    const disputes = async () => (await get(world, `/disputes?payment=${paymentId}`)).body.data
    const stored = () =>
      world.run(Effect.flatMap(Ledger, (ledger) => Effect.map(ledger.book(acme, paymentId), Option.getOrThrow)))
    const seen = async () => ({
      status: (await retrieve(world, paymentId))["status"],
      disputes: (await disputes()).map(({ status }: { status: string }) => status),
      reviews: (await stored()).payment.review?.reasons ?? []
    })
    const outcomes = (messages: ReadonlyArray<string>) =>
      world.run(
        Effect.flatMap(Ledger, (ledger) =>
          Effect.forEach(messages, (id) => Effect.map(ledger.message(acme, "main", id), Option.getOrThrow))
        )
      )
    const timeline = async (): Promise<ReadonlyArray<string>> =>
      (await get(world, `/payments/${paymentId}/events`)).body.data.map(({ type }: { type: string }) => type)
    return { paymentId, of, disputes, seen, outcomes, timeline }
  }

  const keep = async (id: string) => {
    const data = new FormData()
    data.append("summary", "It arrived.")
    const request = new Request("http://pointsman.test", { method: "POST", body: data })
    return world.send(`/api/v1/disputes/${id}/evidence`, {
      key: keys.acme,
      body: new Uint8Array(await request.arrayBuffer()),
      headers: { "content-type": request.headers.get("content-type") ?? "" }
    })
  }
  const submit = (id: string, key: string) =>
    world.send(`/api/v1/disputes/${id}/submit`, {
      method: "POST",
      key: keys.acme,
      headers: { "idempotency-key": key }
    })

  test("a dispute that was won and is opened again begins a new round", async () => {
    const { disputes, of, paymentId, seen, timeline } = await given()
    await deliver(world, of("opened", 1, { amount: 600, currency: "EUR", evidence_due_by: "2026-12-01T00:00:00Z" }))
    const [{ id }] = await disputes()
    await keep(id)
    expect(answerOf(await submit(id, "first round"))).toBe("200")
    await deliver(world, of("won", 2))
    expect(await seen()).toEqual({ status: "CAPTURED", disputes: ["won"], reviews: [] })
    await deliver(world, of("opened", 3, { evidence_due_by: "2030-01-01T00:00:00Z" }))
    expect(await seen()).toEqual({ status: "CHARGEBACK", disputes: ["needs_response"], reviews: [] })
    const [again] = await disputes()
    expect([again.id, again.amount, again.evidence_due_by, again.evidence_submitted_at]).toEqual([
      id,
      600,
      "2030-01-01T00:00:00.000Z",
      null
    ])
    expect(answerOf(await operate(world, "refund", paymentId))).toBe("409 not_refundable")
    expect(answerOf(await keep(id))).toBe("200")
    expect(answerOf(await submit(id, "second round"))).toBe("200")
    expect(world.provider.submissions).toHaveLength(2)
    await deliver(world, of("lost", 4))
    expect(await seen()).toEqual({ status: "CHARGEBACK", disputes: ["lost"], reviews: [] })
    await deliver(world, of("updated", 5, { status: "under_review" }))
    expect(await seen()).toEqual({ status: "CHARGEBACK", disputes: ["under_review"], reviews: [] })
    expect((await timeline()).filter((type) => /chargeback|dispute/u.test(type))).toEqual([
      ...["payment.chargeback", "dispute.opened", "dispute.submitted"],
      ...["payment.chargeback_reversed", "dispute.won"],
      ...["payment.chargeback", "dispute.opened", "dispute.submitted"],
      ...["dispute.lost", "dispute.opened"]
    ])
  })

  test("a new round without a deadline does not have that of the round before", async () => {
    const { disputes, of } = await given()
    await deliver(world, of("opened", 1, { evidence_due_by: "2026-12-01T00:00:00Z" }))
    await deliver(world, of("won", 3))
    await deliver(world, of("opened", 4))
    // A late message of the round before.
    await deliver(world, of("updated", 2, { status: "under_review", evidence_due_by: "2026-12-02T00:00:00Z" }))
    const [{ evidence_due_by, status }] = await disputes()
    expect([status, evidence_due_by]).toEqual(["needs_response", null])
  })

  test.each([
    ["before", 1, []],
    ["at the time of", 2, ["conflict"]]
  ])("an opening that is dated %s the end does not open again", async (_, minute, reviews) => {
    const { of, seen } = await given()
    await deliver(world, of("won", 2))
    await deliver(world, of("opened", minute))
    expect(await seen()).toEqual({ status: "CAPTURED", disputes: ["won"], reviews })
    // The same again is no other contradiction.
    await deliver(world, of("opened", minute))
    expect(await seen()).toEqual({ status: "CAPTURED", disputes: ["won"], reviews })
  })

  test("an opening that is dated at the time of the loss is older", async () => {
    const { of, seen } = await given()
    await deliver(world, of("lost", 2))
    await deliver(world, of("opened", 2))
    expect(await seen()).toEqual({ status: "CHARGEBACK", disputes: ["lost"], reviews: [] })
  })

  test.each([
    [[2, 4, 6], ["opened", "won", "opened"], "CHARGEBACK", "needs_response"],
    [[2, 4, 6], ["opened", "won", "lost"], "CHARGEBACK", "lost"],
    [[2, 4, 6], ["opened", "lost", "won"], "CAPTURED", "won"]
  ])("messages of the minutes %j that say %j have one result in any order of arrival", async (...row) => {
    const [minutes, types, status, last] = row
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
      [2, 0, 1]
    ]) {
      const { of, seen } = await given()
      for (const index of order) await deliver(world, of(types[index] ?? "", minutes[index] ?? 0))
      expect(await seen()).toEqual({ status, disputes: [last], reviews: [] })
    }
  })

  test("a loss of a part has the decided amount, and the claimed one in another round", async () => {
    const { disputes, of } = await given()
    const amounts: Array<number> = []
    for (const [type, minute, more] of [
      ["opened", 1, { amount: 900, currency: "EUR" }],
      ["lost", 2, { amount: 200, currency: "EUR" }],
      // A late message of the claim.
      ["opened", 1, { amount: 900, currency: "EUR" }],
      ["opened", 3, { amount: 700, currency: "EUR" }],
      // Nothing else was decided than what was claimed.
      ["won", 4, {}]
    ] as const) {
      await deliver(world, of(type, minute, more))
      amounts.push((await disputes())[0].amount)
    }
    expect(amounts).toEqual([900, 200, 200, 700, 700])
  })

  test("an update whose status is an end counts for the dispute and for the payment", async () => {
    for (const [status, wanted] of [
      ["won", "CAPTURED"],
      ["lost", "CHARGEBACK"],
      ["accepted", "CHARGEBACK"]
    ]) {
      const { of, seen } = await given()
      await deliver(world, of("opened", 1))
      await deliver(world, of("updated", 2, { status }))
      expect(await seen()).toEqual({ status: wanted, disputes: [status], reviews: [] })
      // Without a status, an update states none.
      await deliver(world, of("updated", 3, { reason: "not_received" }))
      expect(await seen()).toEqual({ status: wanted, disputes: [status], reviews: [] })
    }
  })

  test.each([
    ["lost", "won"],
    ["won", "lost"],
    ["won", "warning"],
    ["opened", "accepted"],
    ["lost", "needs_response"]
  ])("a message dispute.%s with the status %s changes nothing, and opens a review", async (type, status) => {
    const { of, disputes, outcomes, paymentId, seen, timeline } = await given()
    await deliver(world, of("opened", 1, { amount: 600, currency: "EUR" }))
    const [before] = await disputes()
    const id = `contradiction of ${paymentId}`
    await deliver(world, { ...of(type, 2, { status, amount: 500, currency: "EUR" }), id })
    expect(await seen()).toEqual({ status: "CHARGEBACK", disputes: ["needs_response"], reviews: ["conflict"] })
    expect(await disputes()).toEqual([before])
    expect((await timeline()).at(-1)).toBe("payment.conflict")
    expect(await outcomes([id])).toMatchObject([{ outcome: "contradicts", paymentId }])
  })

  test("an inquiry dated after an opening returns no money, and operations review it", async () => {
    const { of, seen } = await given()
    await deliver(world, of("opened", 1))
    await deliver(world, of("updated", 2, { status: "warning" }))
    expect(await seen()).toEqual({ status: "CHARGEBACK", disputes: ["needs_response"], reviews: ["conflict"] })
  })

  test("money moves with a won dispute between two inquiries, and not with these", async () => {
    const { of, paymentId, seen } = await given()
    await deliver(world, of("opened", 1, { status: "warning" }))
    expect(await seen()).toEqual({ status: "CAPTURED", disputes: ["warning"], reviews: [] })
    await deliver(world, of("updated", 2, { status: "needs_response" }))
    expect(await seen()).toEqual({ status: "CHARGEBACK", disputes: ["needs_response"], reviews: [] })
    await deliver(world, of("won", 3))
    await deliver(world, of("updated", 4, { status: "warning" }))
    expect(await seen()).toEqual({ status: "CAPTURED", disputes: ["warning"], reviews: [] })
    expect(answerOf(await operate(world, "refund", paymentId))).toBe("200")
  })

  test("a first message that contradicts itself opens a review and no dispute", async () => {
    const { of, seen } = await given()
    await deliver(world, of("lost", 2, { status: "won" }))
    expect(await seen()).toEqual({ status: "CAPTURED", disputes: [], reviews: ["conflict"] })
  })
})
