/** What a merchant is told about a decline: on the payment, on its attempts, and in the event. */
import { assert, describe, it } from "@effect/vitest"
import { declineOfAttempt, declineOfPayment, type Payment, Pointsman } from "@pointsman/core"
import {
  adviceOf,
  type ChargeAnswer,
  categoryOfDecline,
  type DeclineCode,
  declineCategories,
  declineCodes,
  declineDetail,
  declineMeaning
} from "@pointsman/core/connector"
import { Effect } from "effect"
import { itIn } from "./support/ItIn.ts"
import { ofAttempt, say } from "./support/Messages.ts"
import { created, onMain } from "./support/Operations.ts"
import { attemptsOf, stored } from "./support/Pages.ts"
import { tenant, world } from "./support/World.ts"

const declined = (
  category: (typeof declineCategories)[number],
  code: string,
  soft: boolean,
  normalized?: DeclineCode
): ChargeAnswer => ({ _tag: "Declined", providerRef: null, category, code, soft, normalized })

const eventOf = ({ id }: Payment) =>
  Effect.gen(function* () {
    const timeline = yield* (yield* Pointsman).timeline(tenant, id, { limit: 100 })
    return timeline.items.find(({ type }) => type === "payment.declined")?.data["decline"]
  })

const shown = (
  category: (typeof declineCategories)[number],
  code: DeclineCode,
  provider_code: string,
  advice: string
) => ({
  category,
  code,
  provider_code,
  advice
})

const shownOf = ({ routing }: Payment) => (routing?.attempts ?? []).map(declineOfAttempt)

describe("the advice of a decline", () => {
  it("the same method is not to be tried again after a hard decline of any code", () => {
    for (const code of declineCodes) {
      assert.notStrictEqual(adviceOf({ code, isSoft: false }), "retry_later", code)
    }
  })

  it("no order is charged again after fraud, a stolen card or a late response", () => {
    const risky = [
      "suspected_fraud",
      "stolen_card",
      "response_late",
      "result_uncertain",
      "duplicate_transaction"
    ] as const
    for (const code of risky) {
      for (const isSoft of [true, false]) assert.strictEqual(adviceOf({ code, isSoft }), "do_not_retry", code)
    }
  })

  it("no other connection is asked if an entry lacks softness and money may be taken", () => {
    const soft = declineCodes.filter((code) => declineMeaning(code).soft)
    assert.deepStrictEqual(soft, [
      "do_not_honor",
      "call_issuer",
      "do_not_try_again",
      "limit_exceeded",
      "amount_limit_exceeded",
      "count_limit_exceeded",
      "issuer_unavailable",
      "processing_error"
    ])
  })

  it("a category is a code of itself, also where the stated code is of another one", () => {
    for (const category of declineCategories) assert.strictEqual(categoryOfDecline(category), category)
    const detail = declineDetail({ category: "expired_card", normalized: "lost_card", soft: false })
    assert.deepStrictEqual(detail, { code: "expired_card", isSoft: false })
  })
})

describe("a declined payment", () => {
  const { provider, layer } = world()

  itIn("the payment, its attempt and the event show the same decline of a table's code", { layer }, function* () {
    provider.onCharge = () => Effect.succeed(declined("lost_or_stolen", "41", false, "lost_card"))
    const payment = yield* created()
    const decline = shown("lost_or_stolen", "lost_card", "41", "do_not_retry")
    assert.deepStrictEqual<unknown>(declineOfPayment(payment), decline)
    assert.deepStrictEqual<unknown>(shownOf(payment), [decline])
    assert.deepStrictEqual(yield* eventOf(payment), decline)
    assert.deepStrictEqual<unknown>(declineOfPayment(yield* stored(payment)), decline)
    const [attempt] = yield* attemptsOf(payment)
    assert.isFalse(attempt !== undefined && "decline" in attempt)
  })

  itIn("each attempt shows its own soft decline, and the payment the last one", { layer }, function* () {
    provider.onCharge = onMain(
      Effect.succeed(declined("issuer_unavailable", "91", true)),
      Effect.succeed(declined("limit_exceeded", "61", true, "amount_limit_exceeded"))
    )
    const payment = yield* created()
    const first = shown("issuer_unavailable", "issuer_unavailable", "91", "retry_later")
    const last = shown("limit_exceeded", "amount_limit_exceeded", "61", "retry_later")
    assert.deepStrictEqual<unknown>(shownOf(payment), [first, last])
    assert.deepStrictEqual<unknown>(declineOfPayment(payment), last)
    assert.deepStrictEqual(yield* eventOf(payment), last)
  })

  itIn("a later message on the second attempt leaves the first one's soft decline", { layer }, function* () {
    provider.onCharge = onMain(
      Effect.succeed(declined("do_not_honor", "01", true, "call_issuer")),
      Effect.succeed({ _tag: "Pending", providerRef: "r2" })
    )
    const payment = yield* created()
    const [, second] = yield* attemptsOf(payment)
    const state = { ...declined("expired_card", "54", false), providerRef: "r2" } as never
    yield* say(ofAttempt(second, state), { connectionId: second?.connectionId ?? "" })
    const after = yield* stored(payment)
    assert.deepStrictEqual(
      shownOf(after).map((shown) => [shown?.code, shown?.advice]),
      [
        ["call_issuer", "retry_later"],
        ["expired_card", "use_another_method"]
      ]
    )
    assert.strictEqual(declineOfPayment(after)?.code, "expired_card")
  })

  itIn("a provider that needs the customer requires authentication", { layer }, function* () {
    provider.onCharge = () => Effect.succeed({ _tag: "NeedsCustomer", providerRef: null })
    const payment = yield* created()
    assert.deepStrictEqual<unknown>(
      declineOfPayment(payment),
      shown("authentication_failed", "authentication_required", "provider_requires_action", "use_another_method")
    )
  })

  itIn("a decline stored without its code has its category as the code, and is hard", { layer }, function* () {
    provider.onCharge = () => Effect.succeed(declined("do_not_honor", "05", true))
    const payment = yield* created()
    assert.deepStrictEqual<unknown>(
      declineOfPayment({ ...payment, routing: null }),
      shown("do_not_honor", "do_not_honor", "05", "use_another_method")
    )
    assert.isUndefined(declineOfPayment({ ...payment, state: "Captured" }))
  })
})
