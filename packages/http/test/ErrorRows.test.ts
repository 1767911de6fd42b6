/**
 * Every error that version 1 names for an endpoint, brought about over HTTP, and what is left of the payment
 * afterwards. The lists at the end are written apart from the code under test: a code without a case does not pass.
 */
import { Unanswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { alwaysComeFirst, beforeNextClaim, held as heldCall, overwrite, stepOf } from "./support/Faults.ts"
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
import { apiKeyOf, keys, type World } from "./support/World.ts"

type Endpoint = OperationName | "create" | "list" | "retrieve" | "timeline" | "events"

/** The payment afterwards, and its timeline. */
interface After {
  readonly outcome: Outcome
  readonly told: ReadonlyArray<Told>
}

interface Case {
  readonly on: Endpoint
  readonly answer: string
  readonly given: string
  /** With the id and the end of a payment to look at afterwards. */
  readonly run: (world: World) => Promise<Partial<After> & { readonly reply: Reply; readonly id?: string }>
}

const nobody = "019a8c3e-7b1d-7c64-8f5e-2f6d9f1f0a01"
const key = "the-key-of-this-case"
const silence = Effect.fail(new Unanswered({ reason: "timed out" }))
const isCaptured = { status: "CAPTURED", captured_amount: 1000 } as const
const isHeld = { ...isCaptured, refund_pending_amount: 1000 } as const
const oversize = JSON.stringify({ pad: "x".repeat(16_384) })

/** The keys of one workspace are its payments' alone, but those of creates are not: each case has its own. */
let count = 0
const newKey = () => `key-of-case-${++count}`

const taken: After = { outcome: isCaptured, told: toldOfCapture }
const held: After = { outcome: { status: "AUTHORIZED" }, told: toldOfAuthorization }
const ended = (status: string, ...told: ReadonlyArray<Told>): After => ({
  outcome: status === "CAPTURED" ? isCaptured : { status },
  told: [...toldOfAuthorization, ...told]
})
const cancelled = ended("CANCELLED", ["payment.cancelled"])
const unknown = (on: OperationName): After =>
  on === "refund"
    ? { outcome: isHeld, told: [...toldOfCapture, ["payment.refund_unknown", refundOf(1000, 0, 1000)]] }
    : ended("UNKNOWN", [`payment.${on}_unknown`])
const refunded = (amount: number, status: string): After => ({
  outcome: { ...isCaptured, status, refunded_amount: amount },
  told: [...toldOfCapture, ["payment.refunded", refundOf(amount, amount, 0)]]
})

const row = (on: Endpoint, answer: string, given: string, run: Case["run"]): Case => ({ on, answer, given, run })

/** What exists before an operation is requested: unless set, a payment that allows the operation. */
interface Given {
  readonly payment?: (world: World) => Promise<string>
  readonly prepare?: (world: World, id: string) => unknown
  /** How the provider ends every call. */
  readonly call?: Effect.Effect<unknown, Unanswered>
  readonly asked?: Asked
  /** The payment as it was unless set. */
  readonly after?: After
  readonly message?: RegExp
}

const operation = (on: OperationName, answer: string, title: string, given: Given): Case =>
  row(on, answer, title, async (world) => {
    const { asked, call, message, payment = on === "refund" ? captured : authorized, prepare } = given
    const id = await payment(world)
    if (call !== undefined)
      Object.assign(world.provider, { onCapture: () => call, onVoid: () => call, onRefund: () => call })
    await prepare?.(world, id)
    const reply = await world.runOut(operate(world, on, id, asked))
    if (message !== undefined) expect(reply.body.error.message).toMatch(message)
    return { reply, id, ...(given.after ?? (on === "refund" ? taken : held)) }
  })

const refusedRead = (on: Endpoint, answer: string, path: string, given = path): Case =>
  row(on, answer, given, async (world) => ({ reply: await get(world, path) }))

const revokeLeaving = (world: World, revokedAt: number | null) =>
  write(world, { apiKeys: [apiKeyOf(keys.leaving, "acme", { revokedAt })] })

/** Asked twice under one key, and the second time while the provider is being asked. */
const inFlight = (on: OperationName, answer: string): Case =>
  row(on, answer, "its key, while the provider is being asked", async (world) => {
    const id = await (on === "refund" ? captured : authorized)(world)
    const { asked, hold, release } = heldCall()
    const call = () => Effect.andThen(hold, silence)
    Object.assign(world.provider, { onCapture: call, onVoid: call, onRefund: call })
    const first = operate(world, on, id, { idempotencyKey: key })
    await asked
    const reply = await operate(world, on, id, { idempotencyKey: key, server: 1 })
    await release()
    expect(answerOf(await first)).toBe(`502 ${on}_result_unknown`)
    return { reply, id, ...unknown(on) }
  })

const failsToSettle = (world: World) => {
  world.ledger.onCommit = (_number, change) => (stepOf(change) === "settle" ? "unwritten" : undefined)
}

const ofAll = (on: OperationName): ReadonlyArray<Case> => [
  row(on, "404 not_found", "an id that is nobody's", async (world) => ({ reply: await operate(world, on, nobody) })),
  row(on, "404 not_found", "a malformed id", async (world) => ({ reply: await operate(world, on, "not-an-id") })),
  operation(on, "401 unauthorized", "a key that is revoked between the check and the claim", {
    prepare: (world) => beforeNextClaim(world, () => revokeLeaving(world, 1)),
    asked: { key: keys.leaving }
  }),
  operation(on, "500 internal_error", "a store that cannot be read", {
    prepare: ({ ledger }) => {
      ledger.canRead = () => false
    },
    // The other server did not write the payment last, and so reads it.
    asked: { server: 1 }
  }),
  operation(on, "500 internal_error", "a store that does not write the claim", {
    prepare: ({ ledger }) => {
      ledger.onCommit = () => "unwritten"
    },
    asked: { idempotencyKey: key }
  }),
  operation(on, "413 payload_too_large", "a body of more than 16 KB", { asked: { body: oversize } }),
  operation(on, "500 state_unconfirmed", "a store that does not write what the provider confirmed", {
    prepare: failsToSettle,
    after: on === "refund" ? { outcome: isHeld, told: toldOfCapture } : ended("PENDING"),
    message: /confirmed/u
  }),
  operation(on, "502 psp_error", "a provider that refuses", {
    call: Effect.succeed({ _tag: "Rejected", code: "E1", message: "Not now." }),
    message: /^Not now\.$/u
  }),
  operation(on, `502 ${on}_result_unknown`, "a provider that does not answer", { call: silence, after: unknown(on) })
]

const ofAuthorizations = (on: "capture" | "void"): ReadonlyArray<Case> => [
  ...ofAll(on),
  operation(on, "400 invalid_idempotency_key", "a key of 7 characters", { asked: { idempotencyKey: "1234567" } }),
  operation(on, `409 not_${on === "capture" ? "captur" : "void"}able`, "a captured payment", {
    payment: captured,
    after: taken
  }),
  operation(on, `409 ${on}_conflict`, "another server's void between the check and the claim", {
    // The server that wrote the payment last decides on that, and reads it after a void: then it is not in conflict.
    prepare: (world, id) => beforeNextClaim(world, () => operate(world, "void", id)),
    asked: { server: 1 },
    after: cancelled
  }),
  operation(on, "409 no_provider_ref", "a payment without a reference at its provider", {
    prepare: (world, id) => overwrite(world, id, { providerRef: null })
  }),
  inFlight(on, "409 idempotency_in_progress"),
  operation(on, "500 state_conflict", "a provider that states the opposite", {
    call: Effect.succeed({ _tag: on === "capture" ? "Canceled" : "Captured", providerRef: "ch_1" }),
    after: on === "capture" ? cancelled : ended("CAPTURED", ["payment.captured"])
  }),
  operation(on, "501 unsupported", "a payment at a provider that can charge alone", {
    payment: (world) => authorized(world, { currency: "USD" })
  })
]

/** Asked for a part before, under the same key. */
const usedKey = (on: "capture" | "refund") => (world: World, id: string) =>
  operate(world, on, id, { idempotencyKey: key, body: { amount: 300 } })

const cases: ReadonlyArray<Case> = [
  ...ofAuthorizations("capture"),
  operation("capture", "422 validation_error", "a body that is no JSON", { asked: { body: "{" } }),
  operation("capture", "422 invalid_amount", "nothing to capture", { asked: { body: { amount: 0 } } }),
  operation("capture", "422 invalid_amount", "more than the authorization", { asked: { body: { amount: 1001 } } }),
  operation("capture", "422 idempotency_key_reuse", "its key with another amount", {
    prepare: usedKey("capture"),
    asked: { idempotencyKey: key },
    after: {
      outcome: { status: "CAPTURED", captured_amount: 300 },
      told: [...toldOfAuthorization, ["payment.captured"]]
    }
  }),
  ...ofAuthorizations("void"),
  ...ofAll("refund"),
  operation("refund", "422 validation_error", "a body that is no JSON", { asked: { body: "{" } }),
  operation("refund", "422 validation_error", "a key of 7 characters", { asked: { idempotencyKey: "1234567" } }),
  operation("refund", "422 validation_error", "a reason of 201 characters", {
    asked: { body: { reason: "x".repeat(201) } }
  }),
  operation("refund", "422 invalid_amount", "nothing to refund", { asked: { body: { amount: 0 } } }),
  operation("refund", "422 invalid_amount", "a payment of which nothing is left", {
    prepare: (world, id) => operate(world, "refund", id),
    after: refunded(1000, "REFUNDED")
  }),
  operation("refund", "422 idempotency_key_reuse", "its key with another amount", {
    prepare: usedKey("refund"),
    asked: { idempotencyKey: key, body: { amount: 301 } },
    after: refunded(300, "PARTIALLY_REFUNDED")
  }),
  operation("refund", "409 refund_pending", "a provider that is still at work", {
    call: Effect.succeed({ _tag: "RefundPending", providerRefundId: "re_1" }),
    after: { outcome: isHeld, told: [...toldOfCapture, ["payment.refund_pending", refundOf(1000, 0, 1000)]] }
  }),
  operation("refund", "409 refund_pending", "another refund that holds all of the balance", {
    call: silence,
    prepare: (world, id) => operate(world, "refund", id),
    asked: { body: { amount: 1 } },
    after: unknown("refund")
  }),
  inFlight("refund", "409 refund_pending"),
  operation("refund", "409 not_refundable", "a payment that was not captured", { payment: authorized, after: held }),
  operation("refund", "409 not_refundable", "a payment at a provider that can charge alone", {
    payment: (world) => captured(world, { currency: "USD" })
  }),
  operation("refund", "409 refund_conflict", "other writers that always come first", { prepare: alwaysComeFirst }),
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
    return { reply, id: first.body.data.id, ...taken }
  }),
  row("create", "409 idempotency_in_progress", "its key, while the provider is being asked", async (world) => {
    const idempotencyKey = newKey()
    const { asked, hold, release } = heldCall()
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
    return { reply: await create(world, {}, { key: keys.leaving }) }
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
      failsToSettle(world)
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
      await revokeLeaving(world, null)
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
