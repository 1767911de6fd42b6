/**
 * The clocks of the processes differ, and the provider executes what it did not answer nearly as late as it may: whoever
 * compares a time of one clock with a time of another believes too early that it never will.
 */
import { type CallHandling, timeoutMillis } from "../CallHandling.ts"
import { nothingActs, nothingOutside, type Outside, type OutsideOptions } from "./Outside.ts"

/** How many of the charges, captures and refunds are executed that late. */
const lateShare = 0.4
/** Before how many steps every process looks at what is due, and how often. */
const lookShare = 0.6
const looks = 6
const lookEveryMillis = 10_000

export const withDifferingClocks = ({ plan }: OutsideOptions): Outside => ({
  ...nothingOutside,
  handlingOf: ({ name }) =>
    plan.fault(lateShare, (draw) => {
      const doneAfter = timeoutMillis + draw.below(timeoutMillis)
      const is: CallHandling = { _tag: "Unheard", doneAfter, silentFor: draw.pick([0, timeoutMillis]) }
      return { is, words: `${name} is not answered, and executed after ${doneAfter / 1_000} s` }
    }),
  begin: async ({ world }) => ({
    ...nothingActs,
    before: async () => {
      if (plan.fault(lookShare, () => ({ is: true, words: "every process looks at what is due" })) !== true) return
      for (let look = 0; look < looks; look++) {
        for (const process of world.alive()) process.ask((pointsman) => pointsman.checkDue)
        await world.time.pass(lookEveryMillis)
      }
    }
  })
})
