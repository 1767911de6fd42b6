/**
 * `POST /psp-webhooks/{pspId}`: who is believed, and what is recorded. What each message means in each state is in
 * `Evidence.test.ts`.
 */
import { Ledger, Unanswered } from "@pointsman/core/ports"
import { Deferred, Effect, Option } from "effect"
import { describe, expect, test } from "vitest"
import { charge, deliver, dispute, nowSeconds, refund, tagOf, textOf } from "./support/Messages.ts"
import {
  answerOf,
  authorized,
  captured,
  create,
  endingAs,
  expectSound,
  operate,
  retrieve,
  timeline
} from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import type { Reply } from "./support/Web.ts"
import { acme, type World, webhookSecretOf } from "./support/World.ts"

const providerRef = "ch_1"
const silence = Effect.fail(new Unanswered({ reason: "timed out" }))

/** The state of a payment, and the attempt that a message about it names. */
interface Standing {
  readonly id: string
  readonly attemptId: string
}

type Way = (world: World) => Promise<string>

const charged =
  (end: ReturnType<World["provider"]["onCharge"]>): Way =>
  async (world) => {
    world.provider.onCharge = endingAs(end)
    return (await create(world)).body.data.id
  }

/** The provider is being asked, and does not answer before the end. */
const held = (world: World) => {
  const asked = Deferred.makeUnsafe<void>()
  const answered = Deferred.makeUnsafe<void>()
  const call = Deferred.succeed(asked, undefined).pipe(
    Effect.andThen(Deferred.await(answered)),
    Effect.andThen(silence)
  )
  Object.assign(world.provider, {
    onCharge: () => call,
    onCapture: () => call,
    onVoid: () => call,
    onRefund: () => call
  })
  return {
    asked: Effect.runPromise(Deferred.await(asked)),
    answer: () => Effect.runPromise(Deferred.succeed(answered, undefined))
  }
}

const partlyRefunded: Way = async (world) => {
  const id = await captured(world)
  await operate(world, "refund", id, { body: { amount: 400 } })
  return id
}

