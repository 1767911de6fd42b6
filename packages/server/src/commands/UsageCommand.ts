/** `pointsman usage`: what a workspace is billed by. */
import { Pointsman } from "@pointsman/core"
import { Clock } from "effect"
import { Flag } from "effect/cli"
import { CommandFailure } from "./CommandFailure.ts"
import { databaseCommand } from "./DatabaseCommand.ts"
import { epochMillisIn, epochMillisOf, momentFlag } from "./Moment.ts"
import { print } from "./Output.ts"
import { facts } from "./Table.ts"
import { workspaceFlag, workspaceOf } from "./Tenants.ts"
import { timeOf } from "./Words.ts"

export const usageCommand = databaseCommand(
  {
    name: "usage",
    short: "Count billable payments",
    long:
      "Count the production payments that reached a provider, regardless of the result. Payments that were " +
      "never sent and sandbox payments do not count.",
    examples: { "pointsman usage --workspace acme --from 2026-11-01 --until 2026-12-01": "One month" },
    flags: {
      workspace: workspaceFlag,
      from: momentFlag("from", "Payments created at or after this time"),
      until: momentFlag("until", "Payments created before this time; default: now").pipe(Flag.optional)
    }
  },
  function* ({ from: first, until: last, workspace }, { json }) {
    const workspaceId = yield* workspaceOf(workspace)
    const now = yield* Clock.currentTimeMillis
    const from = epochMillisOf(first, now)
    const until = epochMillisIn(last, now) ?? now
    if (from >= until) {
      return yield* new CommandFailure({
        message: `--from: expected a time before the end of the period, ${timeOf(until)}.`
      })
    }
    const payments = yield* (yield* Pointsman).usage({ workspaceId, from, until })
    const document = { workspace_id: workspaceId, from: timeOf(from), until: timeOf(until), payments }
    yield* print(
      json,
      { data: document },
      facts([
        ["Workspace", workspaceId],
        ["From", document.from],
        ["Until", document.until],
        ["Payments", payments]
      ])
    )
  }
)
