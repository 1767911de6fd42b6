/** The ways to choose a connection that are compared. Each receives only the results of its own choices. */
import { bySuccess, type PaymentDetails, type StrategyCandidate, type SuccessRate } from "@pointsman/core"
import { faded, noRate, withOutcomes } from "@pointsman/core/internal"
import type { World } from "./Worlds.ts"

export interface Choice {
  /** The connection, counted from 0 by priority. */
  readonly chosen: number
  /** Whom it would have chosen had it not explored; `undefined` where it did not explore, or does not say. */
  readonly insteadOf?: number | undefined
}

export interface Policy {
  readonly choose: (payment: number, segment: number) => Choice
  readonly learn: (payment: number, segment: number, chosen: number, isSuccess: boolean) => void
}

export interface NamedPolicy {
  readonly id: string
  /** In the head of a column. */
  readonly name: string
  readonly make: (world: World, chance: () => number) => Policy
}

const payment: PaymentDetails = {
  reference: null,
  money: { minorUnits: 1000, currency: "EUR" },
  country: "NL",
  method: "card",
  cardBrand: "visa",
  initiator: "cit",
  captureMethod: "automatic",
  simulation: null
}

/** The mode `auto` of core itself, with what its servers would have learned of the connection and of the segment. */
export const auto = (id: string, name: string, exploration: number): NamedPolicy => ({
  id,
  name,
  make: (world, chance) => {
    const count = world.truth(0, 0).length
    const rates = (): Array<SuccessRate> => Array.from({ length: count }, () => noRate)
    const whole = rates()
    // Where all payments are of one segment, it is the whole.
    const segments = world.secondSegment === 0 ? [whole] : [rates(), rates()]
    const kept = world.secondSegment === 0 ? [] : [whole]
    // What core draws from a payment's id has to differ from seed to seed.
    const seed = Math.floor(chance() * 1_000_000)
    return {
      choose: (number, segment) => {
        const now = number * world.everyMillis
        const candidates = whole.map((rate, index): StrategyCandidate => {
          const connection = faded(rate, now)
          const here = segments[segment]?.[index] ?? noRate
          return {
            connectionId: String(index),
            name: `Connection ${index}`,
            priority: index + 1,
            rates: { connection, segment: here === rate ? connection : faded(here, now) }
          }
        })
        const first = (share: number, drawn: number) => {
          const { order } = bySuccess(`${seed}-${number}`, share).order({ payment, candidates, draw: () => drawn })
          return Number(order[0])
        }
        const drawn = chance()
        return drawn < exploration
          ? { chosen: first(exploration, drawn), insteadOf: first(0, drawn) }
          : { chosen: first(exploration, drawn) }
      },
      learn: (number, segment, chosen, isSuccess) => {
        const counts = { succeeded: isSuccess ? 1 : 0, failed: isSuccess ? 0 : 1 }
        for (const known of [...kept, segments[segment] ?? []]) {
          known[chosen] = withOutcomes(known[chosen] ?? noRate, counts, number * world.everyMillis)
        }
      }
    }
  }
})

/** One connection, whatever happens. */
export const always = (id: string, name: string, choiceIn: (world: World) => number): NamedPolicy => ({
  id,
  name,
  make: (world) => {
    const chosen = choiceIn(world)
    return { choose: () => ({ chosen }), learn: () => {} }
  }
})

/** A policy that keeps what it knows of each segment apart. */
const bySegment = (make: () => Pick<OneSegment, "choose" | "learn">): Policy => {
  const segments = [make(), make()]
  return {
    choose: (_, segment) => segments[segment]?.choose() ?? { chosen: 0 },
    learn: (_, segment, chosen, isSuccess) => segments[segment]?.learn(chosen, isSuccess)
  }
}

interface OneSegment {
  readonly choose: () => Choice
  readonly learn: (chosen: number, isSuccess: boolean) => void
}

const greatestOf = (scores: ReadonlyArray<number>): number =>
  scores.reduce((best, score, index) => (score > (scores[best] ?? Number.NEGATIVE_INFINITY) ? index : best), 0)

