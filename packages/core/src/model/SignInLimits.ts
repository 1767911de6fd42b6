/** How often sign-in may be tried. Each try counts before it is judged, so that tries that come at once count too. */

export const guessWindowMillis = 15 * 60_000

/** In one window. Offices share an address, so that a source may try more often than one login may be tried. */
export const guessesAtMost = { login: 10, source: 60 } as const

/** The tries of a login or a source, the present one included. */
export interface GuessCount {
  /** Epoch milliseconds of the first one in the window. */
  readonly since: number
  readonly count: number
}

/** In milliseconds from now on; `undefined` where the try is within the limit. */
export const retryAfterMillis = (
  { count, since }: GuessCount,
  about: keyof typeof guessesAtMost,
  now: number
): number | undefined => (count > guessesAtMost[about] ? Math.max(1, since + guessWindowMillis - now) : undefined)
