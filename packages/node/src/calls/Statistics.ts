/** Success rates, circuits and usage. */
import * as Core from "@pointsman/core"
import { Effect } from "effect"
import { checkOptions, wrong } from "../Orders.ts"
import type { Pointsman } from "../Pointsman.ts"
import { circuitView, rateView } from "../Views.ts"
import { type Defaults, fromStore, readerOf } from "./RunCall.ts"

export const successRates = Effect.fnUntraced(function* (defaults: Defaults, options: unknown) {
  const pointsman = yield* Core.Pointsman
  const rates = yield* fromStore(pointsman.successRates(yield* readerOf(defaults, options)))
  return rates.map(rateView)
})

export const circuits = Effect.flatMap(Core.Pointsman, (pointsman) =>
  Effect.map(pointsman.circuits, (all) => all.map(circuitView))
)

export const usage = Effect.fnUntraced(function* (
  defaults: Defaults,
  period: Parameters<Pointsman["usage"]>[0],
  options: unknown
) {
  const pointsman = yield* Core.Pointsman
  const { workspace = defaults.workspace } = yield* checkOptions(options, false)
  if (workspace === undefined) return yield* Effect.fail(wrong("`workspace` is required."))
  const [from, until] = [period?.from, period?.until].map((time) =>
    time instanceof Date ? time.getTime() : Number.NaN
  )
  if (from === undefined || until === undefined || Number.isNaN(from + until)) {
    return yield* Effect.fail(wrong("`from` and `until` must be dates."))
  }
  return yield* fromStore(pointsman.usage({ workspaceId: workspace, from, until }))
})
