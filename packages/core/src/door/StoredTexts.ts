/**
 * Refuses card numbers in the texts of merchants and operators, which are stored and sent out in events. Digits alone may be
 * an order number: whether they are refused as well is a setting. Every method of the door that stores such a text asks here.
 */
import { Clock, Effect, Metric, Schema } from "effect"
import type { CreateRequest } from "../decide/CreateRequest.ts"
import { type CardNumberKind, cardNumberIn } from "../model/CardNumber.ts"
import { CardNumbers } from "../ports/PaymentSettings.ts"
import type { DoorContext } from "./DoorContext.ts"

/** Texts hold card numbers. Nothing was written or sent. */
export class CardNumberFound extends Schema.TaggedError<CardNumberFound>()("pointsman/CardNumberFound", {
  /** Those that hold one, as names are in documents: `return_url`. The number itself is in no message and in no log. */
  fields: Schema.Array(Schema.String)
}) {}

type Texts = Readonly<Record<string, string | ReadonlyArray<string> | null | undefined>>

const bareCardNumbers = Metric.counter("pointsman_bare_card_numbers_total", {
  description: "Texts of requests that held a card number as digits alone, and were stored.",
  incremental: true
})

/** Before the act, so that a refused text is in no entry of the audit trail. */
export const storing =
  (context: DoorContext) =>
  <A, E>(texts: Texts, act: Effect.Effect<A, E>): Effect.Effect<A, E | CardNumberFound> => {
    const found = Object.entries(texts).flatMap(([name, given]): ReadonlyArray<[string, CardNumberKind]> => {
      // A program without types may give anything.
      const kind = typeof given === "string" ? cardNumberIn(given) : Array.isArray(given) ? kindAmong(given) : undefined
      return kind === undefined ? [] : [[name, kind]]
    })
    return found.length === 0 ? act : Effect.andThen(Effect.provideContext(refuseOrWarn(found), context), act)
  }

const kindAmong = (texts: ReadonlyArray<string>): CardNumberKind | undefined => {
  const kinds = new Set(texts.map(cardNumberIn))
  return kinds.has("written") ? "written" : kinds.has("bare") ? "bare" : undefined
}

const refuseOrWarn = Effect.fnUntraced(function* (found: ReadonlyArray<[string, CardNumberKind]>) {
  const { bare, warns } = yield* CardNumbers
  const refused = found.filter(([, kind]) => kind === "written" || bare === "refuse").map(([name]) => name)
  if (refused.length > 0) return yield* new CardNumberFound({ fields: refused })
  yield* Metric.update(bareCardNumbers, found.length)
  if (!warns(yield* Clock.currentTimeMillis)) return
  yield* Effect.logWarning(
    "A text of a request may be a card number, and was stored. POINTSMAN_CARD_NUMBERS=refuse refuses such requests",
    { fields: found.map(([name]) => name) }
  )
})

export const textsOfCreate = ({ cancelUrl, details, returnUrl }: CreateRequest): Texts => ({
  card_brand: details.cardBrand,
  reference: details.reference,
  return_url: returnUrl,
  cancel_url: cancelUrl,
  description: details.purchase?.description,
  metadata: Object.entries(details.metadata ?? {}).flat(),
  lines: details.purchase?.lines?.map(({ name }) => name)
})
