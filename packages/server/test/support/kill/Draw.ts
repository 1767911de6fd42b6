/** What a run leaves to chance, drawn from one seed: the same seed draws the same plan. */
import { drawFrom as drawOf } from "../../../../contracts/src/simulator/Draw.ts"

export const drawFrom = (seed: number) => {
  const { chance, fraction, one } = drawOf(seed)
  return {
    ...{ chance, fraction, one },
    /** A whole number from `from` to `to`, both included. */
    between: (from: number, to: number) => from + Math.floor(fraction() * (to - from + 1)),
    /** One of the names, each as often as its weight says; the last one where no weight is above 0. */
    weighted: <Name extends string>(weights: Readonly<Record<Name, number>>) => {
      const names = Object.keys(weights) as [Name, ...Array<Name>]
      let rest = fraction() * names.reduce((sum, name) => sum + weights[name], 0)
      for (const name of names) {
        rest -= weights[name]
        if (rest < 0) return name
      }
      return names.at(-1) ?? names[0]
    }
  }
}
export type Draw = ReturnType<typeof drawFrom>
