/** Everything that a walk leaves to chance, drawn from one seed: the same seed is the same walk. */

export interface Draw {
  /** From 0 to below 1. */
  readonly fraction: () => number
  /** A whole number from 0 to below `bound`. */
  readonly below: (bound: number) => number
  readonly pick: <A>(choices: readonly [A, ...ReadonlyArray<A>]) => A
  /** `undefined` where there is nothing to choose from. */
  readonly one: <A>(choices: ReadonlyArray<A>) => A | undefined
  readonly chance: (probability: number) => boolean
}

/** The generator is mulberry32: small, and good enough to choose what happens next. */
export const drawFrom = (seed: number): Draw => {
  let state = (seed * 7919) | 0
  const fraction = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (bound: number) => Math.floor(fraction() * bound)
  return {
    fraction,
    below,
    pick: (choices) => choices[below(choices.length)] ?? choices[0],
    one: (choices) => choices[below(choices.length)],
    chance: (probability) => fraction() < probability
  }
}
