/**
 * Charges that the provider accepts and settles only after more than a day, while merchants repeat their requests: a key
 * whose response was not an outcome lives until there is one.
 */
import type { CallHandling } from "../CallHandling.ts"
import { drawFrom } from "../Draw.ts"
import { hour } from "../Time.ts"
import { nothingActs, type Outside, type OutsideOptions } from "./Outside.ts"

/** How many of the charges stay open. */
const rate = 0.5
const openForMillis = 30 * hour
/** Longer than a key is kept after its response, and shorter than those charges are open. */
const passedMillis = 25 * hour

const openStream = -5

export const leavingChargesOpen = ({ plan, seed, steps }: OutsideOptions): Outside => {
  const passesAt = 3 + drawFrom(seed, openStream).below(steps - 4)
  return {
    reached: (provider) => provider,
    handlingOf: ({ name }) =>
      name !== "charge"
        ? undefined
        : plan.fault(rate, (draw) => {
            const is: CallHandling = { _tag: "Accepted", after: openForMillis, becomes: draw.pick(["done", "refused"]) }
            return { is, words: `a charge is accepted, and ${is.becomes} after ${openForMillis / hour} hours` }
          }),
    begin: async ({ world }) => ({
      ...nothingActs,
      before: async (step) => {
        if (step !== passesAt) return
        if (plan.fault(1, () => ({ is: true, words: `${passedMillis / hour} hours pass` })) !== true) return
        await world.time.pass(passedMillis)
      }
    })
  }
}
