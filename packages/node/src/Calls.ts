/** The methods of `Pointsman` over core's services, each with the file in `calls` that answers it. */
import * as Core from "@pointsman/core"
import { keyStorageError } from "@pointsman/core/ports"
import { Effect } from "effect"
import { createApiKey, revokeApiKey } from "./calls/ApiKeys.ts"
import { decideCorrection, proposals } from "./calls/Corrections.ts"
import { deliveries, deliveryAttempts, redeliver } from "./calls/Deliveries.ts"
import { answerDispute, dispute, disputes, keepEvidence } from "./calls/Disputes.ts"
import { journal } from "./calls/Journal.ts"
import { capture, create, refund, voidPayment } from "./calls/MoveMoney.ts"
import { addOperator, createSignInLink, editOperator, listOperators, removeOperator } from "./calls/Operators.ts"
import { payout, payoutEntries, payouts } from "./calls/Payouts.ts"
import { events, explainRouting, payment, paymentFile, payments, timeline } from "./calls/ReadPayments.ts"
import {
  acceptSuggestion,
  balance,
  closeDifference,
  fetchReports,
  findRun,
  listDifferences,
  listRuns,
  runReport
} from "./calls/Reconciliation.ts"
import { acceptLoss, recover } from "./calls/Recovery.ts"
import { resolveReview, reviewOf, reviews } from "./calls/Reviews.ts"
import { type Defaults, fromStore, type Gate, makeCall, type Run } from "./calls/RunCall.ts"
import { circuits, successRates, usage } from "./calls/Statistics.ts"
import type { Pointsman } from "./Pointsman.ts"
import type { EncryptionRotation } from "./Records.ts"

export type Calls = Omit<Pointsman, "console" | "handler" | "listener" | "close" | typeof Symbol.asyncDispose>

export const makeCalls = (run: Run, gate: Gate, defaults: Defaults): Calls => {
  const call = makeCall(run, gate)
  return {
    create: (order, options) =>
      call(create(defaults, order, options), {
        unknown: "payment_result_unknown",
        // Without a key, every call is a payment of its own.
        isMaybeAgain: options?.idempotencyKey !== undefined
      }),
    capture: (paymentId, order, options) =>
      call(capture(defaults, paymentId, order, options), { unknown: "capture_result_unknown", isMaybeAgain: true }),
    void: (paymentId, options) =>
      call(voidPayment(defaults, paymentId, options), { unknown: "void_result_unknown", isMaybeAgain: true }),
    refund: (paymentId, order, options) =>
      call(refund(defaults, paymentId, order, options), { unknown: "refund_result_unknown", isMaybeAgain: true }),

    payment: (paymentId, options) => call(payment(defaults, paymentId, options)),
    payments: (query, options) => call(payments(defaults, query, options)),
    timeline: (paymentId, query, options) => call(timeline(defaults, paymentId, query, options)),
    events: (query, options) => call(events(defaults, query, options)),
    explainRouting: (paymentId, options) => call(explainRouting(defaults, paymentId, options)),
    paymentFile: (paymentId, options) => call(paymentFile(defaults, paymentId, options)),

    disputes: (query, options) => call(disputes(defaults, query, options)),
    dispute: (disputeId, options) => call(dispute(defaults, disputeId, options)),
    keepEvidence: (disputeId, evidence, options) => call(keepEvidence(defaults, disputeId, evidence, options)),
    submitDispute: (disputeId, options) =>
      call(answerDispute("submit", defaults, disputeId, options), {
        unknown: "dispute_result_unknown",
        isMaybeAgain: true
      }),
    acceptDispute: (disputeId, options) =>
      call(answerDispute("accept", defaults, disputeId, options), {
        unknown: "dispute_result_unknown",
        isMaybeAgain: true
      }),

    reviews: (query, options) => call(reviews(defaults, query, options)),
    reviewOf: (paymentId) => call(reviewOf(paymentId)),
    resolveReview: (paymentId, stated, evidence, options) =>
      call(resolveReview(defaults, paymentId, stated, evidence, options)),
    corrections: {
      list: (options) => call(proposals(defaults, options)),
      approve: (...order) => call(decideCorrection(defaults, "approve", ...order)),
      reject: (...order) => call(decideCorrection(defaults, "reject", ...order)),
      withdraw: (...order) => call(decideCorrection(defaults, "withdraw", ...order))
    },

    reconciliation: reconciliationCalls(call, gate, defaults),
    journal: (query, options) => ({ [Symbol.asyncIterator]: () => journal(call, defaults, query, options) }),

    deliveries: (query, options) => call(deliveries(defaults, query, options)),
    deliveryAttempts: (deliveryId, options) => call(deliveryAttempts(defaults, deliveryId, options)),
    redeliver: (deliveryId, options) => call(redeliver(defaults, deliveryId, options)),

    successRates: (options) => call(successRates(defaults, options)),
    circuits: () => call(circuits),
    usage: (period, options) => call(usage(defaults, period, options)),

    createApiKey: (order, options) => call(createApiKey(defaults, order, options)),
    revokeApiKey: (hash) => call(revokeApiKey(hash)),

    operators: {
      add: (order, options) => call(addOperator(order, options)),
      list: () => call(listOperators),
      edit: (login, order, options) => call(editOperator(login, order, options)),
      remove: (login, options) => call(removeOperator(login, options)),
      createLink: (login, order, options) => call(createSignInLink(login, order, options))
    },

    rotateEncryption: () => call(rotateEncryption),

    recover: (order) => call(recover(order)),
    acceptLoss: (order) => call(acceptLoss(order)),

    checkDue: () => call(Effect.flatMap(Core.Pointsman, (pointsman) => fromStore(pointsman.checkDue)))
  }
}

const rotateEncryption = Core.rotateEncryption().pipe(
  Effect.catchTag("pointsman/KeyUnavailable", (cause) => Effect.fail(keyStorageError("rotating the key")(cause))),
  fromStore,
  Effect.map(
    ({ left, resealed }): EncryptionRotation => ({
      resealed,
      left: [...left.byKey].map(([key, texts]) => ({ key, texts })),
      unreadable: left.unreadable.count
    })
  )
)

const reconciliationCalls = (
  call: ReturnType<typeof makeCall>,
  gate: Gate,
  defaults: Defaults
): Pointsman["reconciliation"] => ({
  run: (order) => call(runReport(gate, order)),
  fetch: (order) => call(fetchReports(order)),
  list: (query, options) => call(listRuns(defaults, query, options)),
  find: (runId, options) => call(findRun(defaults, runId, options)),
  differences: (query, options) => call(listDifferences(defaults, query, options)),
  close: (differenceId, closing) => call(closeDifference(differenceId, closing)),
  accept: (differenceId, acceptance) => call(acceptSuggestion(differenceId, acceptance)),
  balance: (period, options) => call(balance(defaults, period, options)),
  payouts: (period, options) => call(payouts(defaults, period, options)),
  payout: (name, options) => call(payout(defaults, name, options)),
  payoutEntries: (name, options) => ({
    [Symbol.asyncIterator]: () => payoutEntries(call, defaults, name, options)
  })
})
