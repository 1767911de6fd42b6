/**
 * Refuses card numbers in the texts of a request, which are stored and sent out in events. Digits alone may be an order
 * number: whether they are refused as well is a setting.
 */
import { Clock, Context, Effect, Layer, Metric } from "effect"
import { type CardNumberKind, cardNumberIn } from "./api/CardNumber.ts"
import type { ErrorBody } from "./api/Errors.ts"
import { validationErrorOf } from "./Expectations.ts"

/** What happens to a card number that is written as digits alone. */
export type BareCardNumbers = "warn" | "refuse"

interface CardNumberPolicy {
  readonly bare: BareCardNumbers
  /** Whether this warning is due: one an hour. */
  readonly warns: (nowMillis: number) => boolean
}

const warningMillis = 60 * 60_000

const cardNumberPolicy = (bare: BareCardNumbers): CardNumberPolicy => {
  let warnedAt = Number.NEGATIVE_INFINITY
  return {
    bare,
    warns: (nowMillis) => {
      if (nowMillis - warnedAt < warningMillis) return false
      warnedAt = nowMillis
      return true
    }
  }
}

export const CardNumbers = Context.Reference<CardNumberPolicy>("pointsman/http/CardNumbers", {
  defaultValue: () => cardNumberPolicy("warn")
})

/** `bare`: digits alone are stored with a warning unless set. */
export const layer = ({ bare }: { readonly bare: BareCardNumbers }): Layer.Layer<never> =>
  Layer.sync(CardNumbers, () => cardNumberPolicy(bare))

const bareCardNumbers = Metric.counter("pointsman_bare_card_numbers_total", {
  description: "Texts of requests that held a card number as digits alone, and were stored.",
  incremental: true
})

/** Fails for the fields that hold a card number. The number itself is in no message and in no log. */
export const refuseCardNumbers = (
  fields: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
): Effect.Effect<void, ErrorBody<"validation_error">> => {
  const found = Object.entries(fields).flatMap(([name, given = []]): ReadonlyArray<[string, CardNumberKind]> => {
    const kinds = new Set((typeof given === "string" ? [given] : given).map(cardNumberIn))
    const kind = kinds.has("written") ? "written" : kinds.has("bare") ? "bare" : undefined
    return kind === undefined ? [] : [[name, kind]]
  })
  return found.length === 0 ? Effect.void : refuseOrWarn(found)
}

const refuseOrWarn = Effect.fnUntraced(function* (found: ReadonlyArray<[string, CardNumberKind]>) {
  const policy = yield* CardNumbers
  const refused = found.filter(([, kind]) => kind === "written" || policy.bare === "refuse").map(([name]) => name)
  if (refused.length > 0) {
    return yield* Effect.fail(validationErrorOf(...refused.map((name) => `\`${name}\` must not contain a card number`)))
  }
  yield* Metric.update(bareCardNumbers, found.length)
  if (!policy.warns(yield* Clock.currentTimeMillis)) return
  yield* Effect.logWarning(
    "A text of a request may be a card number, and was stored. POINTSMAN_CARD_NUMBERS=refuse refuses such requests",
    { fields: found.map(([name]) => name) }
  )
})
