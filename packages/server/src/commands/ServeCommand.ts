/** The commands that run a server: `serve`, and `dev`, a sandbox to try things in. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { startServer } from "../ServeLine.ts"
import { settingNames } from "../Settings.ts"
import { settingFlags, switchFlag, textsOf, withHelp } from "./CommandHelp.ts"

/** `environment`: what the configuration file may refer to. */
export const serveCommand = (environment: Readonly<Record<string, string | undefined>>) =>
  Command.make("serve", settingFlags(settingNames), (given) => startServer(textsOf(given), environment)).pipe(
    withHelp({
      short: "Run the server",
      long:
        "Run the server. Every flag has an equivalent environment variable, named in brackets; the flag " +
        "takes precedence. Without a configuration file, the server starts a sandbox and prints a command " +
        "that creates a first payment.",
      examples: {
        "pointsman serve": "A sandbox, stored in .pointsman",
        "pointsman serve --config pointsman.json --port 8080": "With a configuration file"
      }
    })
  )

export const devCommand = Command.make(
  "dev",
  {
    fresh: switchFlag("fresh", "Start over: delete the payments, the API key and all other data of an earlier run"),
    memory: switchFlag("memory", "Use an in-memory database, which is lost when the process ends"),
    ...settingFlags(["port", "host", "baseUrl", "configuration"])
  },
  Effect.fnUntraced(function* ({ fresh, memory, ...given }) {
    // The server is most of the program: the other commands begin sooner without it.
    const { dev } = yield* Effect.promise(() => import("../Dev.ts"))
    return yield* dev({ flags: textsOf(given), fresh, inMemory: memory })
  })
).pipe(
  withHelp({
    short: "Run a sandbox with sample payments",
    long:
      "Run a sandbox for development: a server with a demo workspace, two simulated providers, an API key, " +
      "payments in every interesting state, a dispute, a report with a payout, an open hosted payment page, and a " +
      "receiver that prints webhooks as they arrive. Open payments are checked every two seconds. Data is stored in " +
      ".pointsman/dev.db; `pointsman trigger` and `pointsman listen` find the sandbox there. Of the file that " +
      "--config names, only the connectors are loaded.",
    examples: {
      "pointsman dev": "On port 3000",
      "pointsman dev --fresh --port 0": "With a new database, on a free port"
    }
  })
)
