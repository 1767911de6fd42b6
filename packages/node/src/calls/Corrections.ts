/** What a second person decides about an operator's statement. */
import * as Core from "@pointsman/core"
import { AuditActor } from "@pointsman/core/ports"
import * as InProcess from "@pointsman/http/in-process"
import { Effect } from "effect"
import type { Correction, DecidedCorrection, ProposedCorrection } from "../Corrections.ts"
import { errorOf } from "../ErrorOf.ts"
import { checkId, checkOptions, wrong } from "../Orders.ts"
import { InternalError, NotFoundError, StateError } from "../PointsmanError.ts"
import { type Defaults, failing, fromStore, readerOf, tenantOf } from "./RunCall.ts"

/** The view is this package's record: a field that differs does not compile. */
export const asCorrection = (correction: Core.Correction): Correction => InProcess.correctionView(correction)

export const proposals = Effect.fnUntraced(function* (defaults: Defaults, options: unknown) {
  const pointsman = yield* Core.Pointsman
  const views = yield* InProcess.PaymentViews
  const given = yield* checkOptions(options, false)
  const isOfAll = given.workspace === undefined && given.environment === undefined
  const found = yield* pointsman.proposals(isOfAll ? undefined : yield* tenantOf(defaults, given)).pipe(fromStore)
  const rows: Array<ProposedCorrection> = []
  for (const payment of found) {
    const open = Core.openCorrection(payment)
    if (open === undefined) continue
    const view = yield* views.payment(payment)
    rows.push({ workspace_id: payment.tenant.workspaceId, payment: view, correction: asCorrection(open) })
  }
  return rows
})

type Act = "approve" | "reject" | "withdraw"

const methods = { approve: "approveCorrection", reject: "rejectCorrection", withdraw: "withdrawCorrection" } as const

interface Decision {
  readonly by?: unknown
  readonly reason?: unknown
}

export const decideCorrection = Effect.fnUntraced(function* (
  defaults: Defaults,
  act: Act,
  paymentId: unknown,
  correctionId: unknown,
  decision: unknown,
  options?: unknown
) {
  const pointsman = yield* Core.Pointsman
  const views = yield* InProcess.PaymentViews
  const tenant = yield* readerOf(defaults, options)
  const { by, reason } = typeof decision === "object" && decision !== null ? (decision as Decision) : {}
  if (typeof by !== "string" || by.trim() === "" || Array.from(by).length > 120) {
    return yield* Effect.fail(wrong("`by` must be the name of a person, of 1 to 120 characters."))
  }
  if (act === "reject" && typeof reason !== "string") return yield* Effect.fail(wrong("`reason` must be a text."))
  const order = {
    tenant,
    paymentId: yield* checkId("paymentId", paymentId),
    correctionId: yield* checkId("correctionId", correctionId),
    by: { of: "program", name: by } as const,
    reason: typeof reason === "string" ? reason : ""
  }
  const decided = yield* pointsman[methods[act]](order).pipe(
    Effect.provideService(AuditActor, by),
    failing((failure) => {
      switch (failure._tag) {
        case "pointsman/CardNumberFound":
          return errorOf(InProcess.cardNumberBody(failure))
        case "pointsman/PaymentNotFound":
          return errorOf(InProcess.errorBodyOf("payment", failure))
        case "pointsman/CorrectionNotFound":
          return new NotFoundError("The payment has no such correction.")
        case "pointsman/CorrectionRefused":
          return new StateError("correction_refused", `\`${failure.field}\`: ${failure.reason}. Nothing was written.`)
        case "pointsman/StorageError":
          return new InternalError("The decision may have been recorded. The same call again gives what was recorded.")
      }
    })
  )
  const result: DecidedCorrection = {
    payment: yield* views.payment(decided.payment),
    correction: asCorrection(decided.correction)
  }
  return result
})
