/** What people capture, cancel and let expire at the provider by hand: the provider's messages, over HTTP. */
import { type ChargeState, type ProviderMessage, Unanswered } from "@pointsman/core/ports"
import { Deferred, Effect } from "effect"
import { describe, expect, test } from "vitest"
import { charge, deliver } from "./support/Messages.ts"
import { answerOf, authorized, operate } from "./support/Payments.ts"
import { stores } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { answering, asks, bookOf, ends, type Step, says, tells, times, walk, walks } from "./support/Walks.ts"

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

/** One capture, by the provider's id of it; `isOurs` where it names our operation. */
const captured =
  (captureId: string, amount: number, isOurs = false): Step =>
  async (walker) => {
    const ours = isOurs ? (await bookOf(walker)).operations.at(-1)?.id : ""
    const id = `capture:${captureId}:${ours}:${++told}`
    const message = charge(walker.attemptId, "captured", { amount, currency: "EUR" })
    expect(answerOf(await deliver(walker.world, { ...message, id }))).toBe("200")
  }

const pending = answering({ onCapture: ({ providerRef }) => Effect.succeed({ _tag: "Pending", providerRef }) })

/** An hour after the other messages. */
const failed: Step = async (walker) => {
  const updated = "2026-11-21T13:00:00Z"
  const operation_id = (await bookOf(walker)).operations.at(-1)?.id
  const data = { operation_id, kind: "capture", status: "failed", updated, failure_reason: "no funds" }
  expect(answerOf(await deliver(walker.world, { type: "operation.updated", created: updated, data }))).toBe("200")
}

const canceled = says("canceled")
const noConflict = times("payment.conflict", 0)
const nothingSent: Step = async ({ world }) => expect(world.provider.captures).toHaveLength(0)
const authorizes: Step = async (walker) => expect((await bookOf(walker)).payment.authorizedMinor).toBe(1000)

