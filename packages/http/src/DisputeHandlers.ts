/** `GET /disputes`, `GET /disputes/{id}`, and what a merchant answers to a dispute. */
import { Pointsman, ResultUnknown, type SubmissionAnswered, type SubmissionKind } from "@pointsman/core"
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { ApiV1 } from "./api/ApiV1.ts"
import { CurrentCaller } from "./api/Authorization.ts"
import { pageLimits } from "./api/Pages.ts"
import { errorBodyOf } from "./ErrorTable.ts"
import { readEvidence } from "./EvidenceForm.ts"
import { pageView, refuseUnknownParameters } from "./Lists.ts"
import { callerOf, ignoreBody, keyOf } from "./OperationHandlers.ts"
import { disputeView } from "./PaymentView.ts"
import { refuse, told, unknownAfterDefect } from "./Report.ts"

export const layer = HttpApiBuilder.group(
  ApiV1,
  "disputes",
  Effect.fnUntraced(function* (handlers) {
    const pointsman = yield* Pointsman
    const answered = ({ dispute, isReplay }: SubmissionAnswered) =>
      HttpServerResponse.jsonUnsafe(
        { data: disputeView(dispute) },
        { headers: isReplay ? { "idempotent-replay": "true" } : {} }
      )
    const send = (kind: SubmissionKind) =>
      Effect.fnUntraced(
        function* ({ headers, params, request }: Sent) {
          const caller = yield* callerOf
          yield* ignoreBody(request)
          const order = { disputeId: params.id, kind, idempotencyKey: keyOf(headers) }
          const sent = yield* pointsman
            .submitDispute(caller, order)
            .pipe(Effect.catch((failure) => refuse("submitDispute", failure)))
          return answered(sent)
        },
        unknownAfterDefect(Effect.fail(errorBodyOf("submitDispute", new ResultUnknown())))
      )
    return handlers
      .handle(
        "list",
        Effect.fnUntraced(function* ({ query }) {
          const { tenant } = yield* CurrentCaller
          yield* refuseUnknownParameters(["status", "payment", "before", "limit"])
          const page = yield* pointsman
            .disputes(tenant, {
              status: query.status,
              paymentId: query.payment,
              before: query.before,
              limit: query.limit ?? pageLimits.default
            })
            .pipe(told("disputes"))
          return pageView(page, disputeView)
        })
      )
      .handle(
        "retrieve",
        Effect.fnUntraced(function* ({ params }) {
          const { tenant } = yield* CurrentCaller
          const dispute = yield* pointsman.dispute(tenant, params.id).pipe(told("dispute"))
          return { data: disputeView(dispute) }
        })
      )
      .handleRaw(
        "evidence",
        Effect.fnUntraced(function* ({ params, request }) {
          const caller = yield* callerOf
          const evidence = yield* readEvidence(request)
          const dispute = yield* pointsman
            .keepEvidence(caller, { disputeId: params.id, ...evidence })
            .pipe(Effect.catch((failure) => refuse("keepEvidence", failure)))
          return HttpServerResponse.jsonUnsafe({ data: disputeView(dispute) })
        })
      )
      .handleRaw("submit", send("submit"), { uninterruptible: true })
      .handleRaw("accept", send("accept"), { uninterruptible: true })
  })
)

interface Sent {
  readonly headers: { readonly "idempotency-key"?: string }
  readonly params: { readonly id: string }
  readonly request: HttpServerRequest.HttpServerRequest
}
