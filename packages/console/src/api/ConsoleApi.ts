/**
 * The console's API, under `<mount>/api`. A request without a session can use the group `entry` only. `Access.ts` lists the
 * action that each endpoint of the group `desk` requires.
 */
import { environments, type SignInMethod, signInMethods } from "@pointsman/core"
import {
  beforePayment,
  CapturePayment,
  IdempotencyKey,
  limitParameter,
  Payment,
  PaymentEnvelope,
  pageOf,
  paymentFilter,
  RefundPayment
} from "@pointsman/http/api"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware, HttpApiSchema, OpenApi } from "effect/http-api"
import type { CurrentOperator } from "../CurrentOperator.ts"
import { failures } from "./Errors.ts"
import { Me, PaymentFile } from "./Records.ts"

/** Bodies, parameters and headers that do not decode: 422, with the field and what was expected. */
export class RequestErrors extends HttpApiMiddleware.Service<RequestErrors>()("pointsman/console/RequestErrors", {
  error: failures("validation_error", "invalid_json")
}) {}

/** Finds the operator of the session, and checks the role. */
export class Authorize extends HttpApiMiddleware.Service<Authorize, { provides: CurrentOperator }>()(
  "pointsman/console/Authorize",
  { error: failures("not_signed_in", "forbidden", "internal_error") }
) {}

const summary = (text: string, description: string) => OpenApi.annotations({ summary: text, description })

const Session = Schema.Struct({ data: Schema.Struct({ login: Schema.String, method: Schema.Literals(signInMethods) }) })

const Credentials = Schema.Struct({ login: Schema.String, password: Schema.RedactedFromValue(Schema.String) })
const LinkToken = Schema.Struct({ token: Schema.RedactedFromValue(Schema.String) })
const NewPassword = Schema.Struct({
  current: Schema.optionalKey(Schema.RedactedFromValue(Schema.String)),
  password: Schema.RedactedFromValue(Schema.String)
})

class Entry extends HttpApiGroup.make("entry")
  .add(
    HttpApiEndpoint.post("signIn", "/session", {
      payload: Credentials,
      success: Session,
      error: failures("sign_in_refused", "too_many_sign_ins", "internal_error")
    }).annotateMerge(summary("Sign in by a password", "Begins a session, whose token is in the cookie.")),
    HttpApiEndpoint.post("signInByLink", "/session/link", {
      payload: LinkToken,
      success: Session,
      error: failures("sign_in_refused", "too_many_sign_ins", "internal_error")
    }).annotateMerge(summary("Sign in by a link", "Begins a session with a token that works once.")),
    HttpApiEndpoint.delete("signOut", "/session", {
      success: HttpApiSchema.NoContent,
      error: failures("internal_error")
    }).annotateMerge(summary("Sign out", "Ends the session of the cookie. It may be repeated."))
  )
  .middleware(RequestErrors) {}

const tenantPath = { workspace: Schema.String, environment: Schema.Literals(environments) }
const paymentPath = { ...tenantPath, payment: Schema.String }

/** Required: the client makes it once for each intent, so that a repeated request moves money once. */
const moneyHeaders = {
  "idempotency-key": IdempotencyKey.annotateKey({
    description: "8 to 200 printable ASCII characters. A repeated key returns the first response."
  })
}

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

export class Desk extends HttpApiGroup.make("desk")
  .add(
    HttpApiEndpoint.get("me", "/me", {
      success: Schema.Struct({ data: Me }),
      error: failures("internal_error")
    }).annotateMerge(summary("Who is signed in", "The operator, with what it may do in each workspace.")),
    HttpApiEndpoint.delete("signOutEverywhere", "/sessions", {
      success: HttpApiSchema.NoContent,
      error: failures("internal_error")
    }).annotateMerge(summary("Sign out everywhere", "Ends all sessions and sign-in links of the operator.")),
    HttpApiEndpoint.put("setPassword", "/password", {
      payload: NewPassword,
      success: Session,
      error: failures("password_refused", "too_many_sign_ins", "operator_changed", "internal_error")
    }).annotateMerge(
      summary(
        "Set a password",
        "12 to 256 characters. It ends all sessions and begins a new one. `current` may be left out for 15 minutes " +
          "after a sign-in by a link."
      )
    ),
    HttpApiEndpoint.get("payments", "/workspaces/:workspace/:environment/payments", {
      params: tenantPath,
      query: {
        ...paymentFilter,
        before: beforePayment,
        limit: limitParameter
      },
      success: pageOf(Payment),
      error: failures("not_found", "internal_error")
    }).annotateMerge(summary("List payments", "Newest first.")),
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
      success: PaymentEnvelope,
      error: failures(
        ...moneyErrors,
        "validation_error",
        "not_refundable",
        "refund_pending",
        "refund_conflict",
        "refund_result_unknown"
      )
    }).annotateMerge(summary("Refund", "Refunds a captured payment at its provider, under the operator's name."))
  )
  .middleware(RequestErrors)
  .middleware(Authorize) {}

export class ConsoleApi extends HttpApi.make("pointsman-console").add(Entry, Desk).prefix("/api") {}

export type SessionView = { readonly login: string; readonly method: SignInMethod }
