/**
 * The most that any router could gain in a world with fees: one that knows the true rates. It gives up one point of approval
 * in the mean of all payments against approval alone, where that gains most.
 */
import { feeOf } from "@pointsman/core/internal"
import type { FeeRun } from "./FeeRuns.ts"
import type { FeeWorld } from "./FeeWorlds.ts"
import { chanceOf } from "./Runs.ts"

/** Of all payments, from 0 to 1: as much as the objective `value` may give up unless it is set. */
const approvalGivenUp = 0.01

/** What may be expected of one payment. */
interface Expected {
  readonly approval: number
  readonly value: number
}

const best = (all: ReadonlyArray<Expected>, isBetter: (one: Expected, than: Expected) => boolean): Expected =>
  all.reduce((found, next) => (isBetter(next, found) ? next : found))

const byValue = (one: Expected, than: Expected): boolean => one.value > than.value

const byApproval = (one: Expected, than: Expected): boolean =>
  one.approval === than.approval ? byValue(one, than) : one.approval > than.approval

/** `explored`: the share of the payments that goes to the best one of the others. */
const leading = (all: ReadonlyArray<Expected>, leader: number, explored: number): Expected => {
  const own = all[leader] ?? { approval: 0, value: 0 }
  const other = best(
    all.filter((_, index) => index !== leader),
    byValue
  )
  return {
    approval: (1 - explored) * own.approval + explored * other.approval,
    value: (1 - explored) * own.value + explored * other.value
  }
}

/** `alone`: the same payments under approval alone. */
export const oracle = (world: FeeWorld, seed: number, explored: number, alone: FeeRun): FeeRun => {
  const nature = chanceOf(seed * 7919)
  let [approval, value] = [0, 0]
  const moves: Array<{ readonly gained: number; readonly lost: number }> = []
  for (let number = 0; number < world.payments; number++) {
    const payment = world.details(nature)
    // The outcome, which is drawn with each payment.
    nature()
    const all = world.truth(number, payment).map((rate, index): Expected => {
      const { feeMinor = 0 } = feeOf(world.fees[index] ?? [], payment, "NL") ?? {}
      return { approval: rate, value: rate * (payment.money.minorUnits - feeMinor) }
    })
    const choices = all.map((_, leader) => leading(all, leader, explored))
    const [safe, dearest] = [best(choices, byApproval), best(choices, byValue)]
    approval += safe.approval
    value += safe.value
    moves.push({ gained: dearest.value - safe.value, lost: safe.approval - dearest.approval })
  }
  let left = approval - (alone.approval - approvalGivenUp) * world.payments
  // The most gained for what is lost first; what loses nothing is always taken.
  const ordered = moves.toSorted(
    (one, other) => other.gained * one.lost - one.gained * other.lost || one.lost - other.lost
  )
  for (const { gained, lost } of ordered) {
    const share = lost <= 0 ? 1 : Math.min(1, Math.max(0, left / lost))
    approval -= share * lost
    value += share * gained
    left -= share * lost
  }
  return { approval: approval / world.payments, value }
}
