/**
 * Payments at Adyen, from the API to Adyen's signed webhooks and the operators' commands: whatever order the webhooks come
 * in, and twice, the payment ends where Adyen's own books say. Which fact a message states is decided in the connector, and
 * what each fact makes of a payment in core; the tests there have every case.
 */
import { assert, describe, it } from "vitest"
import { type AdyenEvent, path, startAdyenWorld, webhook } from "./support/AdyenWorld.ts"
import { outcomesSeen, paymentSeen } from "./support/OperatorsSee.ts"
import { each } from "./support/ServerProcess.ts"

const ordersOf = <A>(list: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  list.length === 0
    ? [[]]
    : list.flatMap((one, at) => ordersOf(list.toSpliced(at, 1)).map((others) => [one, ...others]))

type World = Awaited<ReturnType<typeof startAdyenWorld>>

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

  it("a charge that Adyen never answered is UNKNOWN until Adyen's webhook comes", async () => {
    const world = await startAdyenWorld()
    const unanswered = await world.create({ amount: 4040 })
    assert.strictEqual(await world.statusOf(unanswered.id), "UNKNOWN")
    // Adyen's messages here are of 19.99: less than was asked is recorded as stated.
    const event = { eventCode: "AUTHORISATION", pspReference: "PSPX", merchantReference: unanswered.reference }
    await world.hear(event)
    assert.strictEqual(await world.statusOf(unanswered.id), "CAPTURED")
  })

  it("an authorization with a refused capture is AUTHORIZED until a later one succeeds", async () => {
    const world = await startAdyenWorld()
    const { id } = await world.create({ capture_method: "manual" })
    await world.request("POST", `${path}/${id}/capture`)
    const failed = { ...world.lastAsked(), pspReference: "PSPX" }
    await world.hear({ ...failed, eventCode: "CAPTURE", success: "false" })
    assert.strictEqual(await world.statusOf(id), "AUTHORIZED")
    // The success that Adyen withdrew arrives once more.
    await world.hear({ ...failed, eventCode: "CAPTURE" })
    assert.strictEqual(await world.statusOf(id), "AUTHORIZED")
    await world.hear({ ...failed, pspReference: "PSPY", eventCode: "CAPTURE", at: 1 })
    assert.strictEqual(await world.statusOf(id), "CAPTURED")
  })

  it("Adyen's page with refused cards and one that is not is CAPTURED in any order", async () => {
    const world = await startAdyenWorld()
    const refusals = ["PSPA", "PSPB"].map((pspReference) => ({ pspReference, success: "false" }))
    for (const order of ordersOf([...refusals, { pspReference: "PSPC", success: "true" }])) {
      const back = "https://shop.example/thanks"
      const { id, nextAction } = await world.create({ instruments: undefined, return_url: back })
      const opened = await fetch(nextAction.url, {
        method: "POST",
        redirect: "manual",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: "action=continue"
      })
      assert.match(opened.headers.get("location") ?? "", /^https:\/\/test\.adyen\.link\/PL\d+$/)
      const { merchantReference } = world.lastAsked()
      assert.match(merchantReference, /\.taken\.page$/)
      for (const of of order) {
        const pspReference = `${of.pspReference}${id}`
        await world.hear({ ...of, pspReference, eventCode: "AUTHORISATION", merchantReference })
      }
      assert.strictEqual(await world.statusOf(id), "CAPTURED")
    }
  })

  it("operators are notified once of a second payment under one reference", async () => {
    const world = await startAdyenWorld()
    const { id, reference } = await world.create({ capture_method: "manual" })
    const second = { pspReference: "PSPSECOND", merchantReference: reference }
    await world.hear({ ...second, eventCode: "AUTHORISATION" })
    await world.hear({ ...second, eventCode: "AUTHORISATION" })
    await world.hear({ ...second, eventCode: "CANCELLATION", originalReference: "PSPSECOND", pspReference: "PSPEND" })
    assert.strictEqual(await world.statusOf(id), "AUTHORIZED")
    const conflicts = await world.eventsOf(id, "payment.conflict")
    assert.deepStrictEqual(each(conflicts, "provider_reference"), ["PSPSECOND"])
    // What is left is captured as ever.
    assert.strictEqual((await world.request("POST", `${path}/${id}/capture`)).status, 200)
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

  it("a payment paid twice keeps its money when the second is refunded at Adyen", async () => {
    const world = await startAdyenWorld()
    const { id, reference } = await world.create()
    const second = { merchantReference: reference, originalReference: "PSPSECOND" }
    await world.hear({ eventCode: "AUTHORISATION", pspReference: "PSPSECOND", merchantReference: reference })
    await world.hear({ ...second, eventCode: "REFUND", pspReference: "PSPBACK" })
    assert.deepInclude(await world.read(id), { status: "CAPTURED", refunded_amount: 0 })
  })

  it("an amount under another signature, or another key, is 401, and nothing moves", async () => {
    const world = await startAdyenWorld()
    const { id, reference } = await world.create({ capture_method: "manual" })
    const event = { pspReference: "PSPX", originalReference: "P", merchantReference: reference }
    const forged = webhook({ ...event, eventCode: "CAPTURE" })
    const item = forged.notificationItems[0]?.NotificationRequestItem
    const body = { notificationItems: [{ NotificationRequestItem: { ...item, eventCode: "CANCELLATION" } }] }
    const answer = await world.request("POST", "/api/v1/psp-webhooks/adyen", body)
    assert.strictEqual(answer.status, 401)
    assert.strictEqual(await world.statusOf(id), "AUTHORIZED")
  })
})

describe("what Adyen says after it had confirmed", () => {
  /** A payment with an operation that Adyen was asked for, and how to hear of it, twice. */
  const given = async (world: World, operation: "capture" | "refunds", amount: number, change: object = {}) => {
    const { id } = await world.create(change)
    assert.isBelow((await world.request("POST", `${path}/${id}/${operation}`, { amount })).status, 500)
    const asked = world.lastAsked()
    const hear = async (eventCode: string, more: Partial<AdyenEvent> = {}) => {
      const event = { eventCode, pspReference: `${eventCode}-${id}`, ...asked, value: amount, ...more }
      for (const _ of [1, 2]) await world.hear(event)
    }
    return { id, hear, seen: () => paymentSeen(world, id) }
  }

  it("refunds that fail or come back are captured again, and operators review them", async () => {
    const world = await startAdyenWorld()
    for (const eventCode of ["REFUND_FAILED", "REFUNDED_REVERSED"]) {
      const { hear, id, seen } = await given(world, "refunds", 500)
      await hear("REFUND")
      assert.deepInclude(await seen(), { status: "PARTIALLY_REFUNDED", amounts: [1999, 500, 0], review: null })
      await hear(eventCode, { at: 1, reason: "Account closed" })
      const after = { conflicts: 0, last: "payment.refund_failed", review: ["reversal"] }
      assert.deepInclude(await seen(), { ...after, status: "CAPTURED", amounts: [1999, 0, 0] })
      assert.deepStrictEqual(await outcomesSeen(world, id), ["applied", "applied"])
    }
  })

  it("a confirmed capture that fails is AUTHORIZED again; one by Adyen is reviewed", async () => {
    const world = await startAdyenWorld()
    const { hear, id, seen } = await given(world, "capture", 700, { capture_method: "manual" })
    await hear("CAPTURE")
    assert.deepInclude(await seen(), { status: "CAPTURED", amounts: [700, 0, 0], review: null })
    await hear("CAPTURE_FAILED", { at: 1, reason: "Capture expired" })
    const after = { conflicts: 0, last: "payment.capture_failed", review: null }
    assert.deepInclude(await seen(), { ...after, status: "AUTHORIZED", amounts: [0, 0, 0] })
    assert.deepStrictEqual(await outcomesSeen(world, id), ["applied", "applied"])

    const taken = await world.create()
    const failed = { pspReference: "FAILED", merchantReference: taken.reference, originalReference: "PSP", at: 1 }
    for (const _ of [1, 2]) await world.hear({ ...failed, eventCode: "CAPTURE_FAILED", reason: "Capture expired" })
    const reviewed = { conflicts: 1, last: "payment.conflict", review: ["conflict", "capture_failed"] }
    assert.deepInclude(await paymentSeen(world, taken.id), { ...reviewed, status: "CAPTURED", amounts: [1999, 0, 0] })
    assert.deepStrictEqual(await outcomesSeen(world, taken.id), ["contradicts"])
    const { body } = await world.request("POST", `${path}/${taken.id}/refunds`)
    assert.strictEqual(body.error.code, "not_refundable")
  })

  it("a notification about no payment of ours is unmatched, and others follow it", async () => {
    const world = await startAdyenWorld()
    const foreign = { eventCode: "AUTHORISATION", pspReference: "PSPOTHER", merchantReference: "order 17 of a till" }
    for (const _ of [1, 2]) await world.hear(foreign)
    assert.deepStrictEqual(await outcomesSeen(world), ["unmatched"])
    assert.strictEqual((await world.create()).status, "CAPTURED")
  })
})
