/**
 * A gateway in front of a provider that answers lookups by itself, through the server and over sockets. Its words are no
 * answer about a charge or a refund: only the provider's own "never received" settles one.
 */
import { assert, describe, it } from "vitest"
import { makeMovedClock } from "./support/MovedClock.ts"
import { openShop } from "./support/ShopHere.ts"
import { until } from "./support/Until.ts"

/** One after the other. */
const gatewayAnswers = [
  { status: 404, body: { message: "no Route matched with those values" } },
  { status: 404, body: {} },
  { status: 502, body: {} }
]
const lookUps = ["lookUpCharge", "lookUpRefund"] as const

describe("a gateway that answers lookups", () => {
  it("a 404 or 502 of a gateway settles nothing; the provider's word does", async () => {
    const { clock, push } = makeMovedClock()
    const { callsOf, create, provider, read, refund } = await openShop({
      clock,
      environment: { POINTSMAN_UNKNOWN_CHECK_INTERVAL: "1 second", POINTSMAN_REFUND_CHECK_INTERVAL: "1 second" }
    })
    const refunded = await create("refunded")
    // Lost on the way: the provider executes neither.
    for (const operation of ["charge", "refund"] as const) provider.always(operation, () => "drop")
    for (const operation of lookUps) {
      provider.always(operation, () => gatewayAnswers[callsOf(operation).length % 3] ?? "drop")
    }
    const charged = await create("charged")
    const lost = await refund(refunded, { amount: 1999 })
    assert.deepStrictEqual([lost.status, lost.body.error.code], [502, "refund_result_unknown"])
    // Old enough for "never received" to be believed.
    push(3_600_000)
    const before = lookUps.map((operation) => callsOf(operation).length)
    await until("each gateway answered for both", () =>
      lookUps.every((operation, at) => callsOf(operation).length > (before[at] ?? 0) + gatewayAnswers.length)
    )
    assert.deepInclude(await read(charged), { status: "UNKNOWN", captured_amount: 0 })
    assert.deepInclude(await read(refunded), { status: "CAPTURED", refunded_amount: 0, refund_pending_amount: 1999 })
    const again = await refund(refunded, { amount: 1999 })
    assert.deepStrictEqual([again.status, again.body.error.code], [409, "refund_pending"])

    for (const operation of lookUps) provider.always(operation, (call) => call.execute())
    await until(
      "the provider's word settles the refund",
      async () => (await read(refunded)).refund_pending_amount === 0
    )
    await until("the provider's word settles the charge", async () => (await read(charged)).status === "FAILED")
    assert.deepInclude(await read(refunded), { status: "CAPTURED", refunded_amount: 0 })
    assert.deepStrictEqual(
      provider.charges.map(({ paymentId, refunds }) => [paymentId, refunds.size]),
      [[refunded, 0]]
    )
  })
})
