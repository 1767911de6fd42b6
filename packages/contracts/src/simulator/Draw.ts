/** Everything that a run leaves to chance, drawn from numbers: the same numbers are the same run. */

export type Draw = ReturnType<typeof drawFrom>

/** The finalizer of MurmurHash3: neighbouring numbers come out far apart. */
const mix = (number: number): number => {
  let mixed = Math.imul(number ^ (number >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}

/**
 * A stream of its own for every list of numbers, so that what is drawn for one step does not depend on how much was
 * drawn before it. The generator is mulberry32: small, and good enough to choose what happens next.
 */
export const drawFrom = (...seed: ReadonlyArray<number>) => {
  let state = seed.reduce((mixed, number) => mix((mixed + Math.imul(number, 0x9e3779b1) + 0x6d2b79f5) | 0), 0)
  /** From 0 to below 1. */
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  /** A whole number from 0 to below `bound`. */
  const below = (bound: number) => Math.floor(fraction() * bound)
  return {
    fraction,
    below,
    pick: <const A>(choices: readonly [A, ...ReadonlyArray<A>]): A => choices[below(choices.length)] ?? choices[0],
    /** `undefined` where there is nothing to choose from. */
    one: <A>(choices: ReadonlyArray<A>): A | undefined => choices[below(choices.length)],
    chance: (probability: number): boolean => fraction() < probability
  }
}
