/**
 * The number that the command's process ends with: 0 unless it was set. A command that did what it was asked for, and
 * found something wrong, ends with 1 and prints all the same.
 */
import { Context, Effect } from "effect"

interface EndCode {
  readonly set: (code: number) => void
}

/** A program that runs a command inside itself keeps the number there. */
export const EndCode = Context.Reference<EndCode>("pointsman/server/EndCode", {
  defaultValue: () => ({
    set: (code) => {
      process.exitCode = code
    }
  })
})

export const endWith = (code: number): Effect.Effect<void> =>
  Effect.flatMap(EndCode, ({ set }) => Effect.sync(() => set(code)))
