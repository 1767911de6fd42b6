/**
 * Every error that version 1 names for an endpoint, brought about over HTTP, and what is left of the payment
 * afterwards. The lists at the end are written apart from the code under test: a code without a case does not pass.
 */
import { Ledger, Unanswered } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { describe, expect, test } from "vitest"
import { alwaysComeFirst, beforeNextClaim, held, stepOf } from "./support/Faults.ts"
import {
  type Asked,
  answerOf,
  authorized,
  captured,
  create,
  expectOutcome,
  get,
  type OperationName,
  type Outcome,
  operate,
  refundOf,
  type Told,
  toldOfAuthorization,
  toldOfCapture
} from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import type { Reply } from "./support/Web.ts"
import { write } from "./support/Workspaces.ts"
import { acme, apiKeyOf, keys, type World } from "./support/World.ts"

type Endpoint = OperationName | "create" | "list" | "retrieve" | "timeline" | "events"

interface Case {
  readonly on: Endpoint
  readonly answer: string
  readonly given: string
  readonly run: (world: World) => Promise<{
    readonly reply: Reply
    /** Of the payment to look at afterwards. */
    readonly id?: string
    readonly outcome?: Outcome
    readonly told?: ReadonlyArray<Told>
  }>
}

const nobody = "019a8c3e-7b1d-7c64-8f5e-2f6d9f1f0a01"
const key = "the-key-of-this-case"
const silence = Effect.fail(new Unanswered({ reason: "timed out" }))
const refundPends = Effect.succeed({ _tag: "RefundPending" as const, providerRefundId: "re_1" })
const isCaptured = { status: "CAPTURED", captured_amount: 1000 } as const
const isHeld = { ...isCaptured, refund_pending_amount: 1000 } as const
const oversize = JSON.stringify({ pad: "x".repeat(16_384) })

/** The keys of one workspace are its payments' alone, but those of creates are not: each case has its own. */
let count = 0
const newKey = () => `key-of-case-${++count}`

const begin = (world: World, on: OperationName) => (on === "refund" ? captured(world) : authorized(world))
const untouched = (on: OperationName) =>
  on === "refund"
    ? { outcome: isCaptured, told: toldOfCapture }
    : { outcome: { status: "AUTHORIZED" }, told: toldOfAuthorization }

const row = (on: Endpoint, answer: string, given: string, run: Case["run"]): Case => ({ on, answer, given, run })

/** A request that is refused before anything happens. */
const refused = (on: OperationName, answer: string, given: string, asked: Asked): Case =>
  row(on, answer, given, async (world) => {
    const id = await begin(world, on)
    return { reply: await operate(world, on, id, asked), id, ...untouched(on) }
  })

const refusedRead = (on: Endpoint, answer: string, path: string, given = path): Case =>
  row(on, answer, given, async (world) => ({ reply: await get(world, path) }))

const unknownOf = (on: "capture" | "void") => ({
  outcome: { status: "UNKNOWN" },
  told: [...toldOfAuthorization, [`payment.${on}_unknown`]] satisfies ReadonlyArray<Told>
})
const refundUnknown = {
  outcome: isHeld,
  told: [...toldOfCapture, ["payment.refund_unknown", refundOf(1000, 0, 1000)]] satisfies ReadonlyArray<Told>
}

const revokeLeaving = (world: World, revokedAt: number | null) =>
  write(world, { apiKeys: [apiKeyOf(keys.leaving, "acme", { revokedAt })] })

