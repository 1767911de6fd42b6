/** The endpoints of API keys. */
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import type { DeskServices } from "../gate/Caller.ts"
import * as Desk from "./KeyDesk.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "keys",
  Effect.fnUntraced(function* (handlers) {
    const services = yield* Effect.context<DeskServices>()
    return handlers
      .handle("keys", ({ params }) =>
        Effect.map(Desk.keys(params), (data) => ({ data })).pipe(Effect.provideContext(services))
      )
      .handle("keyDraft", ({ params }) =>
        Effect.map(Desk.draft(params), (draft) => ({ data: { draft } })).pipe(Effect.provideContext(services))
      )
      .handle(
        "createKey",
        ({ params, payload: { draft, expires = null, name = null, networks = null, scopes } }) =>
          Desk.create(params, { draft, scopes, name, networks, expiresAt: expires }).pipe(
            Effect.map(({ secret, view }) => ({ data: { ...view, key: Redacted.value(secret) } })),
            Effect.provideContext(services)
          ),
        { uninterruptible: true }
      )
      .handle(
        "revokeKey",
        ({ params }) => Effect.map(Desk.revoke(params), (data) => ({ data })).pipe(Effect.provideContext(services)),
        { uninterruptible: true }
      )
  })
)
