/** `POST /psp-webhooks/{pspId}`: called by payment providers, without an API key. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { documented } from "./Documented.ts"
import { errors, tooManyRequests } from "./ErrorSchemas.ts"

export const ProviderMessageBody = Schema.Struct({
  id: Schema.String.annotateKey(documented("The provider's id of the message. A duplicate changes nothing.")),
  type: Schema.String.annotateKey(
    documented(
      "`charge.updated`, `refund.updated`, `charge.settled`, `dispute.opened`, `dispute.won` or " +
        "`dispute.lost`. Other types are accepted and ignored."
    )
  ),
  created: Schema.String.annotateKey(documented("When the provider created the message.", { format: "date-time" })),
  data: Schema.Record(Schema.String, Schema.Unknown).annotateKey(
    documented("The charge with its `attempt_id`, the refund with its `refund_id`, or the dispute.")
  )
}).annotate({
  identifier: "ProviderMessage",
  description:
    "A message of the provider protocol. Connectors with their own protocol accept that provider's " +
    "messages instead."
})

export const AcceptedEnvelope = Schema.Struct({
  data: Schema.Struct({
    accepted: Schema.Literal(true).annotateKey(documented("Always true: the provider need not send the message again."))
  })
}).annotate({ identifier: "AcceptedEnvelope", description: "The message and the resulting changes were recorded." })

export const messageLimits = { bodyBytes: 1_048_576 } as const

export class ProviderWebhooks extends HttpApiGroup.make("providerWebhooks")
  .add(
    HttpApiEndpoint.post("receive", "/psp-webhooks/:pspId", {
      // The connection's id.
      params: { pspId: Schema.String.annotateKey(documented("The connection's id.")) },
      // Optional to the decoder: a missing one is 401, and some providers sign in a header of their own.
      headers: {
        "x-service-signature": Schema.optionalKey(Schema.String).annotateKey(
          documented(
            "`t=<unix seconds>,v1=<hex>`: the HMAC-SHA-256 of `<t>.<raw body>`, keyed with the connection's " +
              "webhook secret. Required unless the provider signs with its own header."
          )
        )
      },
      // For the document alone: the signature covers the bytes as they came, and the connector reads them.
      payload: ProviderMessageBody,
      success: AcceptedEnvelope,
      error: [...errors("unauthorized", "payload_too_large", "internal_error"), tooManyRequests("rate_limited")]
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "receiveProviderWebhook",
        summary: "Receive a provider's message",
        description:
          "Called by payment providers, not by merchants. A missing or invalid signature and an unknown " +
          "connection both return 401."
      })
    )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Provider webhooks", description: "Where payment providers send their messages." })
  ) {}