const ofAll = (on: OperationName): ReadonlyArray<Case> => [
  row(on, "404 not_found", "an id that is nobody's", async (world) => ({ reply: await operate(world, on, nobody) })),
  row(on, "404 not_found", "a malformed id", async (world) => ({ reply: await operate(world, on, "not-an-id") })),
  row(on, "401 unauthorized", "a key that is revoked between the check and the claim", async (world) => {
    const id = await begin(world, on)
    beforeNextClaim(world, () => revokeLeaving(world, 1))
    const reply = await operate(world, on, id, { key: keys.leaving })
    await revokeLeaving(world, null)
    return { reply, id, ...untouched(on) }
  }),
  row(on, "500 internal_error", "a store that cannot be read", async (world) => {
    const id = await begin(world, on)
    world.ledger.canRead = () => false
    // The other server did not write the payment last, and so reads it.
    const reply = await operate(world, on, id, { server: 1 })
    world.reset()
    return { reply, id, ...untouched(on) }
  }),
  row(on, "500 internal_error", "a store that does not write the claim", async (world) => {
    const id = await begin(world, on)
    world.ledger.onCommit = () => "unwritten"
    return { reply: await operate(world, on, id, { idempotencyKey: key }), id, ...untouched(on) }
  }),
  refused(on, "413 payload_too_large", "a body of more than 16 KB", { body: oversize }),
  row(on, "500 state_unconfirmed", "a store that does not write what the provider confirmed", async (world) => {
    const id = await begin(world, on)
    world.ledger.onCommit = (_number, change) => (stepOf(change) === "settle" ? "unwritten" : undefined)
    const reply = await world.runOut(operate(world, on, id))
    expect(reply.body.error.message).toMatch(/confirmed/u)
    return on === "refund"
      ? { reply, id, outcome: isHeld, told: toldOfCapture }
      : { reply, id, outcome: { status: "PENDING" }, told: toldOfAuthorization }
  })
]

const ofAuthorizations = (on: "capture" | "void"): ReadonlyArray<Case> => [
  ...ofAll(on),
  refused(on, "400 invalid_idempotency_key", "a key of 7 characters", { idempotencyKey: "1234567" }),
  row(on, `409 not_${on === "capture" ? "captur" : "void"}able`, "a captured payment", async (world) => {
    const id = await captured(world)
    return { reply: await operate(world, on, id), id, outcome: isCaptured, told: toldOfCapture }
  }),
  row(on, `409 ${on}_conflict`, "another server's void between the check and the claim", async (world) => {
    const id = await authorized(world)
    // The server that wrote the payment last decides on that, and reads it after a void: then it is not in conflict.
    beforeNextClaim(world, () => operate(world, "void", id))
    const reply = await operate(world, on, id, { server: 1 })
    return { reply, id, outcome: { status: "CANCELLED" }, told: [...toldOfAuthorization, ["payment.cancelled"]] }
  }),
  row(on, "409 no_provider_ref", "a payment without a reference at its provider", async (world) => {
    const id = await authorized(world)
    await world.run(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const payment = Option.getOrThrow(yield* ledger.payment(acme, id))
        yield* ledger.commit({
          tenant: acme,
          payment: {
            expected: payment.version,
            after: { ...payment, providerRef: null, version: payment.version + 1 }
          },
          attempts: [],
          events: []
        })
      })
    )
    return { reply: await operate(world, on, id), id, ...untouched(on) }
  }),
  row(on, "409 idempotency_in_progress", "its key, while the provider is being asked", async (world) => {
    const id = await authorized(world)
    const { asked, hold, release } = held()
    world.provider.onCapture = () => Effect.andThen(hold, silence)
    world.provider.onVoid = () => Effect.andThen(hold, silence)
    const first = operate(world, on, id, { idempotencyKey: key })
    await asked
    const reply = await operate(world, on, id, { idempotencyKey: key, server: 1 })
    await release()
    expect(answerOf(await first)).toBe(`502 ${on}_result_unknown`)
    return { reply, id, ...unknownOf(on) }
  }),
  row(on, "500 state_conflict", "a provider that states the opposite", async (world) => {
    const id = await authorized(world)
    world.provider.onCapture = () => Effect.succeed({ _tag: "Canceled", providerRef: "ch_1" })
    world.provider.onVoid = () => Effect.succeed({ _tag: "Captured", providerRef: "ch_1" })
    const reply = await operate(world, on, id)
    return on === "capture"
      ? { reply, id, outcome: { status: "CANCELLED" }, told: [...toldOfAuthorization, ["payment.cancelled"]] }
      : { reply, id, outcome: isCaptured, told: [...toldOfAuthorization, ["payment.captured"]] }
  }),
  row(on, "501 unsupported", "a payment at a provider that can charge alone", async (world) => {
    const id = await authorized(world, { currency: "USD" })
    return { reply: await operate(world, on, id), id, ...untouched(on) }
  }),
  row(on, "502 psp_error", "a provider that refuses", async (world) => {
    const id = await authorized(world)
    const rejects = Effect.succeed({ _tag: "Rejected" as const, code: "E1", message: "Not now." })
    world.provider.onCapture = () => rejects
    world.provider.onVoid = () => rejects
    const reply = await operate(world, on, id)
    expect(reply.body.error.message).toBe("Not now.")
    return { reply, id, ...untouched(on) }
  }),
  row(on, `502 ${on}_result_unknown`, "a provider that does not answer", async (world) => {
    const id = await authorized(world)
    world.provider.onCapture = () => silence
    world.provider.onVoid = () => silence
    return { reply: await operate(world, on, id), id, ...unknownOf(on) }
  })
]

