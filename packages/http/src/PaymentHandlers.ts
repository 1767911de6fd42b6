import { type ApiKey, type CreateFailure, PaymentResultUnknown, Pointsman } from "@pointsman/core"
import { Effect } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { ApiV1 } from "./api/ApiV1.ts"
import { CurrentCaller } from "./api/Authorization.ts"
import { createLimits } from "./api/CreatePayment.ts"
import type { ErrorBody } from "./api/Errors.ts"
import { pageLimits } from "./api/Pages.ts"
import { metadataParameter, paymentFilter } from "./api/PaymentFilter.ts"
import { decodeCreate } from "./CreatePaymentRequest.ts"
import { type CodeOf, errorBodyOf } from "./ErrorTable.ts"
import { ignoredFields } from "./IgnoredFields.ts"
import { readJson } from "./JsonBody.ts"
import { eventView, filterOf, metadataFilter, pageView, refuseUnknownParameters } from "./Lists.ts"
import { exclusionView, PaymentViews, paymentAnswer, refundViews } from "./PaymentView.ts"
import { type ReadPlaces, withSearchPlace } from "./ReadPlaces.ts"
import {
  type NotAdmittedAnswer,
  notAdmitted,
  report,
  reportUnsent,
  retryAfter,
  told,
  unknownAfterDefect
} from "./Report.ts"
import { settlementsOf } from "./SettlementView.ts"

export const keyRequired: ErrorBody<"idempotency_key_required"> = {
  error: {
    code: "idempotency_key_required",
    message: "Creating a payment with a live key requires the header `Idempotency-Key`.",
    param: "Idempotency-Key"
  }
}

const tooManySearches = HttpApiSchema.withHeaders({
  body: {
    error: {
      code: "rate_limited" as const,
      message: "Four searches of this workspace are under way. Try again in 1 s."
    }
  },
  headers: { "retry-after": "1" }
})

export const layer = HttpApiBuilder.group(
  ApiV1,
  "payments",
  Effect.fnUntraced(function* (handlers) {
    const pointsman = yield* Pointsman
    const views = yield* PaymentViews
    const places: ReadPlaces = new Map()
    return (
      handlers
        // The body is read here and not by the schema: it is bounded, strict and last of all checks but the fields.
        // Uninterruptible: a client that hangs up must not cut a charge in two.
        .handleRaw(
          "create",
          Effect.fnUntraced(function* ({ headers, request }) {
            const { apiKey, tenant, workspace } = yield* CurrentCaller
            const idempotencyKey = headers["idempotency-key"] ?? null
            if (idempotencyKey === null && tenant.environment === "production") return yield* Effect.fail(keyRequired)
            const body = yield* readJson(request, createLimits.bodyBytes)
            const create = yield* decodeCreate(body, { tenant, workspace }, idempotencyKey, views.hasPages)
            return yield* Effect.gen(function* () {
              const created = yield* pointsman
                .create({ tenant, workspace, apiKeyHash: apiKey.hash }, create)
                .pipe(Effect.catch((failure) => refuseCreate(failure, create.debug)))
              const data = yield* views.created(created.payment, create.debug)
              return paymentAnswer(201, { data }, created.isReplay, ignoredFields("create", body, tenant.environment))
            }).pipe(unknownAfterDefect(resultUnknown))
          }),
          { uninterruptible: true }
        )
        .handle(
          "list",
          Effect.fnUntraced(function* ({ query }) {
            const { apiKey, tenant } = yield* CurrentCaller
            yield* refuseUnknownParameters([...Object.keys(paymentFilter), "before", "limit"], {
              matches: metadataParameter,
              named: "metadata[name]"
            })
            const metadata = yield* metadataFilter
            const asked = {
              ...filterOf({ ...query, metadata }),
              before: query.before,
              limit: query.limit ?? pageLimits.default
            }
            const page = yield* pointsman
              .payments(tenant, asked)
              .pipe(told("payments"), withSearchPlace(places, tenant, asked, tooManySearches))
            const settlements = yield* settlementsOf(pointsman, tenant, page.items).pipe(told("payments"))
            const items = yield* Effect.forEach(page.items, (payment) =>
              Effect.map(views.payment(payment, mayAct(apiKey)), (view) => ({ ...view, ...settlements(payment) }))
            )
            return pageView({ ...page, items }, (payment) => payment)
          })
        )
        .handle(
          "retrieve",
          Effect.fnUntraced(function* ({ params }) {
            const { apiKey, tenant } = yield* CurrentCaller
            const { payment, refunds } = yield* pointsman.paymentWithRefunds(tenant, params.id).pipe(told("payment"))
            const settlements = yield* settlementsOf(pointsman, tenant, [payment]).pipe(told("payment"))
            const view = yield* views.payment(payment, mayAct(apiKey))
            return { data: { ...view, refunds: refundViews(refunds), ...settlements(payment) } }
          })
        )
        .handle(
          "timeline",
          Effect.fnUntraced(function* ({ params, query }) {
            const { tenant } = yield* CurrentCaller
            yield* refuseUnknownParameters(["after", "limit"])
            const page = yield* pointsman
              .timeline(tenant, params.id, { after: query.after, limit: query.limit ?? pageLimits.default })
              .pipe(told("timeline"))
            return pageView(page, eventView)
          })
        )
    )
  })
)

/** The hosted page decides about the payment, so that a key that only reads does not get its address. */
const mayAct = ({ scopes }: ApiKey): boolean => scopes === null || scopes.includes("payments:write")

const resultUnknown = Effect.suspend(() =>
  Effect.fail(errorBodyOf("create", new PaymentResultUnknown({ paymentId: "", cause: "a defect" })))
)

const refuseCreate = Effect.fnUntraced(function* (
  failure: CreateFailure,
  debug: boolean
): Effect.fn.Return<never, ErrorBody<CodeOf<"create">> | NotAdmittedAnswer> {
  const body = errorBodyOf("create", failure)
  switch (failure._tag) {
    case "pointsman/NotAdmitted":
      return yield* notAdmitted(failure, body)
    case "pointsman/RoutingFailed":
      return yield* Effect.fail(
        debug ? { error: { ...body.error, excluded: failure.excluded.map(exclusionView) } } : body
      )
    case "pointsman/PaymentResultUnknown":
      yield* report(failure)
      return yield* Effect.fail(body)
    case "pointsman/NothingSent":
      yield* reportUnsent(failure)
      return yield* Effect.fail(body)
    case "pointsman/RequestInProgress":
      yield* retryAfter(failure.retryAfterMillis)
      return yield* Effect.fail(body)
    default:
      return yield* Effect.fail(body)
  }
})
