/** Payments that wait for operations, and what an operator states about one. */
import * as Core from "@pointsman/core"
import * as InProcess from "@pointsman/http/in-process"
import { Effect } from "effect"
import type { ResolvedPayment } from "../Corrections.ts"
import { errorOf } from "../ErrorOf.ts"
import { checkId, checkOptions, checkStatement, reviewCursor, reviewsQuery, wrong } from "../Orders.ts"
import { InternalError, NotFoundError, StateError } from "../PointsmanError.ts"
import type { Evidence, OperatorStatement } from "../Records.ts"
import { filed, reviewed } from "../Views.ts"
import { asCorrection } from "./Corrections.ts"
import { type Defaults, failing, fromStore, readerOf, storeFailed, tenantOf } from "./RunCall.ts"

export const reviews = Effect.fnUntraced(function* (defaults: Defaults, query: unknown, options: unknown) {
  const pointsman = yield* Core.Pointsman
  const given = yield* checkOptions(options, false)
  const isOfAll = given.workspace === undefined && given.environment === undefined
  const tenant = isOfAll ? undefined : yield* tenantOf(defaults, given)
  const page = yield* pointsman.reviews({ tenant, ...(yield* reviewsQuery(query)) }).pipe(fromStore)
  const data = yield* Effect.forEach(page.items, reviewed)
  const last = page.items.at(-1)
  return {
    data,
    has_more: page.hasMore,
    next_cursor: page.hasMore && last !== undefined ? reviewCursor(last.review?.since ?? last.createdAt, last.id) : null
  }
})

export const reviewOf = Effect.fnUntraced(function* (paymentId: unknown) {
  const pointsman = yield* Core.Pointsman
  return yield* pointsman.reviewOf(yield* checkId("paymentId", paymentId)).pipe(
    failing((failure) =>
      failure._tag === "pointsman/StorageError" ? storeFailed() : new NotFoundError("The payment is not under review.")
    ),
    Effect.flatMap(filed)
  )
})

export const resolveReview = Effect.fnUntraced(function* (
  defaults: Defaults,
  paymentId: unknown,
  stated: OperatorStatement,
  evidence: Evidence,
  options: unknown
) {
  const pointsman = yield* Core.Pointsman
  const views = yield* InProcess.PaymentViews
  const tenant = yield* readerOf(defaults, options)
  const { by, evidence: seen, file_sha256: fileHash, provider_reference: providerReference } = evidence ?? {}
  if (typeof seen !== "string" || typeof by !== "string") {
    return yield* Effect.fail(wrong("`evidence` must be {evidence, by}: what was seen, and who saw it."))
  }
  if (!isTextOrAbsent(fileHash) || !isTextOrAbsent(providerReference)) {
    return yield* Effect.fail(wrong("`file_sha256` and `provider_reference` of `evidence` must be texts, or left out."))
  }
  const resolved = yield* pointsman
    .resolveReview({
      tenant,
      paymentId: yield* checkId("paymentId", paymentId),
      stated: yield* checkStatement(stated),
      evidence: seen,
      by,
      fileHash,
      providerReference,
      person: { of: "program", name: by }
    })
    .pipe(
      failing((failure) => {
        switch (failure._tag) {
          case "pointsman/CardNumberFound":
            return errorOf(InProcess.cardNumberBody(failure))
          case "pointsman/PaymentNotFound":
            return errorOf(InProcess.errorBodyOf("payment", failure))
          case "pointsman/StatementRefused":
            return new StateError(
              "statement_refused",
              `\`${fieldNames[failure.field]}\`: ${failure.reason}. Nothing was written.`
            )
          case "pointsman/StorageError":
            return new InternalError(
              "The statement may have been recorded. Read the payment before you resolve its review again."
            )
        }
      })
    )
  const open = Core.openCorrection(resolved)
  const result: ResolvedPayment = {
    ...(yield* views.payment(resolved)),
    proposed_correction: open === undefined ? null : asCorrection(open)
  }
  return result
})

const isTextOrAbsent = (value: unknown): value is string | undefined => value === undefined || typeof value === "string"

/** Core's names, as this package knows them. */
const fieldNames = {
  stated: "stated",
  evidence: "evidence",
  by: "by",
  amountMinor: "amountMinor",
  fileHash: "file_sha256",
  providerReference: "provider_reference"
} as const
