/** What a run leaves to chance, drawn from one seed: the same seed draws the same plan. */

export interface Draw {
  /** From 0 to below 1. */
  readonly fraction: () => number
  /** A whole number from `from` to `to`, both included. */
  readonly between: (from: number, to: number) => number
  readonly chance: (probability: number) => boolean
  /** `undefined` where there is nothing to choose from. */
  readonly one: <A>(choices: ReadonlyArray<A>) => A | undefined
  /** One of the names, each as often as its weight says; the last one where no weight is above 0. */
  readonly weighted: <Name extends string>(weights: Readonly<Record<Name, number>>) => Name
}

/** The generator is mulberry32: small, and good enough to choose what happens next. */
export const drawFrom = (seed: number): Draw => {
  let state = Math.imul(seed, 7919) | 0
  const fraction = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const between = (from: number, to: number) => from + Math.floor(fraction() * (to - from + 1))
  return {
    fraction,
    between,
    chance: (probability) => fraction() < probability,
    one: (choices) => choices[between(0, choices.length - 1)],
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
