/** Whose data a command is about. */
import { type Environment, environments, type PaymentFile, Pointsman, type Tenant } from "@pointsman/core"
import { Directory, type DirectoryContents } from "@pointsman/core/ports"
import { Effect, Option, Result } from "effect"
import { Flag } from "effect/cli"
import { CommandFailure } from "./CommandFailure.ts"
import { textFlag } from "./CommandHelp.ts"
import { printable } from "./Words.ts"

export const workspaceFlag = textFlag("workspace", "id", "Workspace; optional if there is only one")

export const environmentFlag = Flag.Literals("environment", environments).pipe(
  Flag.withDescription("sandbox or production")
)

/** For what reads and changes nothing. */
export const ownEnvironmentFlag = Flag.Literals("environment", environments).pipe(
  Flag.withDescription("sandbox or production; optional if the workspace has connections in only one of them"),
  Flag.optional
)

/** For lists, which may be of everybody. */
export const anyWorkspaceFlag = textFlag("workspace", "id", "Only this workspace")

export const anyEnvironmentFlag = Flag.Literals("environment", environments).pipe(
  Flag.withDescription("sandbox or production; default: both"),
  Flag.optional
)

/** For lists of everybody or of one tenant. */
export const wholeEnvironmentFlag = (rows: string) =>
  Flag.Literals("environment", environments).pipe(
    Flag.withDescription(`sandbox or production; without it all ${rows} of all workspaces`),
    Flag.optional
  )

/** As many ids as a message can name and still be read. */
const namedAtMost = 20

type Workspaces = Pick<DirectoryContents, "workspaces">

const listed = ({ workspaces }: Workspaces): string => {
  const ids = workspaces.map(({ id }) => printable(id))
  const rest = ids.length - namedAtMost
  return `one of ${ids.slice(0, namedAtMost).join(", ")}${rest > 0 ? `, and ${rest} more` : ""}`
}

const refuse = (message: string) => Result.fail(new CommandFailure({ message }))

/** The workspace that was named, or the only one. */
export const oneWorkspace = (
  contents: Workspaces,
  named: Option.Option<string>
): Result.Result<string, CommandFailure> => {
  const [first, second] = contents.workspaces
  if (first === undefined) return refuse("The database has no workspaces.")
  if (Option.isNone(named)) {
    return second === undefined ? Result.succeed(first.id) : refuse(`--workspace: expected ${listed(contents)}.`)
  }
  return contents.workspaces.some(({ id }) => id === named.value)
    ? Result.succeed(named.value)
    : refuse(`--workspace: expected ${listed(contents)}; workspace "${printable(named.value)}" not found.`)
}

/** The tenant that was named, or the only one. */
export const namedTenant = (
  contents: Workspaces & { readonly connections: ReadonlyArray<Tenant> },
  workspace: Option.Option<string>,
  environment: Option.Option<Environment>
): Result.Result<Tenant, CommandFailure> =>
  Result.flatMap(oneWorkspace(contents, workspace), (workspaceId) => {
    if (Option.isSome(environment)) return Result.succeed({ workspaceId, environment: environment.value })
    const own = contents.connections.filter((connection) => connection.workspaceId === workspaceId)
    const [only, second] = environments.filter((one) => own.some((connection) => connection.environment === one))
    return only !== undefined && second === undefined
      ? Result.succeed({ workspaceId, environment: only })
      : refuse(
          `--environment: expected sandbox or production: workspace "${printable(workspaceId)}" has ` +
            `${only === undefined ? "no connections" : "connections in both"}.`
        )
  })

/** The same, of the database that is open. */
export const workspaceOf = Effect.fnUntraced(function* (named: Option.Option<string>) {
  return yield* Effect.fromResult(oneWorkspace(yield* (yield* Directory).contents, named))
})

export const tenantOf = Effect.fnUntraced(function* (
  workspace: Option.Option<string>,
  environment: Option.Option<Environment>
) {
  return yield* Effect.fromResult(namedTenant(yield* (yield* Directory).contents, workspace, environment))
})

/** The tenant that was named; `undefined` for all of them. */
export const oneTenant = Effect.fnUntraced(function* (
  workspace: Option.Option<string>,
  environment: Option.Option<Tenant["environment"]>
) {
  if (Option.isNone(environment)) {
    if (Option.isNone(workspace)) return undefined
    return yield* new CommandFailure({ message: "--environment: expected sandbox or production with --workspace." })
  }
  return { workspaceId: yield* workspaceOf(workspace), environment: environment.value }
})

/** Whether a row is of the workspace and the environment that were named, if any. */
export const within = (
  contents: Workspaces,
  workspace: Option.Option<string>,
  environment: Option.Option<Environment>
): Result.Result<(row: Tenant) => boolean, CommandFailure> =>
  Result.map(
    Option.isNone(workspace) ? Result.succeed(undefined) : oneWorkspace(contents, workspace),
    (workspaceId) => (row) =>
      (workspaceId === undefined || row.workspaceId === workspaceId) &&
      (Option.isNone(environment) || row.environment === environment.value)
  )

/** An id names one thing over all tenants: the first tenant for which something is found. */
export const findAnywhere = Effect.fnUntraced(function* <A, E, R>(
  { workspaces }: Workspaces,
  find: (tenant: Tenant) => Effect.Effect<Option.Option<A>, E, R>
) {
  for (const { id: workspaceId } of workspaces) {
    for (const environment of environments satisfies ReadonlyArray<Environment>) {
      const found = yield* find({ workspaceId, environment })
      if (Option.isSome(found)) return found
    }
  }
  return Option.none<A>()
})

/** One payment by its id, of whichever workspace. */
export const findPayment = Effect.fnUntraced(function* (id: string) {
  const pointsman = yield* Pointsman
  const contents = yield* (yield* Directory).contents
  const found = yield* findAnywhere(contents, (tenant) =>
    pointsman.paymentFile(tenant, id).pipe(
      Effect.asSome,
      Effect.catchTag("pointsman/PaymentNotFound", () => Effect.succeed(Option.none<PaymentFile>()))
    )
  )
  return yield* Effect.mapError(Effect.fromOption(found), () => notFound(id))
})

export const notFound = (id: string): CommandFailure =>
  new CommandFailure({ message: `Payment "${printable(id)}" not found.` })
