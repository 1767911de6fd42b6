/** Whose call it is: the options of the call, or the defaults of `createPointsman`. */
import type { Environment } from "@pointsman/client/contract"
import type * as Core from "@pointsman/core"
import { Directory } from "@pointsman/core/ports"
import * as InProcess from "@pointsman/http/in-process"
import { Effect, Option } from "effect"
import { errorOf } from "../ErrorOf.ts"
import { checkOptions, type Options, wrong } from "../Orders.ts"
import type { PointsmanError } from "../PointsmanError.ts"
import { fromStore } from "./Failures.ts"

/** What calls are about unless they say otherwise. */
export interface Defaults {
  readonly workspace: string | undefined
  readonly environment: Environment | undefined
}

export const tenantOf = (defaults: Defaults, options: Options): Effect.Effect<Core.Tenant, PointsmanError> => {
  const workspaceId = options.workspace ?? defaults.workspace
  const environment = options.environment ?? defaults.environment
  if (workspaceId === undefined) {
    return Effect.fail(wrong("`workspace` is required: more than one workspace, or none, is configured."))
  }
  return environment === undefined
    ? Effect.fail(wrong("`environment` is required, here or in `createPointsman`: sandbox or production."))
    : Effect.succeed({ workspaceId, environment })
}

/** A workspace that is suspended is refused like a key of it. */
export const callerOf = (defaults: Defaults, options: Options): Effect.Effect<Core.Caller, PointsmanError, Directory> =>
  Effect.flatMap(tenantOf(defaults, options), (tenant) =>
    Effect.flatMap(Directory, (directory) =>
      Effect.flatMap(fromStore(directory.workspace(tenant.workspaceId)), (found) => {
        const workspace = Option.getOrUndefined(found)
        if (workspace === undefined) {
          const id = tenant.workspaceId
          return Effect.fail(wrong(`\`workspace\` must be a configured workspace; "${id}" not found.`))
        }
        return workspace.suspended ? Effect.fail(errorOf(InProcess.suspended)) : Effect.succeed({ tenant, workspace })
      })
    )
  )

/** The tenant of a call that reads; `options` are unchecked. */
export const readerOf = Effect.fnUntraced(function* (defaults: Defaults, options: unknown) {
  const { tenant } = yield* callerOf(defaults, yield* checkOptions(options, false))
  return tenant
})
