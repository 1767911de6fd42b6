/** What operations read of providers' messages, and apply again, through core's door. The pages and the API share it. */
import { Pointsman } from "@pointsman/core"
import { Directory, type MessageNote, type MessageQuery } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { Effect, Option } from "effect"
import { failure, internalError, missing, told } from "../api/Errors.ts"
import { cursorOfPlace, placeOfCursor } from "../api/Records.ts"
import { callerOf, type TenantPath } from "../gate/Caller.ts"

export interface MessageKey {
  readonly connection: string
  /** The provider's, which may be any text. */
  readonly id: string
}

type Filter = Pick<MessageQuery, "connectionId" | "paymentId" | "outcome">

/** Newest first. `before`: the cursor of the page before. */
export const messages = Effect.fnUntraced(function* (
  path: TenantPath,
  { before, limit, ...filter }: Filter & { readonly before?: string | undefined; readonly limit: number }
) {
  const { tenant } = yield* callerOf(path)
  const place = before === undefined ? undefined : placeOf(before)
  if (before !== undefined && place === undefined) {
    return yield* Effect.fail(InProcess.validationErrorOf("`before` must be the `next_cursor` of the previous page"))
  }
  const query = { ...filter, tenant, before: place, limit }
  const { hasMore, items } = yield* Effect.catch((yield* Pointsman).messages(query), internalError)
  const last = items.at(-1)
  return { items, next: hasMore && last !== undefined ? cursorOf(last) : null }
})

const cursorOf = ({ connectionId, eventId, receivedAt }: MessageNote): string =>
  cursorOfPlace([receivedAt, connectionId, eventId])

const placeOf = (cursor: string): MessageQuery["before"] => {
  const [receivedAt, connectionId, eventId] = placeOfCursor(cursor) ?? []
  return receivedAt === undefined || connectionId === undefined || eventId === undefined
    ? undefined
    : { receivedAt, connectionId, eventId }
}

/** Core finds a message of any tenant: the connection has to be one of this environment. */
const ownConnection = Effect.fnUntraced(function* (path: TenantPath, connection: string) {
  const { tenant } = yield* callerOf(path)
  const found = Option.getOrUndefined(yield* Effect.catch((yield* Directory).connection(connection), internalError))
  if (found?.workspaceId !== tenant.workspaceId || found.environment !== tenant.environment) {
    return yield* missing("pointsman/MessageNotFound")
  }
})

export const message = Effect.fnUntraced(function* (path: TenantPath, { connection, id }: MessageKey) {
  yield* ownConnection(path, connection)
  return yield* (yield* Pointsman).message(connection, id).pipe(told)
})

/** A message that is applied already is returned: a repeated request is no failure. */
export const apply = Effect.fnUntraced(function* (path: TenantPath, key: MessageKey) {
  const before = yield* message(path, key)
  if (before.outcome === "applied") return before
  return yield* (yield* Pointsman).applyMessage(key.connection, key.id).pipe(
    Effect.catchTags({
      "pointsman/MessageNotApplicable": ({ reason }) =>
        Effect.filterOrFail(
          message(path, key),
          (now) => now.outcome === "applied",
          () => failure("message_not_applicable", `Nothing was applied: ${reason}.`)
        )
    }),
    told
  )
})
