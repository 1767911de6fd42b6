/**
 * What can be done in each state of a payment. The table of a payment's life says which states there are: one without a
 * way to get there does not pass.
 */
import { type PaymentState, paymentStates, statusOf } from "@pointsman/core"
import { paymentEvent } from "@pointsman/core/internal"
import { Ledger, Unanswered } from "@pointsman/core/ports"
import { Deferred, Effect, Option } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import {
  answerOf,
  authorized,
  captured,
  create,
  endingAs,
  expectSound,
  type OperationName,
  operate,
  retrieve,
  timeline
} from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { acme, openWorld, type World } from "./support/World.ts"

const providerRef = "ch_1"
const silence = Effect.fail(new Unanswered({ reason: "timed out" }))
const pends = Effect.succeed({ _tag: "Pending" as const, providerRef })

/** Gets a payment there, and gives its id. What it started it ends when the world is closed. */
type Way = (world: World, atTheEnd: (work: () => Promise<unknown>) => void) => Promise<string>

const charged =
  (end: ReturnType<World["provider"]["onCharge"]>): Way =>
  async (world) => {
    world.provider.onCharge = endingAs(end)
    return (await create(world)).body.data.id
  }

const after =
  (name: OperationName, asked: object = {}, prepare: (world: World) => void = () => {}): Way =>
  async (world) => {
    const id = name === "refund" ? await captured(world) : await authorized(world)
    prepare(world)
    await operate(world, name, id, { body: asked })
    return id
  }

/** The provider is being asked, and does not answer before the end. */
const during =
  (name: "capture" | "void"): Way =>
  async (world, atTheEnd) => {
    const id = await authorized(world)
    const asked = Deferred.makeUnsafe<void>()
    const answered = Deferred.makeUnsafe<void>()
    const hold = Deferred.succeed(asked, undefined).pipe(
      Effect.andThen(Deferred.await(answered)),
      Effect.andThen(silence)
    )
    world.provider.onCapture = () => hold
    world.provider.onVoid = () => hold
    const reply = operate(world, name, id)
    await Effect.runPromise(Deferred.await(asked))
    atTheEnd(async () => {
      await Effect.runPromise(Deferred.succeed(answered, undefined))
      expect(answerOf(await reply)).toBe(`502 ${name}_result_unknown`)
    })
    return id
  }

/** As what no request brings about is written: by a provider's message, or by operations. */
const written =
  (state: PaymentState, type: "payment.settled" | "payment.chargeback"): Way =>
  async (world) => {
    const id = await captured(world)
    await world.run(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const payment = Option.getOrThrow(yield* ledger.payment(acme, id))
        const moved = { ...payment, state, version: payment.version + 1 }
        yield* ledger.commit({
          tenant: acme,
          payment: { expected: payment.version, after: moved },
          attempts: [],
          events: [paymentEvent(type, moved)]
        })
      })
    )
    return id
  }

const ways: Partial<Record<PaymentState, Way>> = {
  ChargePending: charged(pends),
  ChargeUnknown: charged(silence),
  ChargeMismatched: charged(
    Effect.succeed({ _tag: "Captured", providerRef, stated: { minorUnits: 1001, currency: "EUR" } })
  ),
  Declined: charged(
    Effect.succeed({ _tag: "Declined", providerRef, category: "do_not_honor", code: "05", soft: false })
  ),
  Failed: charged(Effect.succeed({ _tag: "Rejected", code: "E1", message: "Not now." })),
  Cancelled: charged(Effect.succeed({ _tag: "Canceled", providerRef })),
  Charging: async (world, atTheEnd) => {
    const asked = Deferred.makeUnsafe<string>()
    const answered = Deferred.makeUnsafe<void>()
    world.provider.onCharge = ({ paymentId }) =>
      Deferred.succeed(asked, paymentId).pipe(Effect.andThen(Deferred.await(answered)), Effect.andThen(silence))
    const reply = create(world)
    atTheEnd(async () => {
      await Effect.runPromise(Deferred.succeed(answered, undefined))
      expect((await reply).body.data.status).toBe("UNKNOWN")
    })
    return Effect.runPromise(Deferred.await(asked))
  },
  Authorized: (world) => authorized(world),
  Capturing: during("capture"),
  CapturePending: after("capture", {}, ({ provider }) => {
    provider.onCapture = () => pends
  }),
  CaptureUnknown: after("capture", {}, ({ provider }) => {
    provider.onCapture = () => silence
  }),
  Voiding: during("void"),
  VoidPending: after("void", {}, ({ provider }) => {
    provider.onVoid = () => pends
  }),
  VoidUnknown: after("void", {}, ({ provider }) => {
    provider.onVoid = () => silence
  }),
  Captured: (world) => captured(world),
  PartiallyRefunded: after("refund", { amount: 400 }),
  Refunded: after("refund"),
  Settled: written("Settled", "payment.settled"),
  ChargedBack: written("ChargedBack", "payment.chargeback"),
  Voided: after("void")
}

/** What a capture, a void and a refund of 1.00 are answered there; where a state is not named, they are all refused. */
const allowed: Partial<Record<PaymentState, Partial<Record<OperationName, string>>>> = {
  Authorized: { capture: "200", void: "200" },
  Captured: { refund: "200" },
  PartiallyRefunded: { refund: "200" },
  Settled: { refund: "200" },
  Refunded: { refund: "422 invalid_amount" }
}

const refusals: Record<OperationName, string> = {
  capture: "409 not_capturable",
  void: "409 not_voidable",
  refund: "409 not_refundable"
}

/** With the customer on a hosted page, which is tested where those pages are. */
const ofHostedPages: ReadonlyArray<PaymentState> = ["AwaitingCustomer", "CheckoutOpen"]

test("no state of a payment is missing in the ways", () => {
  expect([...Object.keys(ways), ...ofHostedPages].sort()).toEqual([...paymentStates].sort())
})

describe.each(stores)("over %s", (_name, store) => {
  let world: World
  const endings: Array<() => Promise<unknown>> = []
  beforeAll(async () => {
    world = await openWorld(store)
  })
  beforeEach(() => world.reset())
  afterAll(async () => {
    for (const end of endings) await end()
    await world.close()
  })

  for (const [state, way] of Object.entries(ways) as Array<[PaymentState, Way]>) {
    for (const name of ["capture", "void", "refund"] as const) {
      const answer = allowed[state]?.[name] ?? refusals[name]
      test(`${state} answers a ${name} with ${answer}`, async () => {
        const id = await way(world, (work) => endings.push(work))
        const before = await retrieve(world, id)
        expect(before["status"]).toBe(statusOf[state])
        const told = await timeline(world, id)
        // From here on the provider does what it is asked.
        world.reset()
        const reply = await operate(world, name, id, { body: name === "void" ? undefined : { amount: 100 } })
        expect(answerOf(reply)).toBe(answer)
        const { captures, refunds, voids } = world.provider
        expect(captures.length + refunds.length + voids.length).toBe(answer === "200" ? 1 : 0)
        if (answer !== "200") {
          expect(await retrieve(world, id)).toEqual(before)
          expect(await timeline(world, id)).toEqual(told)
        }
        await expectSound(world, id)
      })
    }
  }
})
