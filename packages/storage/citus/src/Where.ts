/** Which nodes the statements of an operation are for. */
import type { Tenant } from "@pointsman/core"
import { bindText } from "@pointsman/storage-postgres/internal"
import { Context, Effect } from "effect"

/**
 * The node of a workspace, by its key. Or reads of every node, which fail where one (`all`) or each (`some`) does not
 * answer.
 */
export type Where = { readonly key: string } | "all" | "some"

/** `undefined`: tables that are not in shards. */
export const CurrentWhere = Context.Reference<Where | undefined>("pointsman/storage-citus/Where", {
  defaultValue: () => undefined
})

export const at =
  (where: Where) =>
  <A, E, R>(operation: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(operation, CurrentWhere, where)

export const inWorkspace = (workspaceId: string) => at({ key: bindText(workspaceId) })

/** What names its workspace in its first argument. */
interface Named {
  readonly workspaceId?: string | undefined
  readonly tenant?: Tenant | undefined
}

const workspaceOf = (first: unknown): string | undefined => {
  if (typeof first !== "object" || first === null) return undefined
  const { tenant, workspaceId } = first as Named
  return workspaceId ?? tenant?.workspaceId
}

type Operation = (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>

/** The same service, each operation of which is for the node of the workspace that its first argument names. */
export const byWorkspace = <S extends object>(service: S): S =>
  Object.fromEntries(
    Object.entries(service).map(([name, operation]: [string, unknown]) => {
      if (typeof operation !== "function") return [name, operation]
      return [
        name,
        (...args: ReadonlyArray<unknown>) => {
          const workspace = workspaceOf(args[0])
          const asked = (operation as Operation)(...args)
          return workspace === undefined ? asked : inWorkspace(workspace)(asked)
        }
      ]
    })
  ) as S