const cases: ReadonlyArray<Case> = [
  ...ofAuthorizations("capture"),
  refused("capture", "422 validation_error", "a body that is no JSON", { body: "{" }),
  refused("capture", "422 invalid_amount", "nothing to capture", { body: { amount: 0 } }),
  refused("capture", "422 invalid_amount", "more than the authorization", { body: { amount: 1001 } }),
  row("capture", "422 idempotency_key_reuse", "its key with another amount", async (world) => {
    const id = await authorized(world)
    await operate(world, "capture", id, { idempotencyKey: key, body: { amount: 300 } })
    const reply = await operate(world, "capture", id, { idempotencyKey: key })
    const outcome = { status: "CAPTURED", captured_amount: 300 }
    return { reply, id, outcome, told: [...toldOfAuthorization, ["payment.captured"]] }
  }),
  ...ofAuthorizations("void"),
  ...ofAll("refund"),
  refused("refund", "422 validation_error", "a body that is no JSON", { body: "{" }),
  refused("refund", "422 validation_error", "a key of 7 characters", { idempotencyKey: "1234567" }),
  refused("refund", "422 validation_error", "a reason of 201 characters", { body: { reason: "x".repeat(201) } }),
  refused("refund", "422 invalid_amount", "nothing to refund", { body: { amount: 0 } }),
  row("refund", "422 invalid_amount", "a payment of which nothing is left", async (world) => {
    const id = await captured(world)
    await operate(world, "refund", id)
    const outcome = { status: "REFUNDED", captured_amount: 1000, refunded_amount: 1000 }
    return {
      reply: await operate(world, "refund", id),
      id,
      outcome,
      told: [...toldOfCapture, ["payment.refunded", refundOf(1000, 1000, 0)]]
    }
  }),
  row("refund", "422 idempotency_key_reuse", "its key with another amount", async (world) => {
    const id = await captured(world)
    await operate(world, "refund", id, { idempotencyKey: key, body: { amount: 300 } })
    const reply = await operate(world, "refund", id, { idempotencyKey: key, body: { amount: 301 } })
    const outcome = { status: "PARTIALLY_REFUNDED", captured_amount: 1000, refunded_amount: 300 }
    return { reply, id, outcome, told: [...toldOfCapture, ["payment.refunded", refundOf(300, 300, 0)]] }
  }),
  row("refund", "409 refund_pending", "a provider that is still at work", async (world) => {
    const id = await captured(world)
    world.provider.onRefund = () => refundPends
    return {
      reply: await operate(world, "refund", id),
      id,
      outcome: isHeld,
      told: [...toldOfCapture, ["payment.refund_pending", refundOf(1000, 0, 1000)]]
    }
  }),
  row("refund", "409 refund_pending", "another refund that holds all of the balance", async (world) => {
    const id = await captured(world)
    world.provider.onRefund = () => silence
    await operate(world, "refund", id)
    const reply = await operate(world, "refund", id, { body: { amount: 1 } })
    return { reply, id, ...refundUnknown }
  }),
  row("refund", "409 refund_pending", "its key, while the provider is being asked", async (world) => {
    const id = await captured(world)
    const { asked, hold, release } = held()
    world.provider.onRefund = () => Effect.andThen(hold, silence)
    const first = operate(world, "refund", id, { idempotencyKey: key })
    await asked
    const reply = await operate(world, "refund", id, { idempotencyKey: key, server: 1 })
    await release()
    expect(answerOf(await first)).toBe("502 refund_result_unknown")
    return { reply, id, ...refundUnknown }
  }),
  row("refund", "409 not_refundable", "a payment that was not captured", async (world) => {
    const id = await authorized(world)
    return { reply: await operate(world, "refund", id), id, ...untouched("capture") }
  }),
  row("refund", "409 not_refundable", "a payment at a provider that can charge alone", async (world) => {
    const id = await captured(world, { currency: "USD" })
    return { reply: await operate(world, "refund", id), id, ...untouched("refund") }
  }),
  row("refund", "409 refund_conflict", "other writers that always come first", async (world) => {
    const id = await captured(world)
    alwaysComeFirst(world, id)
    return { reply: await operate(world, "refund", id), id, ...untouched("refund") }
  }),
  row("refund", "502 psp_error", "a provider that refuses", async (world) => {
    const id = await captured(world)
    world.provider.onRefund = () => Effect.succeed({ _tag: "Rejected", code: "E1", message: "Not now." })
    const reply = await operate(world, "refund", id)
    expect(reply.body.error.message).toBe("Not now.")
    return { reply, id, ...untouched("refund") }
  }),
  row("refund", "502 refund_result_unknown", "a provider that does not answer", async (world) => {
    const id = await captured(world)
    world.provider.onRefund = () => silence
    const reply = await operate(world, "refund", id)
    return { reply, id, ...refundUnknown }
  }),
  row("create", "400 idempotency_key_required", "a live key and no Idempotency-Key", async (world) => ({
    reply: await create(world, {}, { key: keys.acmeLive })
  })),
  row("create", "400 invalid_idempotency_key", "a key of 7 characters", async (world) => ({
    reply: await create(world, {}, { idempotencyKey: "1234567" })
  })),
  row("create", "400 invalid_json", "a body that is no JSON", async (world) => ({
    reply: await world.send("/api/v1/payments", { key: keys.acme, body: "{" })
  })),
  row("create", "413 payload_too_large", "a body of more than 16 KB", async (world) => ({
    reply: await world.send("/api/v1/payments", { key: keys.acme, body: oversize })
  })),
  row("create", "422 validation_error", "an amount of 49", async (world) => ({
    reply: await create(world, { amount: 49 })
  })),
  row("create", "422 idempotency_key_reuse", "its key with another body", async (world) => {
    const idempotencyKey = newKey()
    const first = await create(world, { reference: "order-1" }, { idempotencyKey })
    const reply = await create(world, { reference: "order-2" }, { idempotencyKey })
    return { reply, id: first.body.data.id, outcome: isCaptured, told: toldOfCapture }
  }),
  row("create", "409 idempotency_in_progress", "its key, while the provider is being asked", async (world) => {
    const idempotencyKey = newKey()
    const { asked, hold, release } = held()
    world.provider.onCharge = () => Effect.andThen(hold, silence)
    const first = create(world, {}, { idempotencyKey })
    await asked
    const reply = await create(world, {}, { idempotencyKey, server: 1 })
    await release()
    expect((await first).body.data.status).toBe("UNKNOWN")
    return { reply }
  }),
  row("create", "409 routing_failed", "a currency that no connection takes", async (world) => ({
    reply: await create(world, { currency: "JPY" })
  })),
  row("create", "401 unauthorized", "a key that is revoked between the check and the claim", async (world) => {
    beforeNextClaim(world, () => revokeLeaving(world, 1))
    const reply = await create(world, {}, { key: keys.leaving })
    await revokeLeaving(world, null)
    return { reply }
  }),
  row("create", "500 internal_error", "a store that does not write the claim", async (world) => {
    world.ledger.onCommit = () => "unwritten"
    return { reply: await create(world, {}, { idempotencyKey: newKey() }) }
  }),
  row(
    "create",
    "500 payment_result_unknown",
    "a store that does not write what the provider confirmed",
    async (world) => {
      world.ledger.onCommit = (_number, change) => (stepOf(change) === "settle" ? "unwritten" : undefined)
      const reply = await world.runOut(create(world, { reference: "order-1" }))
      const id = world.provider.charges[0]?.paymentId as string
      return { reply, id, outcome: { status: "PENDING" }, told: toldOfCapture.slice(0, 1) }
    }
  ),
  refusedRead("list", "422 validation_error", "/payments?status=PAID", "status=PAID"),
  refusedRead("events", "422 validation_error", "/events?limit=0", "limit=0"),
  refusedRead("retrieve", "404 not_found", `/payments/${nobody}`),
  refusedRead("timeline", "404 not_found", `/payments/${nobody}/events`)
]

