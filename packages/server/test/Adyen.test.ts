/**
 * Payments at Adyen, from the API to Adyen's signed webhooks and the operators' commands: whatever order the webhooks come
 * in, and twice, the payment ends where Adyen's own books say. Which fact a message states is decided in the connector, and
 * what each fact makes of a payment in core; the tests there have every case.
 */
import { assert, describe, it } from "vitest"
import { type AdyenEvent, outcomesSeen, path, paymentSeen, startAdyenWorld } from "./support/AdyenWorld.ts"
import { each } from "./support/ServerProcess.ts"

const ordersOf = <A>(list: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  list.length === 0
    ? [[]]
    : list.flatMap((one, at) => ordersOf(list.toSpliced(at, 1)).map((others) => [one, ...others]))

describe("payments at Adyen", () => {
  it("each payment ends where Adyen's books say, by webhooks in every order, and twice", async () => {
    const world = await startAdyenWorld()
    const { create, hear, request, statusOf } = world
    const hearAll = async (events: ReadonlyArray<AdyenEvent>) => {
      for (const event of [...events, ...events]) await hear(event)
    }

    // Held, and captured or cancelled later: the answer is "received".
    for (const operation of ["capture", "void"] as const) {
      const isCapture = operation === "capture"
      for (const order of ordersOf(["AUTHORISATION", isCapture ? "CAPTURE" : "CANCELLATION"])) {
        const { id, reference, status } = await create({ capture_method: "manual" })
        assert.strictEqual(status, "AUTHORIZED")
        assert.match(reference, /^att_[0-9a-f-]{36}\.held$/)
        assert.strictEqual((await request("POST", `${path}/${id}/${operation}`)).status, 200)
        assert.strictEqual(await statusOf(id), "PENDING")
        const change = world.lastAsked()
        const psp = change.originalReference
        const [, kind] = /^att_[0-9a-f-]{36}\.(\w+)\.[0-9a-f]{32}$/.exec(change.merchantReference) ?? []
        assert.strictEqual(kind, isCapture ? "take" : "void")
        await hearAll(
          order.map((eventCode) =>
            eventCode === "AUTHORISATION"
              ? { eventCode, pspReference: psp, merchantReference: reference, at: 0 }
              : { ...change, eventCode, pspReference: `${psp}X`, at: 1 }
          )
        )
        assert.strictEqual(await statusOf(id), isCapture ? "CAPTURED" : "CANCELLED", order.join(", "))
      }
    }

    // Taken at once: the response says so, and no capture is reported.
    const taken = await create()
    assert.strictEqual(taken.status, "CAPTURED")
    assert.match(taken.reference, /\.taken$/)

    // Refunded, once, whatever else comes late.
    for (const order of ordersOf(["AUTHORISATION", "CAPTURE", "REFUND"])) {
      const { id, reference } = await create()
      await request("POST", `${path}/${id}/refunds`)
      const { merchantReference: refund, originalReference } = world.lastAsked()
      await hearAll(
        order.map((eventCode) => {
          const merchantReference = eventCode === "REFUND" ? refund : reference
          return eventCode === "AUTHORISATION"
            ? { eventCode, pspReference: originalReference, merchantReference }
            : { eventCode, pspReference: `${originalReference}${eventCode}`, originalReference, merchantReference }
        })
      )
      assert.strictEqual(await statusOf(id), "REFUNDED", order.join(", "))
    }

    // A dispute: the later verdict counts, by Adyen's time and not by ours.
    const verdicts = ["NOTIFICATION_OF_CHARGEBACK", "CHARGEBACK", "CHARGEBACK_REVERSED", "SECOND_CHARGEBACK"]
    for (const [told, expected] of [
      [verdicts.slice(0, 3), "CAPTURED"],
      [verdicts.slice(1), "CHARGEBACK"]
    ] as const) {
      for (const order of ordersOf(told)) {
        const { id, reference } = await create()
        await hearAll(
          order.map((eventCode) => ({
            ...{ eventCode, pspReference: `DISPUTE${id}`, originalReference: "PSP", merchantReference: reference },
            at: verdicts.indexOf(eventCode)
          }))
        )
        assert.strictEqual(await statusOf(id), expected, order.join(", "))
      }
    }
  })

  it("a second payment is reported once, and a refund of it moves nothing", async () => {
    const { create, eventsOf, hear, read } = await startAdyenWorld()
    const { id, reference: merchantReference } = await create()
    const second = { pspReference: "PSPSECOND", merchantReference }
    for (const _ of [1, 2]) await hear({ ...second, eventCode: "AUTHORISATION" })
    const conflicts = await eventsOf(id, "payment.conflict")
    assert.deepStrictEqual(each(conflicts, "provider_reference"), ["PSPSECOND"])
    const ofSecond = { merchantReference, originalReference: "PSPSECOND" }
    await hear({ ...ofSecond, eventCode: "REFUND", pspReference: "PSPBACK" })
    await hear({ ...ofSecond, eventCode: "CANCELLATION", pspReference: "PSPEND" })
    assert.deepInclude(await read(id), { status: "CAPTURED", refunded_amount: 0 })
  })

  it("refunds in the Customer Area, twice, and one of ours each count once", async () => {
    const world = await startAdyenWorld()
    const { create, eventsOf, hear, read, request } = world
    for (const eventCode of ["REFUND", "CANCEL_OR_REFUND"]) {
      const { id, reference } = await create({ amount: 10_000 })
      await request("POST", `${path}/${id}/refunds`, { amount: 2500 })
      const asked = world.lastAsked()
      const ours = { ...asked, eventCode: "REFUND", value: 2500, pspReference: world.adyen.drawn.at(-1) ?? "" }
      const byHand = { ...asked, merchantReference: reference, pspReference: `PSPBYHAND${id}`, value: 4000 }
      for (const _ of [1, 2]) {
        await hear({ ...byHand, eventCode, action: "refund" })
        await hear(ours)
      }
      const amounts = { captured_amount: 10_000, refunded_amount: 6500, refund_pending_amount: 0 }
      assert.deepInclude(await read(id), { status: "PARTIALLY_REFUNDED", ...amounts })
      const refunds = await eventsOf(id, "payment.refunded")
      assert.deepStrictEqual(
        refunds.map(({ origin, refund_amount, refunded_total }) => [origin, refund_amount, refunded_total]),
        [
          ["provider", 4000, 4000],
          ["api", 2500, 6500]
        ]
      )
      // It comes back.
      for (const _ of [1, 2]) await hear({ ...byHand, eventCode: "REFUND_FAILED", at: 1, reason: "Account closed" })
      assert.deepInclude(await read(id), { status: "PARTIALLY_REFUNDED", refunded_amount: 2500 })
    }
  })
})

describe("what Adyen says after it had confirmed", () => {
  const refunded = { status: "PARTIALLY_REFUNDED", amounts: [1999, 700, 0], review: null }
  const refundedNot = { status: "CAPTURED", amounts: [1999, 0, 0], review: ["reversal"], last: "payment.refund_failed" }
  const taken = { status: "CAPTURED", amounts: [700, 0, 0], review: null }
  const takenNot = { status: "AUTHORIZED", amounts: [0, 0, 0], review: null, last: "payment.capture_failed" }

  it.each([
    ["REFUND", "REFUND_FAILED", "Account closed", "refunds", refunded, refundedNot],
    ["REFUND", "REFUNDED_REVERSED", "Account closed", "refunds", refunded, refundedNot],
    ["CAPTURE", "CAPTURE_FAILED", "Capture expired", "capture", taken, takenNot]
  ] as const)("a %s is taken back by a %s: %s", async (done, takenBack, reason, operation, before, after) => {
    const world = await startAdyenWorld()
    const { id } = await world.create(operation === "capture" ? { capture_method: "manual" } : {})
    assert.isBelow((await world.request("POST", `${path}/${id}/${operation}`, { amount: 700 })).status, 500)
    const event = { ...world.lastAsked(), value: 700 }
    const hear = async (eventCode: string, more: Partial<AdyenEvent> = {}) => {
      for (const _ of [1, 2]) await world.hear({ ...event, eventCode, pspReference: `${eventCode}-${id}`, ...more })
    }
    await hear(done)
    assert.deepInclude(await paymentSeen(world, id), before)
    await hear(takenBack, { at: 1, reason })
    assert.deepInclude(await paymentSeen(world, id), { ...after, conflicts: 0 })
    assert.deepStrictEqual(await outcomesSeen(world, id), ["applied", "applied"])
  })
})
