/**
 * `POST /psp-webhooks/{pspId}`: who is believed, and what is recorded. What each message means in each state is in
 * `Evidence.test.ts`.
 */
import { webhookSecretContext } from "@pointsman/core"
import { Ledger, Unanswered } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { describe, expect, test } from "vitest"
import { held } from "./support/Faults.ts"
import { charge, deliver, dispute, nowSeconds, refund, tagOf, textOf } from "./support/Messages.ts"
import { answerOf, authorized, captured, create, expectSound, operate, retrieve, timeline } from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import type { Reply } from "./support/Web.ts"
import { own } from "./support/Workspaces.ts"
import { acme, type World, webhookSecretOf } from "./support/World.ts"

const silence = Effect.fail(new Unanswered({ reason: "timed out" }))

describe.each(stores)("over %s", (_name, store) => {
  const world = usedWorld(store)

  /** A payment that is made so, and the attempt that a message about it names. */
  const go = async (way: (world: World) => Promise<string>) => {
    const id = await way(world)
    const attemptId = world.provider.charges.findLast(({ paymentId }) => paymentId === id)?.attemptId ?? ""
    return { id, attemptId }
  }
  const unanswered = async () => {
    world.provider.onCharge = () => silence
    return (await create(world)).body.data.id
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

  describe("the direct answer and a message", () => {
    test.each([
      ["create", "201", { status: "CAPTURED", captured_amount: 1000 }],
      ["capture", "200", { status: "CAPTURED", captured_amount: 1000 }],
      ["void", "200", { status: "CANCELLED" }],
      ["refund", "200", { refunded_amount: 400 }]
    ] as const)("a %s in flight returns what is reported first, and so does its replay", async (name, answer, data) => {
      const paymentId = name === "create" ? "" : await (name === "refund" ? captured : authorized)(world)
      const { asked, hold, release } = held()
      const call = () => Effect.andThen(hold, silence)
      Object.assign(world.provider, { onCharge: call, onCapture: call, onVoid: call, onRefund: call })
      const idempotencyKey = `${name}-told-first`
      const body = name === "refund" ? { amount: 400 } : undefined
      const ask = () =>
        name === "create"
          ? create(world, {}, { idempotencyKey })
          : operate(world, name, paymentId, { idempotencyKey, body })
      const reply = ask()
      await asked
      const { attemptId = "", paymentId: id = "" } = world.provider.charges.at(-1) ?? {}
      const told =
        name === "refund"
          ? refund(world.provider.refunds.at(-1)?.refundId ?? "", "succeeded")
          : charge(attemptId, name === "void" ? "canceled" : "captured")
      await deliver(world, told)
      await release()
      const first = await reply
      expect([answerOf(first), first.body.data]).toMatchObject([answer, data])
      const again = await ask()
      expect([again.headers.get("idempotent-replay"), again.body]).toEqual(["true", first.body])
      expect(await retrieve(world, id)).toMatchObject(data)
      expect(await typesOf(id)).toHaveLength(name === "create" ? 2 : 3)
      await expectSound(world, id)
    })

    test("the next connection is still asked if a message has the soft decline first", async () => {
      const { connect, idOf, key } = await own(world, [{ name: "second", priority: 2 }])
      const [first, second] = [idOf("first"), idOf("second")]
      // These servers seal by writing the context before the text.
      const sealedWebhookSecret = `${webhookSecretContext(first)}|${webhookSecretOf(first)}`
      await connect({ name: "first", sealedWebhookSecret })
      const { onCharge } = world.provider
      world.provider.onCharge = (asked) => {
        if (asked.connectionId !== first) return onCharge(asked)
        const decline = { code: "05", category: "do_not_honor" } as const
        const told = deliver(world, charge(asked.attemptId, "declined", { decline }), { connectionId: first })
        return Effect.as(
          Effect.promise(() => told),
          { _tag: "Declined", providerRef: `ref_${asked.attemptId}`, ...decline, soft: true } as const
        )
      }
      const { routing, status } = (await create(world, {}, { key })).body.data
      expect([status, routing.attempts]).toMatchObject([
        "CAPTURED",
        [
          { connection_id: first, outcome: "declined" },
          { connection_id: second, outcome: "captured" }
        ]
      ])
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
      const { attemptId, id } = await go(captured)
      await operate(world, "refund", id, { body: { amount: 400 } })
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
      const { attemptId, id } = await go(unanswered)
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
      const { attemptId, id } = await go(unanswered)
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
      const { attemptId, id } = await go(unanswered)
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
