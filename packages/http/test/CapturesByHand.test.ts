/** What people capture, cancel and let expire at the provider by hand: the provider's messages, over HTTP. */
import { type ChargeState, Ledger, type ProviderMessage, Unanswered } from "@pointsman/core/ports"
import { Deferred, Effect, Option } from "effect"
import { describe, expect, test } from "vitest"
import { charge, deliver } from "./support/Messages.ts"
import { answerOf, authorized, expectSound, operate, retrieve, timeline } from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { acme } from "./support/World.ts"

/** The provider protocol names no captures; other providers do. The id of such a message holds that of the capture. */
const reads = (message: ProviderMessage): ProviderMessage => {
  const { about } = message
  const [, id, operationId] = /^capture:([^:]+):(op_[^:]+)?/u.exec(message.id) ?? []
  if (about._tag !== "Charge" || id === undefined) return message
  const state: typeof about.state = (asked) => {
    const said = about.state(asked)
    if (said._tag !== "Captured" || said.stated === undefined) return said
    return { _tag: "Captured", providerRef: said.providerRef, capture: { id, money: said.stated, operationId } }
  }
  return { ...message, about: { ...about, state } }
}

let told = 0

describe.each(stores.slice(0, 1))("over %s", (_name, store) => {
  const world = usedWorld(store, { reads })

  /** A payment of 10.00 whose money is held, and how its provider tells of it. */
  const held = async () => {
    const id = await authorized(world)
    const { attemptId = "" } = world.provider.charges.at(-1) ?? {}
    return {
      id,
      attemptId,
      tell: async (status: string, more: object = {}) =>
        expect(answerOf(await deliver(world, charge(attemptId, status, more)))).toBe("200"),
      /** One capture, by the provider's id of it; ours where it names our operation. */
      tellCapture: async (captureId: string, amount: number, { created = "2026-11-21T12:00:00Z", ours = "" } = {}) => {
        const text = charge(attemptId, "captured", { amount, currency: "EUR" })
        const messageId = `capture:${captureId}:${ours}:${++told}`
        expect(answerOf(await deliver(world, { ...text, id: messageId, created }))).toBe("200")
      },
      operationId: async () => {
        const book = await world.run(Effect.flatMap(Ledger, (ledger) => ledger.book(acme, id)))
        return Option.getOrThrow(book).operations.at(-1)?.id ?? ""
      },
      capture: (amount?: number) => operate(world, "capture", id, amount === undefined ? {} : { body: { amount } }),
      seen: async () => {
        const { captured_amount, payment_status } = await retrieve(world, id)
        const book = await world.run(Effect.flatMap(Ledger, (ledger) => ledger.book(acme, id)))
        await expectSound(world, id)
        return [payment_status, Option.getOrThrow(book).payment.authorizedMinor, captured_amount]
      },
      told: async () => (await timeline(world, id)).map(({ type }) => type),
      last: async () => (await timeline(world, id)).at(-1)
    }
  }

  describe("a cancellation of what is not captured", () => {
    test("a part that was captured here releases the rest, and refunds stay open", async () => {
      const payment = await held()
      await payment.capture(300)
      for (const _ of [1, 2]) await payment.tell("canceled")
      expect(await payment.seen()).toEqual(["CAPTURED", 1000, 300])
      expect(await payment.told()).toEqual(["payment.created", "payment.authorized", "payment.captured"])
      expect(answerOf(await operate(world, "refund", payment.id))).toBe("200")
    })

    test("a part that was captured by hand releases the rest, and refunds stay open", async () => {
      const payment = await held()
      await payment.tell("captured", { amount: 300, currency: "EUR" })
      await payment.tell("canceled")
      expect(await payment.seen()).toEqual(["CAPTURED", 1000, 300])
      expect(await payment.told()).not.toContain("payment.conflict")
      expect(answerOf(await operate(world, "refund", payment.id))).toBe("200")
    })

    test("a payment of which nothing was captured is CANCELLED, by the provider", async () => {
      const payment = await held()
      await payment.tell("canceled")
      expect(await payment.seen()).toEqual(["CANCELLED", 1000, 0])
      expect(await payment.last()).toMatchObject({ type: "payment.cancelled", data: { origin: "provider" } })
    })

    test("the statement is weighed when a capture in flight ends", async () => {
      const declined = { _tag: "Declined", category: "do_not_honor", code: "05", soft: false } as const
      const silence = new Unanswered({ reason: "timed out" })
      const answers = (state: (providerRef: string) => ChargeState) => (ref: string) => Effect.succeed(state(ref))
      for (const [end, seen, last] of [
        [answers((providerRef) => ({ _tag: "Captured", providerRef })), ["CAPTURED", 1000, 300], "payment.captured"],
        [answers((providerRef) => ({ ...declined, providerRef })), ["CANCELLED", 1000, 0], "payment.cancelled"],
        [() => Effect.fail(silence), ["UNKNOWN", 1000, 0], "payment.capture_unknown"]
      ] as const) {
        const payment = await held()
        const asked = Deferred.makeUnsafe<void>()
        const answered = Deferred.makeUnsafe<void>()
        world.provider.onCapture = ({ providerRef }) =>
          Deferred.succeed(asked, undefined).pipe(
            Effect.andThen(Deferred.await(answered)),
            Effect.andThen(end(providerRef))
          )
        const reply = payment.capture(300)
        await Effect.runPromise(Deferred.await(asked))
        await payment.tell("canceled")
        expect(await payment.seen()).toEqual(["PENDING", 1000, 0])
        await Effect.runPromise(Deferred.succeed(answered, undefined))
        await reply
        expect(await payment.seen()).toEqual(seen)
        expect(await payment.last()).toMatchObject({
          type: last,
          data: last === "payment.cancelled" ? { origin: "provider" } : {}
        })
        expect(await payment.told()).not.toContain("payment.conflict")
        if (last !== "payment.capture_unknown") continue
        await payment.tell("captured", { amount: 300, currency: "EUR" })
        expect(await payment.seen()).toEqual(["CAPTURED", 1000, 300])
        expect(await payment.told()).not.toContain("payment.conflict")
      }
    })

    test("a capture by hand of all contradicts the record, and refunds stay open", async () => {
      const payment = await held()
      await payment.capture()
      await payment.tell("canceled")
      expect(await payment.seen()).toEqual(["CAPTURED", 1000, 1000])
      expect((await payment.told()).filter((type) => type === "payment.conflict")).toHaveLength(1)
      expect(answerOf(await operate(world, "refund", payment.id))).toBe("200")
    })
  })

  describe("a capture of another amount than was authorized", () => {
    test("more than was authorized is CAPTURED up to that, reviewed, and never sent", async () => {
      const payment = await held()
      for (const _ of [1, 2]) await payment.tell("captured", { amount: 1200, currency: "EUR" })
      expect(await payment.seen()).toEqual(["CAPTURED", 1000, 1000])
      expect((await payment.told()).slice(2)).toEqual(["payment.captured", "payment.amount_mismatch"])
      expect((await payment.last())?.data).toMatchObject({
        stated_amount: 1200,
        stated_currency: "EUR",
        captured_amount: 1000
      })
      expect(answerOf(await payment.capture())).toBe("409 not_capturable")
      expect(world.provider.captures).toHaveLength(0)
    })

    test("another currency is UNKNOWN, with a review, and no capture is sent", async () => {
      const payment = await held()
      for (const _ of [1, 2]) await payment.tell("captured", { amount: 1000, currency: "USD" })
      expect(await payment.seen()).toEqual(["UNKNOWN", 1000, 0])
      expect((await payment.told()).slice(2)).toEqual(["payment.amount_mismatch", "payment.unknown"])
      expect(answerOf(await payment.capture())).toBe("409 not_capturable")
      expect(world.provider.captures).toHaveLength(0)
      await payment.tell("captured", { amount: 600, currency: "EUR" })
      expect(await payment.seen()).toEqual(["CAPTURED", 1000, 600])
    })

    test("more than was authorized is CAPTURED up to the authorization after a void", async () => {
      const payment = await held()
      await operate(world, "void", payment.id)
      await payment.tell("captured", { amount: 1200, currency: "EUR" })
      expect(await payment.seen()).toEqual(["CAPTURED", 1000, 1000])
      expect((await payment.told()).slice(3)).toEqual([
        "payment.conflict",
        "payment.captured",
        "payment.amount_mismatch"
      ])
    })
  })

  describe("captures by their ids", () => {
    const pending = () => {
      world.provider.onCapture = ({ providerRef }) => Effect.succeed({ _tag: "Pending", providerRef })
    }

    const failed = async (operation_id: string, updated: string) => {
      const data = { operation_id, kind: "capture", status: "failed", updated, failure_reason: "no funds" }
      expect(answerOf(await deliver(world, { type: "operation.updated", created: updated, data }))).toBe("200")
    }

    test("two captures by hand, each reported twice, add up", async () => {
      const payment = await held()
      for (const id of ["P1", "P2", "P1", "P2"]) await payment.tellCapture(id, 500)
      expect(await payment.seen()).toEqual(["CAPTURED", 1000, 1000])
      expect((await payment.told()).slice(2)).toEqual(["payment.captured", "payment.amount_mismatch"])
      expect((await payment.last())?.data).toMatchObject({ stated_amount: 1000, captured_amount: 1000 })
    })

    test("ours and one by hand add up; above the authorization they are reviewed", async () => {
      pending()
      const payment = await held()
      await payment.capture(500)
      const ours = await payment.operationId()
      await payment.tellCapture("P1", 500, { ours })
      expect(await payment.seen()).toEqual(["CAPTURED", 1000, 500])
      for (const _ of [1, 2]) await payment.tellCapture("P2", 400)
      await payment.tellCapture("P1", 500, { ours })
      expect(await payment.seen()).toEqual(["CAPTURED", 1000, 900])
      for (const _ of [1, 2]) await payment.tellCapture("P3", 500)
      expect(await payment.seen()).toEqual(["CAPTURED", 1000, 1000])
      expect((await payment.told()).filter((type) => type === "payment.amount_mismatch")).toHaveLength(2)
      expect((await payment.last())?.data).toMatchObject({ stated_amount: 1400, captured_amount: 1000 })
    })

    test("the commit that ends ours counts one by hand during it too", async () => {
      for (const [end, seen] of [
        ["confirmed", ["CAPTURED", 1000, 900]],
        ["failed", ["CAPTURED", 1000, 400]]
      ] as const) {
        pending()
        const payment = await held()
        await payment.capture(500)
        const ours = await payment.operationId()
        for (const _ of [1, 2]) await payment.tellCapture("P2", 400)
        expect(await payment.seen()).toEqual(["PENDING", 1000, 0])
        if (end === "confirmed") await payment.tellCapture("P1", 500, { ours })
        else {
          await failed(ours, "2026-11-21T13:00:00Z")
        }
        expect(await payment.seen()).toEqual(seen)
        expect(await payment.told()).not.toContain("payment.conflict")
      }
    })

    test("one by hand stays when ours fails, and an older word of ours counts no more", async () => {
      pending()
      const payment = await held()
      await payment.capture(500)
      const ours = await payment.operationId()
      await payment.tellCapture("P1", 500, { ours })
      await payment.tellCapture("P2", 400)
      await failed(ours, "2026-11-21T13:00:00Z")
      expect(await payment.seen()).toEqual(["CAPTURED", 1000, 400])
      await payment.tellCapture("P1", 500, { ours })
      expect(await payment.seen()).toEqual(["CAPTURED", 1000, 400])
      // A person captured before that, and the message comes late.
      await payment.tellCapture("P3", 300)
      expect(await payment.seen()).toEqual(["CAPTURED", 1000, 700])
    })

    test("captures with ids are a part of an amount without an id until they exceed it", async () => {
      const payment = await held()
      await payment.tell("captured", { amount: 600, currency: "EUR" })
      await payment.tellCapture("P1", 300)
      await payment.tellCapture("P2", 300)
      expect(await payment.seen()).toEqual(["CAPTURED", 1000, 600])
      await payment.tellCapture("P3", 200)
      expect(await payment.seen()).toEqual(["CAPTURED", 1000, 800])
    })

    test("operations review more captures than are kept, and none is counted twice", async () => {
      const payment = await held()
      for (let number = 1; number <= 51; number++) await payment.tellCapture(`P${number}`, 1)
      await payment.tellCapture("P50", 1)
      expect(await payment.seen()).toEqual(["CAPTURED", 1000, 50])
      expect((await payment.told()).filter((type) => type === "payment.conflict")).toHaveLength(1)
    })
  })
})
