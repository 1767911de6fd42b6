/** Which nodes an operation is for. What is about many workspaces is one question to the node of each. */
import type { Tenant } from "@pointsman/core"
import type { StorageError } from "@pointsman/core/ports"
import { bindText, readText } from "@pointsman/storage-postgres/internal"
import type { Row } from "@pointsman/storage-sql"
import { Context, Effect, Result } from "effect"

/** The node of a workspace, by its key; or reads of all nodes, which fail where one (`all`) or each (`some`) fails. */
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

/** Statements of one operation that are under way at once: no more than half of the connections. */
const mostAtOnce = 4

type Answers<B> = Effect.Effect<ReadonlyArray<B>, StorageError>

/** Fails where none has answered, and with `needsAll` where one has not. */
export const answered = <B>(answers: ReadonlyArray<Result.Result<B, StorageError>>, needsAll: boolean): Answers<B> => {
  const found = answers.filter(Result.isSuccess).map(({ success }) => success)
  const failure = answers.find(Result.isFailure)?.failure
  return failure !== undefined && (needsAll || found.length === 0) ? Effect.fail(failure) : Effect.succeed(found)
}

/** Each workspace is asked, whatever came of the others. */
const askingWorkspaces =
  (needsAll: boolean) =>
  <A, B>(
    items: ReadonlyArray<A>,
    workspaceOf: (item: A) => string,
    ask: (items: ReadonlyArray<A>, workspaceId: string) => Effect.Effect<B, StorageError>,
    concurrency = mostAtOnce
  ): Answers<B> =>
    Effect.flatMap(
      Effect.forEach(
        Map.groupBy(items, workspaceOf),
        ([workspace, some]) => Effect.result(inWorkspace(workspace)(ask(some, workspace))),
        { concurrency }
      ),
      (answers) => answered(answers, needsAll)
    )

/** The answers of those whose node answers, in the order of their workspaces; fails where none does. */
export const someWorkspaces = askingWorkspaces(false)

/** Where one fails, the others have been written all the same: for writes that may be repeated. */
export const allWorkspaces = askingWorkspaces(true)

export const workspaceOfRow = (row: Row): string => readText(row["workspace_id"])

export const ofTenant = ({ tenant }: { readonly tenant: Tenant }): string => tenant.workspaceId

export type Order<A> = (one: A) => ReadonlyArray<string | number>

const compare = (a: string | number, b: string | number): number =>
  typeof a === "number" && typeof b === "number"
    ? a - b
    : Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))

/** The first `limit` of what several nodes have; text compares by its bytes, as in the database. `isDescending`: the greatest first. */
export const firstOf =
  <A>(limit: number, order: Order<A>, isDescending = false) =>
  (all: ReadonlyArray<A>): ReadonlyArray<A> =>
    all
      .map((one) => ({ one, key: order(one) }))
      .toSorted((a, b) => {
        const differences = a.key.map((part, at) => compare(part, b.key[at] as string | number))
        const difference = differences.find((one) => one !== 0) ?? 0
        return isDescending ? -difference : difference
      })
      .slice(0, limit)
      .map(({ one }) => one)

export const total = (counts: ReadonlyArray<number>): number => counts.reduce((all, count) => all + count, 0)

export const numberOf = (row: Row, column: string): number => Number(row[column])

export const sumOf = (found: ReadonlyArray<Row>, column: string): number =>
  total(found.map((row) => numberOf(row, column)))

/** The least of a column; `null` where no node has one. */
export const leastOf = (found: ReadonlyArray<Row>, column: string): number | null =>
  found.reduce<number | null>(
    (least, row) => (row[column] == null ? least : Math.min(least ?? Number.POSITIVE_INFINITY, numberOf(row, column))),
    null
  )
