/** Providers' messages: the list, one of them, and applying one again. */
import { messageOutcomes } from "@pointsman/core/ports"
import { limitParameter, pageOf } from "@pointsman/http/api"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { failures } from "../api/Errors.ts"
import { Authorize, RequestErrors, summary, tenantPath } from "../api/Parts.ts"
import { Message, MessageWithBody } from "./MessageRecords.ts"

/** In the query and the body, because the id is the provider's: it may have any length and any character. */
const messageKey = { connection: Schema.String, id: Schema.String }

export class Messages extends HttpApiGroup.make("messages")
  .add(
    HttpApiEndpoint.get("messages", "/workspaces/:workspace/:environment/messages", {
      params: tenantPath,
      query: {
        connection: Schema.optionalKey(Schema.String),
        payment: Schema.optionalKey(Schema.String),
        outcome: Schema.optionalKey(Schema.Literals(messageOutcomes)),
        before: Schema.optionalKey(Schema.String).annotateKey({
          description: "Cursor: the `next_cursor` of the previous page."
        }),
        limit: limitParameter
      },
      success: pageOf(Message),
      error: failures("not_found", "validation_error", "internal_error")
    }).annotateMerge(summary("List providers' messages", "Newest first, with what became of each.")),
    HttpApiEndpoint.get("message", "/workspaces/:workspace/:environment/message", {
      params: tenantPath,
      query: messageKey,
      success: Schema.Struct({ data: MessageWithBody }),
      error: failures("not_found", "message_not_applicable", "internal_error")
    }).annotateMerge(summary("One message", "With its body, which may name the customer.")),
    HttpApiEndpoint.post("applyMessage", "/workspaces/:workspace/:environment/message/apply", {
      params: tenantPath,
      payload: Schema.Struct(messageKey),
      success: Schema.Struct({ data: Message }),
      error: failures("not_found", "message_not_applicable", "internal_error")
    }).annotateMerge(
      summary(
        "Apply a message",
        "Reads a stored message again and decides it again, under the operator's name. No provider is asked. A message " +
          "that was applied is returned as it is."
      )
    )
  )
  .middleware(RequestErrors)
  .middleware(Authorize) {}
