/** The endpoints of webhooks. */
import { pageLimits } from "@pointsman/http/api"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import { nextId, pageView } from "../api/Records.ts"
import type { DeskServices } from "../gate/Caller.ts"
import * as Desk from "./WebhookDesk.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const services = yield* Effect.context<DeskServices>()
    return handlers
      .handle("endpoints", ({ params }) =>
        Effect.map(Desk.endpoints(params), (data) => ({ data })).pipe(Effect.provideContext(services))
      )
      .handle("endpoint", ({ params }) =>
        Effect.map(Desk.endpoint(params), (data) => ({ data })).pipe(Effect.provideContext(services))
      )
      .handle(
        "deliveries",
        Effect.fnUntraced(function* ({ params, query: { limit = pageLimits.default, ...search } }) {
          const found = yield* Desk.deliveries(params, { ...search, limit })
          return pageView(found.items, nextId(found))
        }, Effect.provideContext(services))
      )
      .handle("delivery", ({ params }) =>
        Effect.map(Desk.deliveryFile(params), ({ file }) => ({ data: file })).pipe(Effect.provideContext(services))
      )
      .handle(
        "rotateSecret",
        ({ headers, params, payload: { overlap_seconds, secret_rotated } }) =>
          Desk.rotateSecret(params, {
            overlapSeconds: overlap_seconds,
            idempotencyKey: headers["idempotency-key"],
            seen: secret_rotated
          }).pipe(
            Effect.map((data) => ({ data })),
            Effect.provideContext(services)
          ),
        { uninterruptible: true }
      )
      .handle(
        "redeliver",
        ({ params, payload }) =>
          Effect.map(Desk.redeliver(params, payload.attempts), (data) => ({ data })).pipe(
            Effect.provideContext(services)
          ),
        { uninterruptible: true }
      )
  })
)
