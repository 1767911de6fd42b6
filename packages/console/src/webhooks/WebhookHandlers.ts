/** The endpoints of webhooks. */
import { pageLimits } from "@pointsman/http/api"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import { deskAnswers } from "../api/DeskAnswers.ts"
import { nextId, pageView } from "../api/Records.ts"
import * as Desk from "./WebhookDesk.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const { answer, run } = yield* deskAnswers
    return handlers
      .handle("endpoints", ({ params }) => answer(Desk.endpoints(params)))
      .handle("endpoint", ({ params }) => answer(Desk.endpoint(params)))
      .handle("deliveries", ({ params, query: { limit = pageLimits.default, ...search } }) =>
        run(Effect.map(Desk.deliveries(params, { ...search, limit }), (found) => pageView(found.items, nextId(found))))
      )
      .handle("delivery", ({ params }) => answer(Effect.map(Desk.deliveryFile(params), ({ file }) => file)))
      .handle(
        "rotateSecret",
        ({ headers, params, payload: { overlap_seconds, secret_rotated } }) =>
          answer(
            Desk.rotateSecret(params, {
              overlapSeconds: overlap_seconds,
              idempotencyKey: headers["idempotency-key"],
              seen: secret_rotated
            })
          ),
        { uninterruptible: true }
      )
      .handle("redeliver", ({ params, payload }) => answer(Desk.redeliver(params, payload.attempts)), {
        uninterruptible: true
      })
  })
)