describe.each(stores)("over %s", (_name, store) => {
  const world = usedWorld(store, { testClock: true, servers: 2 })

  for (const { answer, given, on, run } of cases) {
    test(`${given}: ${on} is ${answer}`, async () => {
      const { id, outcome, reply, told } = await run(world)
      expect(answerOf(reply)).toBe(answer)
      expect(reply.body.error.message).toMatch(/^\S.*\.$/u)
      expect(reply.headers.get("idempotent-replay")).toBeNull()
      expect(Object.keys(reply.body.error).sort()).toEqual(["code", "message", ...besides(answer, given)])
      world.reset()
      if (id !== undefined && outcome !== undefined && told !== undefined) {
        await expectOutcome(world, id, outcome, told)
      }
    })
  }
})

/** `names`: whether a field is wrong, and not the body as a whole. */
const besides = (answer: string, given: string): ReadonlyArray<string> => {
  const isAboutOne = /validation_error|invalid_amount|idempotency_key_required|invalid_idempotency_key/u.test(answer)
  return isAboutOne && given !== "a body that is no JSON" ? ["param"] : []
}

test("each endpoint has a case for each of its errors of version 1", () => {
  const specified: Record<Endpoint, string> = {
    create:
      "400 idempotency_key_required, 400 invalid_idempotency_key, 400 invalid_json, 409 idempotency_in_progress, " +
      "409 routing_failed, 413 payload_too_large, 422 validation_error, 422 idempotency_key_reuse, " +
      "500 internal_error, 500 payment_result_unknown",
    list: "422 validation_error",
    retrieve: "404 not_found",
    capture:
      "400 invalid_idempotency_key, 404 not_found, 409 not_capturable, 409 capture_conflict, 409 no_provider_ref, " +
      "409 idempotency_in_progress, 422 validation_error, 422 invalid_amount, 422 idempotency_key_reuse, " +
      "500 state_unconfirmed, 500 state_conflict, 501 unsupported, 502 psp_error, 502 capture_result_unknown",
    void:
      "400 invalid_idempotency_key, 404 not_found, 409 not_voidable, 409 void_conflict, 409 no_provider_ref, " +
      "409 idempotency_in_progress, 500 state_unconfirmed, 500 state_conflict, 501 unsupported, 502 psp_error, " +
      "502 void_result_unknown",
    refund:
      "404 not_found, 409 refund_pending, 409 not_refundable, 409 refund_conflict, 422 validation_error, " +
      "422 invalid_amount, 422 idempotency_key_reuse, 500 state_unconfirmed, 502 psp_error, 502 refund_result_unknown",
    timeline: "404 not_found",
    events: "422 validation_error"
  }
  for (const [endpoint, answers] of Object.entries(specified)) {
    const covered = new Set(cases.filter(({ on }) => on === endpoint).map(({ answer }) => answer))
    expect([endpoint, answers.split(", ").filter((answer) => !covered.has(answer))]).toEqual([endpoint, []])
  }
})
