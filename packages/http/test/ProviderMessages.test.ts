/** `POST /psp-webhooks/{pspId}`: who is believed, what is recorded, and what each message does in each state. */
import { Ledger, type MessageOutcome, NotSent, type PaymentState, paymentStates, Unanswered } from "@pointsman/core"
import { Deferred, Effect, Option } from "effect"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import {
  charge,
  deliver,
  dispute,
  type Message,
  nowSeconds,
  refund,
  settled,
  tagOf,
  textOf
} from "./support/Messages.ts"
import { answerOf, authorized, captured, create, expectSound, operate, retrieve, timeline } from "./support/Payments.ts"
import { anyStore, stores } from "./support/Stores.ts"
import type { Reply } from "./support/Web.ts"
import { acme, openWorld, type World, webhookSecretOf } from "./support/World.ts"

const providerRef = "ch_1"
const silence = Effect.fail(new Unanswered({ reason: "timed out" }))

/** The state of a payment, and the attempt that a message about it names. */
interface Standing {
  readonly id: string
  readonly attemptId: string
}

type Way = (world: World, atTheEnd: (work: () => Promise<unknown>) => void) => Promise<string>

const charged =
  (end: ReturnType<World["provider"]["onCharge"]>, fields: object = {}): Way =>
  async (world) => {
    world.provider.onCharge = () => end
    return (await create(world, fields)).body.data.id
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

const duringCharge =
  (fields: object): Way =>
  async (world, atTheEnd) => {
    const call = held(world)
    const reply = create(world, fields)
    await call.asked
    atTheEnd(async () => {
      await call.answer()
      expect((await reply).status).toBe(201)
    })
    return world.provider.charges.at(-1)?.paymentId ?? ""
  }

const during =
  (name: "capture" | "void"): Way =>
  async (world, atTheEnd) => {
    const id = await authorized(world)
    const call = held(world)
    const reply = operate(world, name, id)
    await call.asked
    atTheEnd(async () => {
      await call.answer()
      await reply
    })
    return id
  }

const after =
  (name: "capture" | "void" | "refund", body: object, prepare: (world: World) => void = () => {}): Way =>
  async (world) => {
    const id = name === "refund" ? await captured(world) : await authorized(world)
    prepare(world)
    await operate(world, name, id, { body })
    return id
  }

const pends = Effect.succeed({ _tag: "Pending" as const, providerRef })
const declines = Effect.succeed({
  _tag: "Declined" as const,
  providerRef,
  category: "expired_card" as const,
  code: "54",
  soft: false
})

const told =
  (...messages: ReadonlyArray<(attemptId: string) => Message>): Way =>
  async (world) => {
    const id = await captured(world)
    for (const message of messages) {
      expect(answerOf(await deliver(world, message(world.provider.charges.at(-1)?.attemptId ?? "")))).toBe("200")
    }
    return id
  }

/** Every state that has an attempt, but a checkout's: `ProviderMessages.test.ts` of core has that. */
const ways: Readonly<Record<string, readonly [PaymentState, Way]>> = {
  Charging: ["Charging", duringCharge({})],
  "Charging, manual": ["Charging", duringCharge({ capture_method: "manual" })],
  ChargePending: ["ChargePending", charged(pends)],
  "ChargePending, manual": ["ChargePending", charged(pends, { capture_method: "manual" })],
  ChargeUnknown: ["ChargeUnknown", charged(silence)],
  "ChargeUnknown, manual": ["ChargeUnknown", charged(silence, { capture_method: "manual" })],
  ChargeMismatched: [
    "ChargeMismatched",
    charged(Effect.succeed({ _tag: "Captured", providerRef, stated: { minorUnits: 5000, currency: "EUR" } }))
  ],
  Authorized: ["Authorized", authorized],
  Capturing: ["Capturing", during("capture")],
  CapturePending: [
    "CapturePending",
    after("capture", {}, (world) => {
      world.provider.onCapture = () => pends
    })
  ],
  CaptureUnknown: [
    "CaptureUnknown",
    after("capture", {}, (world) => {
      world.provider.onCapture = () => silence
    })
  ],
  Voiding: ["Voiding", during("void")],
  VoidPending: [
    "VoidPending",
    after("void", {}, (world) => {
      world.provider.onVoid = () => pends
    })
  ],
  VoidUnknown: [
    "VoidUnknown",
    after("void", {}, (world) => {
      world.provider.onVoid = () => silence
    })
  ],
  Captured: ["Captured", captured],
  PartiallyRefunded: ["PartiallyRefunded", after("refund", { amount: 400 })],
  Refunded: ["Refunded", after("refund", {})],
  Settled: ["Settled", told(settled)],
  ChargedBack: ["ChargedBack", told((attemptId) => dispute(attemptId, "opened"))],
  "ChargedBack, settled": ["ChargedBack", told(settled, (attemptId) => dispute(attemptId, "opened"))],
  Declined: ["Declined", charged(declines)],
  Failed: ["Failed", charged(Effect.fail(new NotSent({ reason: "refused" })))],
  Cancelled: ["Cancelled", charged(Effect.succeed({ _tag: "Canceled", providerRef }))],
  Voided: ["Voided", after("void", {})]
}

const messages: Readonly<Record<string, (attemptId: string) => Message>> = {
  authorized: (attemptId) => charge(attemptId, "authorized"),
  captured: (attemptId) => charge(attemptId, "captured"),
  pending: (attemptId) => charge(attemptId, "pending"),
  declined: (attemptId) => charge(attemptId, "declined"),
  canceled: (attemptId) => charge(attemptId, "canceled"),
  "requires authentication": (attemptId) => charge(attemptId, "requires_authentication"),
  "captured, more than was asked": (attemptId) => charge(attemptId, "captured", { captured_amount: 5000 }),
  settled,
  "dispute opened": (attemptId) => dispute(attemptId, "opened"),
  "dispute won": (attemptId) => dispute(attemptId, "won"),
  "dispute lost": (attemptId) => dispute(attemptId, "lost")
}

/** A first word about the charge ends it, whatever it is. */
const firstWord = {
  captured: "Captured",
  declined: "Declined",
  canceled: "Cancelled",
  "requires authentication": "Declined",
  "captured, more than was asked": "ChargeMismatched"
} as const
const chargedBack = { "dispute opened": "ChargedBack", "dispute lost": "ChargedBack" } as const
const conflict = {
  authorized: "Authorized",
  captured: "Captured",
  "captured, more than was asked": "ChargeMismatched"
} as const
const capturing = { captured: "Captured", "captured, more than was asked": "CaptureUnknown" } as const
const voiding = { captured: "Captured", canceled: "Voided", "captured, more than was asked": "VoidUnknown" } as const

/** What each message makes of each state; one that is not named changes nothing. */
const becomes: Readonly<Record<string, Readonly<Record<string, PaymentState>>>> = {
  Charging: { ...firstWord, authorized: "ChargePending", pending: "ChargePending" },
  "Charging, manual": { ...firstWord, authorized: "Authorized", pending: "ChargePending" },
  ChargePending: firstWord,
  "ChargePending, manual": { ...firstWord, authorized: "Authorized" },
  ChargeUnknown: { ...firstWord, authorized: "ChargePending", pending: "ChargePending" },
  "ChargeUnknown, manual": { ...firstWord, authorized: "Authorized", pending: "ChargePending" },
  ChargeMismatched: { canceled: "Cancelled" },
  Authorized: { captured: "Captured", canceled: "Voided" },
  Capturing: capturing,
  CapturePending: capturing,
  CaptureUnknown: capturing,
  Voiding: voiding,
  VoidPending: voiding,
  VoidUnknown: voiding,
  Captured: { settled: "Settled", ...chargedBack },
  PartiallyRefunded: chargedBack,
  Refunded: chargedBack,
  Settled: chargedBack,
  ChargedBack: { "dispute won": "Captured" },
  "ChargedBack, settled": { "dispute won": "Settled" },
  Declined: conflict,
  Failed: conflict,
  // The provider cancelled it later than it wrote these.
  Cancelled: { captured: "Captured", "captured, more than was asked": "ChargeMismatched" },
  Voided: { captured: "Captured" }
}

/** Where the state stays and the timeline records more all the same. */
const eventAlone: Readonly<Record<string, ReadonlyArray<string>>> = {
  CaptureUnknown: ["captured, more than was asked"],
  VoidUnknown: ["captured, more than was asked"],
  PartiallyRefunded: ["settled"],
  Refunded: ["settled"],
  ChargedBack: ["settled"],
  Captured: ["captured, more than was asked"],
  Settled: ["captured, more than was asked"]
}
for (const state of ["PartiallyRefunded", "Refunded", "ChargedBack", "ChargedBack, settled"]) {
  Object.assign(eventAlone, { [state]: [...(eventAlone[state] ?? []), "captured, more than was asked"] })
}

const disputes = ["dispute opened", "dispute won", "dispute lost"]
const ended = ["declined", "canceled", "requires authentication"]

/** What the record cannot take: operations review it, and the payment stays. */
const contradicted: Readonly<Record<string, ReadonlyArray<string>>> = {
  Authorized: ["captured, more than was asked", "declined", "requires authentication", "settled", ...disputes],
  Captured: ended,
  PartiallyRefunded: ended,
  Refunded: ended,
  Settled: ended,
  ChargedBack: ended,
  "ChargedBack, settled": ended,
  Declined: ["settled", ...disputes],
  Failed: ["settled", ...disputes],
  Cancelled: ["settled", ...disputes],
  Voided: ["captured, more than was asked", "settled", ...disputes]
}

const early = ["settled", ...disputes]
const answered = ["declined", "requires authentication", ...early]
const before = ["authorized", "pending"]

/** What counts once the charge, the capture or the void that is under way has ended. */
const waiting: Readonly<Record<string, ReadonlyArray<string>>> = {
  Charging: early,
  "Charging, manual": early,
  ChargePending: early,
  "ChargePending, manual": early,
  ChargeUnknown: early,
  "ChargeUnknown, manual": early,
  ChargeMismatched: early,
  Capturing: [...answered, "canceled"],
  CapturePending: [...answered, "canceled"],
  CaptureUnknown: [...answered, "canceled"],
  Voiding: answered,
  VoidPending: answered,
  VoidUnknown: answered
}

/** What the record is newer than. */
const older: Readonly<Record<string, ReadonlyArray<string>>> = {
  Authorized: ["pending"],
  Capturing: before,
  CapturePending: before,
  CaptureUnknown: before,
  Voiding: before,
  VoidPending: before,
  VoidUnknown: before,
  Captured: before,
  PartiallyRefunded: before,
  Refunded: before,
  Settled: before,
  ChargedBack: before,
  "ChargedBack, settled": before,
  Declined: ["pending"],
  Failed: ["pending"],
  Cancelled: before,
  Voided: before
}

const outcomeOf = (name: string, word: string, isTold: boolean): MessageOutcome => {
  if (contradicted[name]?.includes(word)) return "contradicts"
  if (isTold) return "applied"
  if (waiting[name]?.includes(word)) return "waits"
  return older[name]?.includes(word) ? "older" : "confirmed"
}

/** Money on a payment that was given up moves it, and is a conflict, too. */
const conflicting: ReadonlySet<string> = new Set(
  ["Declined", "Failed", "Cancelled", "Voided"].flatMap((name) =>
    Object.keys(becomes[name] ?? {}).map((word) => `${name} ${word}`)
  )
)

test("given the states of a payment, when the ways to them are counted, then each that has a charge has one", () => {
  const without = ["AwaitingCustomer", "CheckoutOpen"]
  const reached = new Set<string>(Object.values(ways).map(([state]) => state))
  expect(paymentStates.filter((state) => !reached.has(state))).toEqual(without)
})

describe.each(stores)("over %s", (_name, store) => {
  let world: World
  let ends: Array<() => Promise<unknown>> = []
  beforeAll(async () => {
    world = await openWorld(store)
  })
  beforeEach(() => world.reset())
  afterEach(async () => {
    for (const end of ends) await end()
    ends = []
  })
  afterAll(() => world.close())

  const go = async (way: Way): Promise<Standing> => {
    const id = await way(world, (work) => ends.push(work))
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

  describe.each(Object.entries(ways))("given %s", (name, [state, way]) => {
    test.each(Object.entries(messages))(
      "when %s is reported, then it moves as the table says",
      async (word, message) => {
        const { attemptId, id } = await go(way)
        expect(await stateOf(id)).toBe(state)
        const before = await typesOf(id)
        const sent = textOf(message(attemptId))
        expect(answerOf(await deliver(world, sent))).toBe("200")
        const expected = becomes[name]?.[word] ?? state
        expect(await stateOf(id)).toBe(expected)
        const told = await typesOf(id)
        const isContradicted = (contradicted[name] ?? []).includes(word)
        const isTold = expected !== state || isContradicted || (eventAlone[name] ?? []).includes(word)
        expect(told.length > before.length).toBe(isTold)
        expect(told.slice(before.length).includes("payment.conflict")).toBe(
          isContradicted || conflicting.has(`${name} ${word}`)
        )
        // The same again changes nothing.
        expect((await deliver(world, sent)).body).toEqual({ data: { accepted: true } })
        expect(await typesOf(id)).toEqual(told)
        const stored = Option.getOrThrow(await storedMessage(JSON.parse(sent).id))
        expect([stored.paymentId, stored.outcome]).toEqual([id, outcomeOf(name, word, isTold)])
        await expectSound(world, id)
      }
    )
  })

  describe("given a refund", () => {
    const cases: ReadonlyArray<
      readonly [
        given: string,
        onRefund: ReturnType<World["provider"]["onRefund"]>,
        word: string,
        refunded: number,
        pending: number
      ]
    > = [
      ["pending", Effect.succeed({ _tag: "RefundPending", providerRefundId: "re_1" }), "succeeded", 400, 0],
      ["pending", Effect.succeed({ _tag: "RefundPending", providerRefundId: "re_1" }), "failed", 0, 0],
      ["pending", Effect.succeed({ _tag: "RefundPending", providerRefundId: "re_1" }), "canceled", 0, 0],
      ["pending", Effect.succeed({ _tag: "RefundPending", providerRefundId: "re_1" }), "pending", 0, 400],
      ["unknown", silence, "succeeded", 400, 0],
      ["unknown", silence, "failed", 0, 0],
      ["unknown", silence, "pending", 0, 400],
      ["unknown", silence, "requires_action", 0, 400],
      ["succeeded", Effect.succeed({ _tag: "Succeeded", providerRefundId: "re_1" }), "failed", 0, 0],
      ["succeeded", Effect.succeed({ _tag: "Succeeded", providerRefundId: "re_1" }), "pending", 400, 0],
      ["failed", Effect.succeed({ _tag: "RefundFailed", providerRefundId: "re_1", reason: null }), "pending", 0, 0],
      ["failed", Effect.succeed({ _tag: "RefundFailed", providerRefundId: "re_1", reason: null }), "succeeded", 400, 0]
    ]
    test.each(cases)("that is %s, %o, when %s is reported, then %d is refunded and %d pending", async (...row) => {
      const [, onRefund, word, refunded, pending] = row
      const id = await captured(world)
      world.provider.onRefund = () => onRefund
      await operate(world, "refund", id, { body: { amount: 400 } })
      const message = textOf(refund(world.provider.refunds.at(-1)?.refundId ?? "", word))
      for (const _time of [1, 2]) {
        expect(answerOf(await deliver(world, message))).toBe("200")
        expect(await retrieve(world, id)).toMatchObject({ refunded_amount: refunded, refund_pending_amount: pending })
      }
      await expectSound(world, id)
    })

    test("in flight, when success is reported first, then its request returns it", async () => {
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
    test("given a charge in flight, when the message comes first, then the answer changes nothing, and so its replay", async () => {
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

    test("given a soft decline in flight, when a message tells it first, then the next connection is still asked", async () => {
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

    test.each(["capture", "void"] as const)(
      "given a %s in flight, when it is reported first, then its request returns it",
      async (name) => {
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
      }
    )

    test("given both at once, forty times, then one event is written and both are answered well", async () => {
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

    test("given one message many times at once, then it is applied once", async () => {
      const { attemptId, id } = await go(charged(silence))
      const message = textOf(charge(attemptId, "captured"))
      const replies = await Promise.all(Array.from({ length: 32 }, () => deliver(world, message)))
      expect(new Set(replies.map(answerOf))).toEqual(new Set(["200"]))
      expect(await typesOf(id)).toEqual(["payment.created", "payment.unknown", "payment.captured"])
    })
  })

  describe("settlement and disputes", () => {
    test("given a settlement that implies an unknown capture, then both are reported, once", async () => {
      const { attemptId, id } = await go(charged(silence))
      await deliver(world, settled(attemptId, { provider_reference: `ref_${attemptId}`, status: "captured" }))
      await deliver(world, settled(attemptId, { provider_reference: `ref_${attemptId}`, status: "captured" }))
      expect(await typesOf(id)).toEqual(["payment.created", "payment.unknown", "payment.captured", "payment.settled"])
      expect(await stateOf(id)).toBe("Settled")
    })

    test("given disputes, when won or lost come before opened, then opened comes too late", async () => {
      for (const [verdict, state] of [
        ["won", "Captured"],
        ["lost", "ChargedBack"]
      ] as const) {
        const { attemptId, id } = await go(captured)
        await deliver(world, dispute(attemptId, verdict, { dispute_id: "dp_1" }))
        await deliver(world, dispute(attemptId, "opened", { dispute_id: "dp_1" }))
        expect(await stateOf(id)).toBe(state)
        expect((await typesOf(id)).filter((type) => type === "payment.chargeback")).toHaveLength(
          verdict === "won" ? 0 : 1
        )
      }
    })

    test("given two disputes, when one is won, then the other remains open, until it is won too", async () => {
      const { attemptId, id } = await go(after("refund", { amount: 400 }))
      for (const dispute_id of ["dp_1", "dp_2"]) await deliver(world, dispute(attemptId, "opened", { dispute_id }))
      await deliver(world, dispute(attemptId, "won", { dispute_id: "dp_1" }))
      expect(await stateOf(id)).toBe("ChargedBack")
      await deliver(world, dispute(attemptId, "won", { dispute_id: "dp_2" }))
      expect(await stateOf(id)).toBe("PartiallyRefunded")
      expect((await typesOf(id)).slice(-2)).toEqual(["payment.chargeback", "payment.chargeback_reversed"])
    })

    test("given opened and won at once, thirty times, then it is never left charged back", async () => {
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

    test("given whatever is not signed by the connection's secret, then it is one and the same 401", async () => {
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
    })

    test("given a signature of 299 seconds ago, or with another one before it, then it is taken", async () => {
      const { attemptId } = await go(captured)
      const message = textOf(charge(attemptId, "captured"))
      const now = nowSeconds()
      expect(answerOf(await deliver(world, message, { timestamp: now - 295 }))).toBe("200")
      const tags = ["whsec_of_the_next", webhookSecretOf("main")].map((secret) => `v1=${tagOf(message, now, secret)}`)
      expect(answerOf(await deliver(world, message, { signature: [`t=${now}`, ...tags].join(",") }))).toBe("200")
    })

    test("given a body with text in other scripts, then its bytes are what is signed, and they are kept", async () => {
      const { attemptId } = await go(captured)
      const message = textOf({ ...charge(attemptId, "captured", { note: "Zürich 東京 🚃" }), id: "msg_東京" })
      expect(answerOf(await deliver(world, message))).toBe("200")
      const kept = Option.getOrThrow(await storedMessage("msg_東京"))
      // These servers seal by writing the context before the text.
      expect(kept).toMatchObject({ isSealed: true, body: `connection:main:message:msg_東京|${message}` })
    })

    test("given an attempt or a refund of another connection or tenant, then it is accepted and touches nothing", async () => {
      const { attemptId, id } = await go(charged(silence))
      const message = textOf(charge(attemptId, "captured"))
      expect(answerOf(await deliver(world, message, { connectionId: "globex" }))).toBe("200")
      expect(answerOf(await deliver(world, message, { connectionId: "live" }))).toBe("200")
      expect(await stateOf(id)).toBe("ChargeUnknown")
      // The id of a message is its connection's own.
      expect(answerOf(await deliver(world, message))).toBe("200")
      expect(await stateOf(id)).toBe("Captured")
    })

    test("given an attempt that nobody made, then the message is accepted, and kept as about nothing", async () => {
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
      ["an unknown status", textOf(charge("att_1", "painted"))],
      ["a decline without its reason", textOf(charge("att_1", "declined", { decline: null }))],
      ["no reference", textOf(charge("att_1", "captured", { provider_reference: "" }))]
    ])("given %s under a good signature, then it is accepted, logged and stored as unreadable", async (_what, body) => {
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

    test("given a body of 1 MiB, then it is taken; of a byte more, then it is 413", async () => {
      const { attemptId } = await go(captured)
      const empty = textOf({ ...charge(attemptId, "captured", { note: "" }), id: "msg_of_1_mib" })
      const padded = (bytes: number) => empty.replace('"note":""', `"note":"${"x".repeat(bytes - empty.length)}"`)
      expect(answerOf(await deliver(world, padded(1_048_576)))).toBe("200")
      expect(answerOf(await deliver(world, padded(1_048_577)))).toBe("413 payload_too_large")
    })

    test("given a store that fails, then it is 500, and the same message works later", async () => {
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

describe("the rate of messages", () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(anyStore, { messagesPerSecond: 4, testClock: true })
  })
  beforeEach(() => world.adjust("1 minute"))
  afterAll(() => world.close())

  test("given eight at once and one more, then the ninth is 429 with Retry-After, regardless of the signature", async () => {
    for (let time = 0; time < 8; time++) expect(answerOf(await deliver(world, "{}"))).toBe("401 unauthorized")
    const reply = await deliver(world, "{}")
    expect([answerOf(reply), reply.headers.get("retry-after")]).toEqual(["429 rate_limited", "1"])
    await world.adjust("250 millis")
    expect(answerOf(await deliver(world, "{}"))).toBe("401 unauthorized")
    expect(answerOf(await deliver(world, "{}"))).toBe("429 rate_limited")
  })
})
