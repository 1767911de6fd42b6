/** The endpoints of the books. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleApi } from "../api/ConsoleApi.ts"
import { deskAnswers } from "../api/DeskHandlers.ts"
import { exportJournal } from "../payments/ExportDesk.ts"
import * as Desk from "./BooksDesk.ts"
import { readReport } from "./ReportForm.ts"

export const layer = HttpApiBuilder.group(
  ConsoleApi,
  "books",
  Effect.fnUntraced(function* (handlers) {
    const { answer, run } = yield* deskAnswers
    return handlers
      .handleRaw(
        "readReport",
        ({ params, request }) =>
          run(
            Effect.map(readReport(params, request), ({ id, isKnown }) =>
              HttpServerResponse.jsonUnsafe({ data: { id, known: isKnown } })
            )
          ),
        { uninterruptible: true }
      )
      .handle("balances", ({ params, query }) => answer(Desk.balances(params, query.before)))
      .handle("journal", ({ params, query }) => run(exportJournal(params, query)))
  })
)
