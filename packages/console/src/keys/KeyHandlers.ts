/** The endpoints of API keys. */
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import { deskAnswers } from "../api/DeskAnswers.ts"
import * as Desk from "./KeyDesk.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "keys",
  Effect.fnUntraced(function* (handlers) {
    const { answer } = yield* deskAnswers
    return handlers
      .handle("keys", ({ params }) => answer(Desk.keys(params)))
      .handle("keyDraft", ({ params }) => answer(Effect.map(Desk.draft(params), (draft) => ({ draft }))))
      .handle(
        "createKey",
        ({ params, payload: { draft, expires = null, name = null, networks = null, scopes } }) =>
          answer(
            Effect.map(
              Desk.create(params, { draft, scopes, name, networks, expiresAt: expires }),
              ({ secret, view }) => ({ ...view, key: Redacted.value(secret) })
            )
          ),
        { uninterruptible: true }
      )
      .handle("revokeKey", ({ params }) => answer(Desk.revoke(params)), { uninterruptible: true })
  })
)
