/** How a response that lasts ends with the session that asked for it. */
import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { type Access, refusalOf } from "./Access.ts"
import { currentSession } from "./Authorize.ts"
import { ConsoleSettings, Stopping } from "./Settings.ts"

/** A removed operator sees no more after this long, in milliseconds. */
const checkEveryMillis = 3_000

/**
 * Completes soon after the session ended, after its operator lost the access, and at once when the console stops. A
 * storage that does not answer ends nothing: whatever the response reads next fails by itself.
 */
export const sessionEnd = (access: Access) =>
  Effect.raceFirst(
    Effect.gen(function* () {
      const { workspace } = yield* HttpRouter.params
      const { requirePasskey } = yield* ConsoleSettings
      for (;;) {
        yield* Effect.sleep(checkEveryMillis)
        const isOver = yield* Effect.match(currentSession, {
          onFailure: ({ error }) => error.code === "not_signed_in",
          onSuccess: (signedIn) => refusalOf(signedIn, access, workspace, requirePasskey) !== undefined
        })
        if (isOver) return
      }
    }),
    stopped
  )

const stopped = Effect.flatMap(Stopping, (signal) =>
  Effect.callback<void>((resume) => {
    const onAbort = () => resume(Effect.void)
    if (signal.aborted) onAbort()
    signal.addEventListener("abort", onAbort, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", onAbort))
  })
)
