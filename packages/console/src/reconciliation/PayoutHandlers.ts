/** The endpoints of payouts. */
import { InProcess } from "@pointsman/http"
import { pageLimits } from "@pointsman/http/api"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import { deskAnswers } from "../api/DeskAnswers.ts"
import { pageView } from "../api/Records.ts"
import { exportPayout } from "../payments/ExportDesk.ts"
import * as Desk from "./PayoutDesk.ts"

const { entryView, payoutEntryView, payoutView } = InProcess

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "payouts",
  Effect.fnUntraced(function* (handlers) {
    const { answer, run } = yield* deskAnswers
    return handlers
      .handle("payouts", ({ params, query: { connection, limit = pageLimits.default, ...period } }) =>
        answer(
          Effect.flatMap(Desk.payouts(params, { ...period, connectionId: connection, limit }), (found) =>
            Effect.map(Desk.payoutStatuses(params, found), (statusOf) =>
              found.map((entry) => payoutEntryView(entry, statusOf(entry)))
            )
          )
        )
      )
      .handle("payout", ({ params, query }) => answer(Effect.map(Desk.payout(params, query), payoutView)))
      .handle("payoutEntries", ({ params, query: { after, limit = pageLimits.default, ...key } }) =>
        run(
          Effect.map(Desk.entries(params, key, { after, limit }), ({ items, next }) =>
            pageView(items.map(entryView), next)
          )
        )
      )
      .handle("exportPayout", ({ params, query }) => run(exportPayout(params, query)))
  })
)
