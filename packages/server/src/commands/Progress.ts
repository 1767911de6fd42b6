/**
 * How far long work has come: one line on standard error that is written over, for who sits before it. Where standard
 * error is no terminal, and beside `--json`, nothing is written.
 */
import { Context, Effect } from "effect"

interface ProgressTo {
  readonly write: (text: string) => void
}

export const ProgressTo = Context.Reference<ProgressTo | undefined>("pointsman/server/ProgressTo", {
  defaultValue: () => (process.stderr.isTTY === true ? { write: (text) => process.stderr.write(text) } : undefined)
})

/** Without control characters; it takes the place of the line before. */
export type Tell = (line: string) => Effect.Effect<void>

/** The line is gone when the work is over, however it ended. */
export const withProgress = <A, E, R>(json: boolean, work: (tell: Tell) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(ProgressTo, (to) => {
    if (to === undefined || json) return work(() => Effect.void)
    const over = (line: string) => Effect.sync(() => to.write(`\r\u001b[2K${line}`))
    return Effect.ensuring(work(over), over(""))
  })
