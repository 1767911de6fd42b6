/** The endpoints of the audit trail. */
import { pageLimits } from "@pointsman/http/api"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import { deskAnswers } from "../api/DeskAnswers.ts"
import * as Desk from "./AuditDesk.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "audit",
  Effect.fnUntraced(function* (handlers) {
    const { run } = yield* deskAnswers
    return handlers
      .handle("auditTrail", ({ query }) => run(Desk.entries(undefined, { limit: pageLimits.default, ...query })))
      .handle("workspaceAudit", ({ params, query }) =>
        run(Desk.entries(params.workspace, { limit: pageLimits.default, ...query }))
      )
  })
)