/** Discounted Thompson sampling (Raj and Kalyani, arXiv 1707.09727): all counts fade with every payment. */
export const thompson = (discount: number): NamedPolicy => ({
  id: "thompson",
  name: "Thompson sampling",
  make: (world, chance) =>
    bySegment(() => {
      const known = world.truth(0, 0).map(() => ({ succeeded: 0, failed: 0 }))
      return {
        choose: () => ({
          chosen: greatestOf(known.map(({ failed, succeeded }) => beta(1 + succeeded, 1 + failed, chance)))
        }),
        learn: (chosen, isSuccess) => {
          for (const [index, counts] of known.entries()) {
            counts.succeeded = discount * counts.succeeded + (index === chosen && isSuccess ? 1 : 0)
            counts.failed = discount * counts.failed + (index === chosen && !isSuccess ? 1 : 0)
          }
        }
      }
    })
})

const beta = (a: number, b: number, chance: () => number): number => {
  const [one, other] = [gamma(a, chance), gamma(b, chance)]
  return one / (one + other)
}

/** Marsaglia and Tsang, for a shape of 1 and above. */
const gamma = (shape: number, chance: () => number): number => {
  const d = shape - 1 / 3
  for (;;) {
    // Nineteen of twenty draws are taken.
    const normal = Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance())
    const v = (1 + normal / Math.sqrt(9 * d)) ** 3
    if (v > 0 && Math.log(1 - chance()) < normal ** 2 / 2 + d - d * v + d * Math.log(v)) return d * v
  }
}

/** The rate of each connection's last outcomes leads, and a share of the payments goes to any other one. */
export const hedging = (bucket: number, share: number): NamedPolicy => ({
  id: "hedging",
  name: `Hedging ${share * 100} %`,
  make: (world, chance) =>
    bySegment(() => {
      const known = world.truth(0, 0).map(() => ({ last: [] as boolean[], succeeded: 0 }))
      return {
        choose: () => {
          // Nothing says what an unknown connection counts as: here it is tried.
          const leader = greatestOf(
            known.map(({ last, succeeded }) => (last.length === 0 ? 1 : succeeded / last.length))
          )
          if (chance() >= share) return { chosen: leader }
          const others = known.flatMap((_, index) => (index === leader ? [] : [index]))
          return { chosen: others[Math.floor(chance() * others.length)] ?? leader, insteadOf: leader }
        },
        learn: (chosen, isSuccess) => {
          const counts = known[chosen]
          if (counts === undefined) return
          counts.last.push(isSuccess)
          if (isSuccess) counts.succeeded++
          if (counts.last.length > bucket && counts.last.shift() === true) counts.succeeded--
        }
      }
    })
})

/** Sliding-window UCB (Garivier and Moulines, arXiv 0805.3415), over the last payments of all connections together. */
export const slidingUcb = (window: number, width: number): NamedPolicy => ({
  id: "ucb",
  name: "Sliding-window UCB",
  make: (world) =>
    bySegment(() => {
      const known = world.truth(0, 0).map(() => ({ asked: 0, succeeded: 0 }))
      const last: Array<{ readonly chosen: number; readonly isSuccess: boolean }> = []
      const count = ({ chosen, isSuccess }: (typeof last)[number], by: 1 | -1) => {
        const counts = known[chosen]
        if (counts === undefined) return
        counts.asked += by
        counts.succeeded += isSuccess ? by : 0
      }
      return {
        choose: () => ({
          chosen: greatestOf(
            known.map(({ asked, succeeded }) =>
              asked === 0
                ? Number.MAX_VALUE
                : succeeded / asked + Math.sqrt((width * Math.log(Math.max(2, last.length))) / asked)
            )
          )
        }),
        learn: (chosen, isSuccess) => {
          last.push({ chosen, isSuccess })
          count({ chosen, isSuccess }, 1)
          const gone = last.length > window ? last.shift() : undefined
          if (gone !== undefined) count(gone, -1)
        }
      }
    })
})
