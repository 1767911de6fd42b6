/**
 * Sides that are measured against each other run within one round, one after the other, and the next round runs them
 * backwards: what slows the machine for a while slows all of them. Ratios are formed within a round.
 */

/** The median, and the least and the greatest of all rounds. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

const spreadOf = (numbers: ReadonlyArray<number>): Spread => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const at = (index: number) => sorted[index] ?? Number.NaN
  const middle = sorted.length >> 1
  return {
    median: sorted.length % 2 === 1 ? at(middle) : (at(middle - 1) + at(middle)) / 2,
    min: at(0),
    max: at(sorted.length - 1)
  }
}

export type Round<Name extends string, A> = Readonly<Record<Name, A>>

export const inRounds = async <Name extends string, A>(
  rounds: number,
  sides: Readonly<Record<Name, () => Promise<A>>>,
  onMeasured: (name: Name, measured: A, round: number) => void = () => {}
): Promise<ReadonlyArray<Round<Name, A>>> => {
  const names = Object.keys(sides) as Array<Name>
  const all: Array<Round<Name, A>> = []
  for (let round = 0; round < rounds; round++) {
    const measured: Partial<Record<Name, A>> = {}
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const one = await sides[name]()
      onMeasured(name, one, round)
      measured[name] = one
    }
    all.push(measured as Round<Name, A>)
  }
  return all
}

export const spread = <A>(rounds: ReadonlyArray<A>, of: (round: A) => number): Spread => spreadOf(rounds.map(of))
