/** Refunds that people make at the provider carry no id of ours. They count once each, and ours are never taken for them. */
import { Unanswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { deliver } from "./support/Messages.ts"
import { answerOf, captured, refundsOf, timeline } from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { answering, asks, type Step, times, type Walker, walks } from "./support/Walks.ts"

const tell = async ({ world }: Walker, data: object, created?: string) => {
  const dated = created === undefined ? {} : { created }
  expect(answerOf(await deliver(world, { type: "refund.updated", data, ...dated }))).toBe("200")
}

/** One of 4.00, under an id of its own, unless told otherwise. */
const byHand =
  ({ amount = 400, at = "2026-11-21T12:00:00Z", id = "re_hand", status = "succeeded" } = {}): Step =>
  (walker) => {
    const names = { provider_reference: walker.reference, provider_refund_id: `${id}_${walker.id}` }
    return tell(walker, { ...names, status, amount, currency: "EUR" }, at)
  }
const at = (second: number) => ({ at: `2026-11-21T12:00:0${second}Z` })

/** A message about our first refund, which names it. */
const ours =
  (status = "succeeded"): Step =>
  (walker) =>
    tell(walker, {
      refund_id: walker.world.provider.refunds[0]?.refundId,
      provider_refund_id: `re_ours_${walker.id}`,
      status
    })

const refunds =
  (...expected: ReadonlyArray<readonly [origin: string, amount: number, status: string]>): Step =>
  async ({ id, world }) =>
    expect(await refundsOf(world, id)).toEqual(expected)

const silent = answering({ onRefund: () => Effect.fail(new Unanswered({ reason: "timed out" })) })
const unanswered = (amount: number) => [silent, asks("refund", "502 refund_result_unknown", amount)]

describe.each(stores)("over %s", (_name, store) => {
  const itWalks = walks(usedWorld(store), captured)

  const tellsOf: Step = async ({ id, world }) => {
    const told = (await timeline(world, id)).filter(({ type }) => type === "payment.refunded")
    expect(told).toMatchObject([{ data: { origin: "provider", refund_amount: 400, refunded_total: 400 } }])
  }
  itWalks("a part refunded at the provider is refunded here, once", [
    [[byHand(), byHand()], "PARTIALLY_REFUNDED 1000 -400", refunds(["provider", 400, "succeeded"]), tellsOf],
    [asks("refund", "200", 600), "REFUNDED 1000 -1000"]
  ])

  for (const [status, after] of [
    ["succeeded", "PARTIALLY_REFUNDED 1000 -400"],
    ["failed", "CAPTURED 1000"]
  ] as const) {
    itWalks(`a refund by hand that is pending there is held until it has ${status}`, [
      [byHand({ status: "pending" }), "CAPTURED 1000 ~400"],
      [byHand({ status }), after]
    ])
  }

  itWalks("an unanswered refund of ours and one by hand both count once ours is stated", [
    [[...unanswered(400), byHand()], "CAPTURED 1000 ~400 refund_unknown"],
    [ours(), "PARTIALLY_REFUNDED 1000 -800", refunds(["api", 400, "succeeded"], ["provider", 400, "succeeded"])]
  ])

  itWalks("an unanswered refund of ours counts once when stated without our id first", [
    [[...unanswered(400), byHand({ id: "re_ours" })], "CAPTURED 1000 ~400 refund_unknown"],
    [ours("pending"), "PARTIALLY_REFUNDED 1000 -400", refunds(["api", 400, "succeeded"])]
  ])

  const reset: Step = async ({ world }) => world.reset()
  itWalks("what exceeds our unanswered refund is reserved when more is refunded by hand", [
    [[...unanswered(100), reset, byHand({ amount: 900 })], "CAPTURED 1000 ~100 refund_unknown"],
    // Of 1000 are 100 open, and 800 more than that were given back by hand.
    [asks("refund", "200", 500), "PARTIALLY_REFUNDED 1000 -100 ~100 refund_unknown"]
  ])

  itWalks("a refund by hand above the capture closes refunds, and operators review it", [
    [
      [asks("refund", "200", 300), byHand({ amount: 800 })],
      "PARTIALLY_REFUNDED 1000 -300 conflict refund_excess",
      times("payment.conflict", 1)
    ],
    [asks("refund", "409 not_refundable", 100), "PARTIALLY_REFUNDED 1000 -300 conflict refund_excess"]
  ])

  itWalks("nothing is refunded by what came before a failure that arrived first", [
    [[byHand({ status: "failed", ...at(5) }), byHand(at(2)), byHand({ status: "pending", ...at(1) })], "CAPTURED 1000"],
    // The provider repeated it, and it went through.
    [byHand(at(9)), "PARTIALLY_REFUNDED 1000 -400"]
  ])

  itWalks("a lookup decides between a failure that arrived first and a success of one time", [
    [[byHand({ status: "failed" }), byHand()], "CAPTURED 1000 ~400"]
  ])

  itWalks("a refund waiting for ours counts with ours if its failure precedes its success", [
    [[...unanswered(100), byHand(at(5)), byHand({ status: "failed", ...at(2) })], "CAPTURED 1000 ~100 refund_unknown"],
    [ours(), "PARTIALLY_REFUNDED 1000 -500"]
  ])

  itWalks("a refund older than ours that waits for it counts beside it once ours is stated", [
    [[...unanswered(100), byHand({ at: "2020-01-01T00:00:00Z" }), ours()], "PARTIALLY_REFUNDED 1000 -500"],
    [[], "PARTIALLY_REFUNDED 1000 -500", refunds(["api", 100, "succeeded"], ["provider", 400, "succeeded"])]
  ])
})