describe.each(stores)("over %s", (_name, store) => {
  const world = usedWorld(store)

  const go = async (way: Way): Promise<Standing> => {
    const id = await way(world)
    const attemptId = world.provider.charges.findLast(({ paymentId }) => paymentId === id)?.attemptId ?? ""
    return { id, attemptId }
  }
  const stateOf = (id: string) =>
    world.run(
      Effect.gen(function* () {
        return Option.getOrThrow(yield* (yield* Ledger).payment(acme, id)).state
      })
    )
  const storedMessage = (eventId: string, connectionId = "main") =>
    world.run(Effect.flatMap(Ledger, (ledger) => ledger.message(acme, connectionId, eventId)))
  const typesOf = async (id: string) => (await timeline(world, id)).map(({ type }) => type)

  describe("a refund", () => {
    test("a request in flight returns the success that is reported first", async () => {
      const id = await captured(world)
      const call = held(world)
      const reply = operate(world, "refund", id, { body: { amount: 400 }, idempotencyKey: "refund-in-flight" })
      await call.asked
      await deliver(world, refund(world.provider.refunds.at(-1)?.refundId ?? "", "succeeded"))
      await call.answer()
      expect([answerOf(await reply), (await reply).body.data.refunded_amount]).toEqual(["200", 400])
      expect((await typesOf(id)).filter((type) => type === "payment.refunded")).toHaveLength(1)
      await expectSound(world, id)
    })
  })

  describe("the direct answer and a message", () => {
    test("a message before the answer of a charge leaves the answer and its replay", async () => {
      const call = held(world)
      const idempotencyKey = "message-before-answer"
      const reply = create(world, {}, { idempotencyKey })
      await call.asked
      const { attemptId = "", paymentId: id = "" } = world.provider.charges.at(-1) ?? {}
      await deliver(world, charge(attemptId, "captured"))
      await call.answer()
      const body = (await reply).body.data
      expect([answerOf(await reply), body.status, body.captured_amount]).toEqual(["201", "CAPTURED", 1000])
      const again = await create(world, {}, { idempotencyKey })
      expect([again.headers.get("idempotent-replay"), again.body.data]).toEqual(["true", body])
      expect(await typesOf(id)).toEqual(["payment.created", "payment.captured"])
      await expectSound(world, id)
    })

    test("the next connection is still asked if a message has the soft decline first", async () => {
      world.provider.onCharge = () =>
        Effect.gen(function* () {
          const { attemptId = "" } = world.provider.charges.at(-1) ?? {}
          const decline = { code: "05", category: "do_not_honor" }
          yield* Effect.promise(() => deliver(world, charge(attemptId, "declined", { decline })))
          return { _tag: "Declined" as const, providerRef, category: "do_not_honor" as const, code: "05", soft: true }
        })
      const reply = await create(world)
      expect([reply.body.data.status, reply.body.data.decline_reason]).toEqual(["DECLINED", "05"])
      expect(await typesOf(reply.body.data.id)).toEqual(["payment.created", "payment.declined"])
    })

    test.each(["capture", "void"] as const)("a %s in flight returns what is reported first", async (name) => {
      const id = await authorized(world)
      const { attemptId = "" } = world.provider.charges.at(-1) ?? {}
      const call = held(world)
      const reply = operate(world, name, id, { idempotencyKey: `${name}-told-first` })
      await call.asked
      await deliver(world, charge(attemptId, name === "capture" ? "captured" : "canceled"))
      await call.answer()
      const wanted = name === "capture" ? "CAPTURED" : "CANCELLED"
      expect([answerOf(await reply), (await reply).body.data.status]).toEqual(["200", wanted])
      expect((await retrieve(world, id))["status"]).toBe(wanted)
      expect(await typesOf(id)).toHaveLength(3)
      await expectSound(world, id)
    })

    test("a message and an answer at once write one event, forty times, both answered well", async () => {
      for (let time = 0; time < 40; time++) {
        const told: Array<Promise<Reply>> = []
        world.provider.onCharge = ({ attemptId }) =>
          Effect.suspend(() => {
            told.push(deliver(world, charge(attemptId, "captured")))
            const approves = Effect.succeed({ _tag: "Captured" as const, providerRef: `ref_${attemptId}` })
            return time % 2 === 0 ? approves : Effect.andThen(Effect.yieldNow, approves)
          })
        const reply = await create(world)
        expect([reply.status, reply.body.data.status]).toEqual([201, "CAPTURED"])
        expect((await Promise.all(told)).map(answerOf)).toEqual(["200"])
        expect(await typesOf(reply.body.data.id)).toEqual(["payment.created", "payment.captured"])
        await expectSound(world, reply.body.data.id)
      }
    })
  })

  describe("settlement and disputes", () => {
    test("the other of two disputes remains open when one is won, until it is won too", async () => {
      const { attemptId, id } = await go(partlyRefunded)
      for (const dispute_id of ["dp_1", "dp_2"]) await deliver(world, dispute(attemptId, "opened", { dispute_id }))
      await deliver(world, dispute(attemptId, "won", { dispute_id: "dp_1" }))
      expect(await stateOf(id)).toBe("ChargedBack")
      await deliver(world, dispute(attemptId, "won", { dispute_id: "dp_2" }))
      expect(await stateOf(id)).toBe("PartiallyRefunded")
      expect((await typesOf(id)).slice(-6)).toEqual([
        ...["payment.chargeback", "dispute.opened", "dispute.opened"],
        ...["dispute.won", "payment.chargeback_reversed", "dispute.won"]
      ])
    })

    test("a dispute opened and won at once, thirty times, is never charged back", async () => {
      for (let time = 0; time < 30; time++) {
        const { attemptId, id } = await go(captured)
        const words = time % 2 === 0 ? (["opened", "won"] as const) : (["won", "opened"] as const)
        await Promise.all(words.map((word) => deliver(world, dispute(attemptId, word, { dispute_id: "dp_1" }))))
        expect(await stateOf(id)).toBe("Captured")
      }
    })
  })

  describe("who is believed", () => {
    const refused = async (...replies: ReadonlyArray<Promise<Reply>>) => {
      for (const reply of await Promise.all(replies)) {
        expect([reply.status, reply.body]).toEqual([
          401,
          { error: { code: "unauthorized", message: "The message's signature is missing or invalid." } }
        ])
      }
    }

    test("whatever is not signed by the connection's secret is the same 401", async () => {
      const { attemptId, id } = await go(charged(silence))
      const message = textOf(charge(attemptId, "captured"))
      const now = nowSeconds()
      const tag = tagOf(message, now, webhookSecretOf("main"))
      const send = (how: Parameters<typeof deliver>[2]) => deliver(world, message, how)
      await refused(
        send({ signature: null }),
        send({ signature: "" }),
        send({ signature: `v1=${tag}` }),
        send({ signature: `t=${now}` }),
        send({ signature: `t=${now},v0=${tag}` }),
        send({ signature: `t=${now + 1},v1=${tag}` }),
        send({ secret: "whsec_of_somebody" }),
        send({ secret: "" }),
        send({ timestamp: now - 301 }),
        send({ timestamp: now + 310 }),
        send({ body: message.replace("captured", "capturee") }),
        send({ body: `${message} ` }),
        send({ connectionId: "globex", secret: webhookSecretOf("main") }),
        send({ connectionId: "bare" }),
        send({ connectionId: "nobody" }),
        send({ connectionId: "__proto__" }),
        send({ connectionId: "%00" })
      )
      expect(await stateOf(id)).toBe("ChargeUnknown")
      expect(Option.isNone(await storedMessage(JSON.parse(message).id))).toBe(true)
      // Anybody can cause refusals: one line for each connection that exists.
      const lines = world.servers.flatMap(({ log }) => log.filter((line) => line.includes("was refused")))
      const about = lines.map((line) => /to connection (\S+) was refused/u.exec(line)?.[1])
      expect(about.toSorted()).toEqual(["globex", "main"])
    })

    test("a signature of 299 seconds ago, or after another one, is accepted", async () => {
      const { attemptId } = await go(captured)
      const message = textOf(charge(attemptId, "captured"))
      const now = nowSeconds()
      expect(answerOf(await deliver(world, message, { timestamp: now - 295 }))).toBe("200")
      const tags = ["whsec_of_the_next", webhookSecretOf("main")].map((secret) => `v1=${tagOf(message, now, secret)}`)
      expect(answerOf(await deliver(world, message, { signature: [`t=${now}`, ...tags].join(",") }))).toBe("200")
    })

    test("the bytes of a body in other scripts are signed, and they are kept", async () => {
      const { attemptId } = await go(captured)
      const message = textOf({ ...charge(attemptId, "captured", { note: "Zürich 東京 🚃" }), id: "msg_東京" })
      expect(answerOf(await deliver(world, message))).toBe("200")
      const kept = Option.getOrThrow(await storedMessage("msg_東京"))
      // These servers seal by writing the context before the text.
      expect(kept).toMatchObject({ isSealed: true, body: `connection:main:message:msg_東京|${message}` })
    })

    test("a message on another connection's or tenant's object is accepted without effect", async () => {
      const { attemptId, id } = await go(charged(silence))
      const message = textOf(charge(attemptId, "captured"))
      expect(answerOf(await deliver(world, message, { connectionId: "globex" }))).toBe("200")
      expect(answerOf(await deliver(world, message, { connectionId: "live" }))).toBe("200")
      expect(await stateOf(id)).toBe("ChargeUnknown")
      // The id of a message is its connection's own.
      expect(answerOf(await deliver(world, message))).toBe("200")
      expect(await stateOf(id)).toBe("Captured")
    })

    test("a message on an unknown attempt is accepted, and kept as about nothing", async () => {
      const message = textOf({ ...charge("att_nobody", "captured"), id: "msg_of_nobody" })
      expect(answerOf(await deliver(world, message))).toBe("200")
      expect(Option.getOrThrow(await storedMessage("msg_of_nobody"))).toMatchObject({
        paymentId: null,
        outcome: "unmatched"
      })
    })

    test.each([
      ["no JSON", "{"],
      ["nothing", ""],
      ["no object", "[]"],
      ["no id", '{"type":"charge.updated","created":"2026-11-21T12:00:00Z","data":{}}'],
      ["an unknown type", textOf({ type: "charge.painted", data: {} })],
      ["no name of a charge", textOf({ type: "charge.updated", data: { status: "captured" } })]
    ])("%s under a good signature is accepted, logged and stored as unreadable", async (_what, body) => {
      const { id } = await go(captured)
      const before = await typesOf(id)
      const reply = await deliver(world, body)
      expect([reply.status, reply.body]).toEqual([200, { data: { accepted: true } }])
      expect(world.servers[0]?.log.at(-1)).toContain("cannot be read")
      expect(await typesOf(id)).toEqual(before)
      const list = Effect.flatMap(Ledger, (ledger) => ledger.messages({ outcome: "unreadable", limit: 1 }))
      const [stored] = await world.run(list)
      expect(stored).toMatchObject({ connectionId: "main", tenant: acme, paymentId: null, about: "unreadable" })
      expect(stored?.eventId).toMatch(/^sha256:/u)
      expect(stored?.reason).not.toBeNull()
      const kept = Option.getOrThrow(await storedMessage(stored?.eventId ?? ""))
      expect(kept.body).toBe(`connection:main:message:${stored?.eventId}|${body}`)
    })

    test.each([
      ["an unknown type", "charge.painted", {}],
      ["an unknown status", "charge.updated", { status: "painted" }],
      ["a decline without its reason", "charge.updated", { status: "declined", decline: null }],
      ["no reference", "charge.updated", { provider_reference: "" }]
    ])("%s of a charge that is named has the charge looked up", async (what, type, fields) => {
      const { attemptId, id } = await go(captured)
      const before = await typesOf(id)
      const eventId = `msg_${what.replaceAll(" ", "_")}`
      const message = { ...charge(attemptId, "captured", fields), id: eventId, type }
      const reply = await deliver(world, textOf(message))
      expect([reply.status, reply.body]).toEqual([200, { data: { accepted: true } }])
      expect(await typesOf(id)).toEqual(before)
      const stored = Option.getOrThrow(await storedMessage(eventId))
      expect(stored).toMatchObject({ paymentId: id, outcome: "waits", about: "charge" })
    })

    test("a body of 1 MiB is taken, and of a byte more is 413", async () => {
      const { attemptId } = await go(captured)
      const empty = textOf({ ...charge(attemptId, "captured", { note: "" }), id: "msg_of_1_mib" })
      const padded = (bytes: number) => empty.replace('"note":""', `"note":"${"x".repeat(bytes - empty.length)}"`)
      expect(answerOf(await deliver(world, padded(1_048_576)))).toBe("200")
      expect(answerOf(await deliver(world, padded(1_048_577)))).toBe("413 payload_too_large")
    })

    test("a store that fails is 500, and the same message works later", async () => {
      const { attemptId, id } = await go(charged(silence))
      const message = textOf(charge(attemptId, "captured"))
      world.ledger.onCommit = () => "unwritten"
      expect(answerOf(await deliver(world, message))).toBe("500 internal_error")
      expect(await stateOf(id)).toBe("ChargeUnknown")
      world.ledger.onCommit = () => undefined
      expect(answerOf(await deliver(world, message))).toBe("200")
      expect(await stateOf(id)).toBe("Captured")
    })
  })
})
