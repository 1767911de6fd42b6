/**
 * What can be done in each state of a payment. The table of a payment's life says which states there are: one without a
 * way to get there does not pass.
 */
import { type PaymentState, paymentStates, statusOf } from "@pointsman/core"
import { afterAll, describe, expect, test } from "vitest"
import type { SampleName } from "../../../scripts/evidence/Books.ts"
import { reads, ways } from "./support/EvidenceWays.ts"
import { answerOf, expectSound, type OperationName, operate, retrieve, timeline } from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"

/** The first way there of each state. */
const samples = new Map<PaymentState, SampleName>()
for (const name of Object.keys(ways) as Array<SampleName>) {
  const state = name.slice(0, name.indexOf(":")) as PaymentState
  if (!samples.has(state)) samples.set(state, name)
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
  expect([...samples.keys()].sort()).toEqual([...paymentStates].sort())
})

describe.each(stores)("over %s", (_name, store) => {
  const world = usedWorld(store, { reads })
  const endings: Array<(() => Promise<void>) | undefined> = []
  afterAll(async () => {
    for (const end of endings) await end?.()
  })

  for (const [state, sample] of samples) {
    if (ofHostedPages.includes(state)) continue
    for (const name of ["capture", "void", "refund"] as const) {
      const answer = allowed[state]?.[name] ?? refusals[name]
      test(`${state} answers a ${name} with ${answer}`, async () => {
        const { end, ids } = await ways[sample](world, 1)
        endings.push(end)
        const [id = ""] = ids
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
