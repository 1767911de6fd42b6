/** The day of an environment: what the start page shows. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { failures } from "../api/Errors.ts"
import { Authorize, RequestErrors, summary, tenantPath } from "../api/Parts.ts"
import type { AccessOf } from "../gate/Access.ts"
import { Day } from "./DayRecords.ts"

export class Days extends HttpApiGroup.make("days")
  .add(
    HttpApiEndpoint.get("day", "/workspaces/:workspace/:environment/day", {
      params: tenantPath,
      success: Schema.Struct({ data: Day }),
      error: failures("not_found", "internal_error")
    }).annotateMerge(
      summary("Today", "Volume, authorization rate, and what waits for a person. It is read once in 10 seconds.")
    )
  )
  .middleware(RequestErrors)
  .middleware(Authorize) {}

export const dayAccess = { day: "payment.read" } as const satisfies AccessOf<typeof Days>
