import { Duration, Option } from "effect"

export const durationExpected = 'a duration such as "30 seconds" or "15 minutes"'

/** Node's timers count in 31 bits of milliseconds; a longer one would fire at once. */
const longestMillis = 24 * 24 * 3_600_000

/** Whole milliseconds of a text such as "30 seconds"; nothing for another text, or for none or too much time. */
export const readDuration = (text: string): Option.Option<number> => {
  const millis = readDelay(text)
  return Option.filter(millis, (value) => value >= 1)
}

/** As `readDuration`, and "0 seconds" is taken too. */
export const readDelay = (text: string): Option.Option<number> =>
  Duration.fromInput(text as Duration.Input).pipe(
    Option.map((duration) => Duration.toMillis(duration)),
    Option.filter((millis) => Number.isInteger(millis) && millis >= 0 && millis <= longestMillis)
  )
