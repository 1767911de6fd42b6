/** Whose call it is: the options of the call, or the defaults of `createPointsman`. */
import type * as Core from "@pointsman/core"
import { Directory } from "@pointsman/core/ports"
import * as InProcess from "@pointsman/http/in-process"
import { Effect, Option } from "effect"
import { errorOf } from "../ErrorOf.ts"
import { checkOptions, type Options, wrong } from "../Orders.ts"
import type { Environment } from "../Payment.ts"
import { fromStore } from "./Failures.ts"

/** What calls are about unless they say otherwise. */
export interface Defaults {
  readonly workspace: string | undefined
  readonly environment: Environment | undefined
}

export const tenantOf = Effect.fnUntraced(function* (defaults: Defaults, options: Options) {
  const workspaceId = options.workspace ?? defaults.workspace
  const environment = options.environment ?? defaults.environment
  if (workspaceId === undefined) {
    return yield* Effect.fail(wrong("`workspace` is required: more than one workspace, or none, is configured."))
  }
  if (environment === undefined) {
    return yield* Effect.fail(wrong("`environment` is required, here or in `createPointsman`: sandbox or production."))
  }
  return { workspaceId, environment } satisfies Core.Tenant
})

/** Refused like a key of that workspace. */
const workspaceOf = Effect.fnUntraced(function* (id: string) {
  const directory = yield* Directory
  const found = yield* fromStore(directory.workspace(id))
  if (Option.isNone(found))
    return yield* Effect.fail(wrong(`\`workspace\` must be a configured workspace; "${id}" not found.`))
  if (found.value.suspended) return yield* Effect.fail(errorOf(InProcess.suspended))
  return found.value
})

export const callerOf = Effect.fnUntraced(function* (defaults: Defaults, options: Options) {
  const tenant = yield* tenantOf(defaults, options)
  return { tenant, workspace: yield* workspaceOf(tenant.workspaceId) } satisfies Core.Caller
})

/** The tenant of a call that reads; `options` are unchecked. */
export const readerOf = Effect.fnUntraced(function* (defaults: Defaults, options: unknown) {
  const { tenant } = yield* callerOf(defaults, yield* checkOptions(options, false))
  return tenant
})
