/** Payments: the list, one of them, and what moves money. */
import {
  beforePayment,
  CapturePayment,
  limitParameter,
  Payment,
  PaymentEnvelope,
  pageOf,
  paymentFilter,
  RefundPayment
} from "@pointsman/http/api"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { failures } from "../api/Errors.ts"
import { Authorize, moneyHeaders, RequestErrors, summary, tenantPath } from "../api/Parts.ts"
import { PaymentAfterStatement } from "../reviews/ReviewRecords.ts"
import { PaymentFile } from "./PaymentRecords.ts"

const paymentPath = { ...tenantPath, payment: Schema.String }

const moneyErrors = [
  "not_found",
  "invalid_amount",
  "idempotency_key_reuse",
  "internal_error",
  "state_unconfirmed",
  "psp_error",
  "unauthorized"
] as const

const operationErrors = [
  ...moneyErrors,
  "idempotency_in_progress",
  "no_provider_ref",
  "state_conflict",
  "unsupported"
] as const

export class Payments extends HttpApiGroup.make("payments")
  .add(
    HttpApiEndpoint.get("payments", "/workspaces/:workspace/:environment/payments", {
      params: tenantPath,
      query: {
        ...paymentFilter,
        before: beforePayment,
        limit: limitParameter
      },
      success: pageOf(Payment),
      error: failures("not_found", "too_many_requests", "internal_error")
    }).annotateMerge(summary("List payments", "Newest first.")),
    HttpApiEndpoint.get("exportPayments", "/workspaces/:workspace/:environment/payments/export.csv", {
      params: tenantPath,
      query: paymentFilter,
      success: HttpApiSchema.StreamUint8Array({ contentType: "text/csv" }),
      error: failures("not_found", "too_many_requests", "internal_error")
    }).annotateMerge(
      summary(
        "Export payments",
        "All payments of the filter as CSV, newest first. An entry of the audit trail names it."
      )
    ),
    HttpApiEndpoint.get("payment", "/workspaces/:workspace/:environment/payments/:payment", {
      params: paymentPath,
      success: Schema.Struct({ data: PaymentFile }),
      error: failures("not_found", "internal_error")
    }).annotateMerge(summary("One payment", "With its attempts, operations, refunds and timeline.")),
    HttpApiEndpoint.post("capture", "/workspaces/:workspace/:environment/payments/:payment/capture", {
      params: paymentPath,
      headers: moneyHeaders,
      payload: CapturePayment,
      success: PaymentEnvelope,
      error: failures(...operationErrors, "not_capturable", "capture_conflict", "capture_result_unknown")
    }).annotateMerge(summary("Capture", "Captures an authorized payment at its provider, under the operator's name.")),
    HttpApiEndpoint.post("void", "/workspaces/:workspace/:environment/payments/:payment/void", {
      params: paymentPath,
      headers: moneyHeaders,
      success: PaymentEnvelope,
      error: failures(...operationErrors, "not_voidable", "void_conflict", "void_result_unknown")
    }).annotateMerge(summary("Void", "Releases an authorized payment at its provider, under the operator's name.")),
    HttpApiEndpoint.post("refund", "/workspaces/:workspace/:environment/payments/:payment/refunds", {
      params: paymentPath,
      headers: moneyHeaders,
      payload: RefundPayment,
      success: PaymentAfterStatement,
      error: failures(
        ...moneyErrors,
        "validation_error",
        "correction_refused",
        "sign_in_again",
        "not_refundable",
        "refund_pending",
        "refund_conflict",
        "refund_result_unknown"
      )
    }).annotateMerge(
      summary(
        "Refund",
        "Refunds a captured payment at its provider, under the operator's name. Above the limit, `correction` has the " +
          "refund, and another operator has to approve it."
      )
    )
  )
  .middleware(RequestErrors)
  .middleware(Authorize) {}
