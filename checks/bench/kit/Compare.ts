/** Sides in rounds, after each has run once so that its code is compiled; and what rows are made of. */
import { short } from "./Result.ts"
import { inRounds, type Round, type Spread, spread } from "./Rounds.ts"

export interface Compared<Name extends string, A> {
  readonly rounds: ReadonlyArray<Round<Name, A>>
  /** Of all rounds. */
  readonly spread: (figure: (round: Round<Name, A>) => number) => Spread
  /** One side's figure by another's, round by round. */
  readonly times: (one: Name, other: Name, figure: (measured: A) => number) => Spread
  /** The median of one side's figure, with three digits. */
  readonly median: (name: Name, figure: (measured: A) => number) => string
}

export const compare = async <Name extends string, A>(
  { rounds, tell }: { readonly rounds: number; readonly tell: (line: string) => void },
  sides: Readonly<Record<Name, () => Promise<A>>>,
  told: (name: Name, measured: A) => string
): Promise<Compared<Name, A>> => {
  for (const name of Object.keys(sides) as Array<Name>) await sides[name]()
  const measured = await inRounds(rounds, sides, (name, one) => tell(told(name, one)))
  return {
    rounds: measured,
    spread: (figure) => spread(measured, figure),
    times: (one, other, figure) => spread(measured, (round) => figure(round[one]) / figure(round[other])),
    median: (name, figure) => short(spread(measured, (round) => figure(round[name])).median)
  }
}
