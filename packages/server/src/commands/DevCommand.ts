/** `pointsman dev`: a sandbox to try things in. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { settingFlags, textsOf } from "./SettingFlags.ts"

export const devCommand = Command.make(
  "dev",
  {
    fresh: Flag.Boolean("fresh").pipe(
      Flag.withDescription("Begin anew: forget the payments, the key and the rest of an earlier run"),
      Flag.withDefault(false),
      Flag.withoutNegation
    ),
    memory: Flag.Boolean("memory").pipe(
      Flag.withDescription("Keep nothing: the database is gone with the process"),
      Flag.withDefault(false),
      Flag.withoutNegation
    ),
    ...settingFlags(["port", "host", "baseUrl"])
  },
  Effect.fnUntraced(function* ({ fresh, memory, ...given }) {
    // The server is most of the program: the other commands begin sooner without it.
    const { dev } = yield* Effect.promise(() => import("../Dev.ts"))
    return yield* dev({ flags: textsOf(given), fresh, inMemory: memory })
  })
).pipe(
  Command.withDescription(
    "Run a sandbox for development: a server with a demo workspace, two simulated providers, a key, payments in every " +
      "state that is worth looking at, a hosted page that waits for its customer, and a receiver that shows the webhooks " +
      "as they arrive. What is open is asked about every two seconds. It is kept in .pointsman/dev.db, beside which " +
      "`pointsman trigger` and `pointsman listen` find it."
  ),
  Command.withShortDescription("Run a sandbox with payments to look at"),
  Command.withExamples([
    { command: "pointsman dev", description: "On port 3000" },
    { command: "pointsman dev --fresh --port 0", description: "From the beginning, on a free port" }
  ])
)