describe.each(stores.slice(0, 1))("over %s", (_name, store) => {
  const world = usedWorld(store, { reads })
  const itWalks = walks(world, authorized)

  describe("a cancellation of what is not captured", () => {
    itWalks("a part that was captured here releases the rest, and refunds stay open", [
      [[asks("capture", "200", 300), canceled, canceled], "CAPTURED 300", tells(2, "payment.captured"), authorizes],
      [asks("refund", "200"), "REFUNDED 300 -300"]
    ])
    itWalks("a part that was captured by hand releases the rest, and refunds stay open", [
      [[says("captured", 300), canceled], "CAPTURED 300", noConflict, authorizes],
      [asks("refund", "200"), "REFUNDED 300 -300"]
    ])
    itWalks("a payment of which nothing was captured is CANCELLED, by the provider", [
      [canceled, "CANCELLED 0", ends("payment.cancelled", { origin: "provider" }), authorizes]
    ])

    const declined = { _tag: "Declined", category: "do_not_honor", code: "05", soft: false } as const
    const silence = Effect.fail(new Unanswered({ reason: "timed out" }))
    const answers = (state: (providerRef: string) => ChargeState) => (ref: string) => Effect.succeed(state(ref))
    for (const [end, after, ...checks] of [
      [answers((providerRef) => ({ _tag: "Captured", providerRef })), "CAPTURED 300", ends("payment.captured", {})],
      [
        answers((providerRef) => ({ ...declined, providerRef })),
        "CANCELLED 0",
        ends("payment.cancelled", { origin: "provider" })
      ],
      [() => silence, "UNKNOWN 0 unknown", ends("payment.capture_unknown", {})]
    ] as const) {
      test(`the statement is weighed when a capture in flight ends: ${after}`, async () => {
        const asked = Deferred.makeUnsafe<void>()
        const answered = Deferred.makeUnsafe<void>()
        const onCapture = ({ providerRef }: { readonly providerRef: string }) =>
          Deferred.succeed(asked, undefined).pipe(
            Effect.andThen(Deferred.await(answered)),
            Effect.andThen(end(providerRef))
          )
        let reply: Promise<unknown> = Promise.resolve()
        const begins: Step = async ({ id, world }) => {
          reply = operate(world, "capture", id, { body: { amount: 300 } })
          await Effect.runPromise(Deferred.await(asked))
        }
        const goesOn: Step = async () => {
          await Effect.runPromise(Deferred.succeed(answered, undefined))
          await reply
        }
        await walk(world, authorized, [
          [[answering({ onCapture }), begins, canceled], "PENDING 0"],
          [goesOn, after, ...checks, noConflict],
          ...(after.startsWith("UNKNOWN") ? [[says("captured", 300), "CAPTURED 300", noConflict] as const] : [])
        ])
      })
    }

    itWalks("a capture by hand of all contradicts the record, and refunds stay open", [
      [[asks("capture", "200"), canceled], "CAPTURED 1000 conflict", times("payment.conflict", 1)],
      [asks("refund", "200"), "REFUNDED 1000 -1000 conflict"]
    ])
  })

  describe("a capture of another amount than was authorized", () => {
    const mismatched = { stated_amount: 1200, stated_currency: "EUR", captured_amount: 1000 }
    const tooMuch = says("captured", 1200)
    itWalks("more than was authorized is CAPTURED up to that, reviewed, and never sent", [
      [[tooMuch, tooMuch], "CAPTURED 1000 amount_mismatch", ends("payment.amount_mismatch", mismatched), authorizes],
      [[], "CAPTURED 1000 amount_mismatch", tells(2, "payment.captured", "payment.amount_mismatch")],
      [asks("capture", "409 not_capturable"), "CAPTURED 1000 amount_mismatch", nothingSent]
    ])
    const dollars = says("captured", 1000, "USD")
    itWalks("another currency is UNKNOWN, with a review, and no capture is sent", [
      [[dollars, dollars], "UNKNOWN 0 unknown amount_mismatch", tells(2, "payment.amount_mismatch", "payment.unknown")],
      [asks("capture", "409 not_capturable"), "UNKNOWN 0 unknown amount_mismatch", nothingSent],
      [says("captured", 600), "CAPTURED 600 amount_mismatch", authorizes]
    ])
    itWalks("more than was authorized is CAPTURED up to the authorization after a void", [
      [
        [asks("void", "200"), tooMuch],
        "CAPTURED 1000 amount_mismatch conflict",
        tells(3, "payment.conflict", "payment.captured", "payment.amount_mismatch"),
        authorizes
      ]
    ])
  })

  describe("captures by their ids", () => {
    const [first, second] = [captured("P1", 500), captured("P2", 500)]
    itWalks("two captures by hand, each reported twice, add up", [
      [
        [first, second, first, second],
        "CAPTURED 1000 amount_mismatch",
        tells(2, "payment.captured", "payment.amount_mismatch"),
        ends("payment.amount_mismatch", { stated_amount: 1000, captured_amount: 1000 })
      ]
    ])
    const begun = [pending, asks("capture", "200", 500)]
    const ours = captured("P1", 500, true)
    const byHand = captured("P2", 400)
    const third = captured("P3", 500)
    itWalks("ours and one by hand add up; above the authorization they are reviewed", [
      [[...begun, ours], "CAPTURED 500"],
      [[byHand, byHand, ours], "CAPTURED 900 amount_mismatch"],
      [[third, third], "CAPTURED 1000 amount_mismatch", times("payment.amount_mismatch", 2), authorizes],
      [[], "CAPTURED 1000 amount_mismatch", ends("payment.amount_mismatch", { stated_amount: 1400 })]
    ])
    for (const [what, end, after] of [
      ["is confirmed", ours, "CAPTURED 900 amount_mismatch"],
      ["fails", failed, "CAPTURED 400"]
    ] as const) {
      itWalks(`the commit in which ours ${what} counts one by hand during it too`, [
        [[...begun, byHand, byHand], "PENDING 0"],
        [end, after, noConflict]
      ])
    }
    itWalks("one by hand stays when ours fails, and an older word of ours counts no more", [
      [[...begun, ours, byHand, failed], "CAPTURED 400 amount_mismatch"],
      [ours, "CAPTURED 400 amount_mismatch"],
      // A person captured before that, and the message comes late.
      [captured("P3", 300), "CAPTURED 700 amount_mismatch"]
    ])
    itWalks("captures with ids are a part of an amount without an id until they exceed it", [
      [[says("captured", 600), captured("P1", 300), captured("P2", 300)], "CAPTURED 600"],
      [captured("P3", 200), "CAPTURED 800 amount_mismatch"]
    ])
    const many = Array.from({ length: 51 }, (_, index) => captured(`P${index + 1}`, 1))
    itWalks("operations review more captures than are kept, and none is counted twice", [
      [[...many, captured("P50", 1)], "CAPTURED 50 amount_mismatch conflict", times("payment.conflict", 1)]
    ])
  })
})
