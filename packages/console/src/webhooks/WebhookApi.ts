/** Webhooks: endpoints, deliveries, and sending one again. */
import { maxSecretOverlapMillis } from "@pointsman/core"
import { limitParameter, pageOf } from "@pointsman/http/api"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { failures } from "../api/Errors.ts"
import { Authorize, moneyHeaders, RequestErrors, summary, tenantPath } from "../api/Parts.ts"
import { Delivery, DeliveryFile, Endpoint, RotatedSecret, State } from "./WebhookRecords.ts"

const endpointPath = { ...tenantPath, endpoint: Schema.String }
const deliveryPath = { ...tenantPath, delivery: Schema.String }

const overlapLimits = { minimum: 0, maximum: maxSecretOverlapMillis / 1000 }

export class Webhooks extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("endpoints", "/workspaces/:workspace/:environment/webhook-endpoints", {
      params: tenantPath,
      success: Schema.Struct({ data: Schema.Array(Endpoint) }),
      error: failures("not_found", "internal_error")
    }).annotateMerge(summary("List webhook endpoints", "Active ones first.")),
    HttpApiEndpoint.get("endpoint", "/workspaces/:workspace/:environment/webhook-endpoints/:endpoint", {
      params: endpointPath,
      success: Schema.Struct({ data: Endpoint }),
      error: failures("not_found", "internal_error")
    }).annotateMerge(summary("One webhook endpoint", "With the age of its secret.")),
    HttpApiEndpoint.post("rotateSecret", "/workspaces/:workspace/:environment/webhook-endpoints/:endpoint/secret", {
      params: endpointPath,
      headers: moneyHeaders,
      payload: Schema.Struct({
        overlap_seconds: Schema.Int.check(Schema.isBetween(overlapLimits)).annotateKey({
          description: "For how long the former secret signs too."
        }),
        secret_rotated: Schema.NullOr(Schema.String).annotateKey({
          description: "`secret_rotated` of the endpoint as it was read: of two requests, one replaces that secret."
        })
      }),
      success: Schema.Struct({ data: RotatedSecret }),
      error: failures("not_found", "endpoint_changed", "internal_error")
    }).annotateMerge(
      summary("Rotate a secret", "Replaces the signing secret of an endpoint, under the operator's name.")
    ),
    HttpApiEndpoint.get("deliveries", "/workspaces/:workspace/:environment/deliveries", {
      params: tenantPath,
      query: {
        state: Schema.optionalKey(State),
        endpoint: Schema.optionalKey(Schema.String),
        payment: Schema.optionalKey(Schema.String),
        before: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^dlv_[0-9a-f-]{36}$/u))),
        limit: limitParameter
      },
      success: pageOf(Delivery),
      error: failures("not_found", "internal_error")
    }).annotateMerge(summary("List deliveries", "Newest first; `endpoint` and `payment` are ids.")),
    HttpApiEndpoint.get("delivery", "/workspaces/:workspace/:environment/deliveries/:delivery", {
      params: deliveryPath,
      success: Schema.Struct({ data: DeliveryFile }),
      error: failures("not_found", "internal_error")
    }).annotateMerge(summary("One delivery", "With its body and its attempts.")),
    HttpApiEndpoint.post("redeliver", "/workspaces/:workspace/:environment/deliveries/:delivery/redeliver", {
      params: deliveryPath,
      payload: Schema.Struct({
        attempts: Schema.Int.annotateKey({
          description: "`attempts` of the delivery as it was read: a repeated request sends nothing again."
        })
      }),
      success: Schema.Struct({ data: Delivery }),
      error: failures("not_found", "not_redeliverable", "internal_error")
    }).annotateMerge(
      summary(
        "Send a delivery again",
        "At once, under the same id, and then by the schedule, under the operator's name. Also one that was delivered."
      )
    )
  )
  .middleware(RequestErrors)
  .middleware(Authorize) {}
