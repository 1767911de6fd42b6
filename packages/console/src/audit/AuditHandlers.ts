/** The endpoints of the audit trail. */
import { pageLimits } from "@pointsman/http/api"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import type { DeskServices } from "../gate/Caller.ts"
import * as Desk from "./AuditDesk.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "audit",
  Effect.fnUntraced(function* (handlers) {
    const services = yield* Effect.context<DeskServices>()
    return handlers
      .handle("auditTrail", ({ query }) =>
        Desk.entries(undefined, { limit: pageLimits.default, ...query }).pipe(Effect.provideContext(services))
      )
      .handle("workspaceAudit", ({ params, query }) =>
        Desk.entries(params.workspace, { limit: pageLimits.default, ...query }).pipe(Effect.provideContext(services))
      )
  })
)
