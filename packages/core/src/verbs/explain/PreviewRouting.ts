/**
 * Where a payment would go, by the same code as a real one, and without one: nothing is asked, written or kept. Draws
 * depend on the payment's id, so the plan is made for many ids, and what is drawn shows as a share.
 */
import { Clock, Effect, Result } from "effect"
import type { PaymentDetails } from "../../model/Payment.ts"
import type { RoutingDecision } from "../../model/RoutingDecision.ts"
import type { Tenant } from "../../model/Tenant.ts"
import type { Workspace } from "../../model/Workspace.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { explainRouting } from "../../routing/Explanation.ts"
import { planRoute } from "../../routing/RoutePlan.ts"
import { drawSeed } from "../../routing/RoutingPolicy.ts"
import { routeQuestion } from "../../routing/run/RoutePayment.ts"
import { PaymentNotFound } from "../read/ReadArchive.ts"

export interface PreviewQuery {
  readonly tenant: Tenant
  readonly workspace: Workspace
  readonly details: PaymentDetails
}

export interface RoutingPreview {
  /** So many payments were planned. */
  readonly payments: number
  /** The most frequent first; those that are alike are one. */
  readonly routes: ReadonlyArray<PreviewedRoute>
}

export interface PreviewedRoute {
  readonly payments: number
  /** Of one of them. Without candidates where no connection can take the payment. */
  readonly decision: RoutingDecision
}

/** A share is known to some two percent, and a plan takes microseconds. */
const planned = 500

export const previewRouting = Effect.fnUntraced(function* ({ details, tenant, workspace }: PreviewQuery) {
  const idOf = (number: number) => `preview-${number}`
  const request = { tenant, workspace, paymentId: idOf(0), idempotencyKey: null, details, instruments: null }
  const question = yield* routeQuestion(request)
  const asked = question(yield* Clock.currentTimeMillis)
  const routes = new Map<string, { payments: number; readonly decision: RoutingDecision }>()
  for (let number = 0; number < planned; number++) {
    const plan = planRoute({ ...asked, seed: drawSeed(tenant, null, idOf(number)) })
    const { decision } = Result.isSuccess(plan) ? plan.success : plan.failure
    const key = JSON.stringify([decision.path, decision.candidates.map(({ connectionId }) => connectionId)])
    const known = routes.get(key) ?? { payments: 0, decision }
    known.payments++
    routes.set(key, known)
  }
  return {
    payments: planned,
    routes: [...routes.values()].sort((a, b) => b.payments - a.payments)
  } satisfies RoutingPreview
})

/** Why a stored payment went where it went. */
export const explainStored = Effect.fnUntraced(function* (tenant: Tenant, paymentId: string) {
  const ledger = yield* Ledger
  const book = yield* Effect.fromOption(yield* ledger.book(tenant, paymentId), () => new PaymentNotFound())
  return explainRouting(book.payment, book.attempts)
})
