/** What a request that does not decode is answered: the field, and what was expected of it, never what came. */
import { messageOutcomes } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { operationLimits, pageLimits } from "@pointsman/http/api"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import { failure } from "./api/Errors.ts"
import { RequestErrors } from "./api/Parts.ts"
import { momentExpected } from "./api/Records.ts"
import { statementExpectations } from "./reviews/Statements.ts"
import { historyPeriods, segmentExpected } from "./routing/RoutingRecords.ts"

const { capture_method, card_brand, country, initiator, method, payment_method } = InProcess.createExpectations

const expectations = {
  ...InProcess.queryExpectations,
  ...{ capture_method, card_brand, country, initiator, method, payment_method },
  period: `one of ${historyPeriods.join(", ")}`,
  segment: segmentExpected,
  limit: `an integer from ${pageLimits.minimum} to ${pageLimits.maximum}`,
  environment: "sandbox or production",
  login: "the text of a login",
  password: "a text",
  current: "a text",
  challenge: "the text of a challenge",
  response: "the response of the browser, in JSON",
  token: "the text of a sign-in token",
  name: "a text",
  roles:
    "a list of objects {workspace_id, role}; `workspace_id` is an id or null, `role` one of viewer, support, operations, admin",
  version: "an integer",
  draft: "the text of a key's draft",
  scopes: "a list of scopes, or null for every scope",
  expires: `${momentExpected}, or null`,
  networks: "a list of IP addresses and CIDR ranges, or null",
  from: momentExpected,
  until: momentExpected,
  actor: "a text",
  action: "an action of the audit trail",
  state: "due, sending, delivered, refused or given_up",
  overlap_seconds: "an integer from 0 to 604800",
  secret_rotated: "that of the endpoint when it was read, or null",
  attempts: "the number of attempts that the delivery had when it was read",
  amount: "an integer of at least 1, in the minor unit of the payment's currency",
  ...statementExpectations,
  order: "age or amount",
  outcome: `one of ${messageOutcomes.join(", ")}`,
  connection: "the id of a connection",
  id: "the id of a message",
  payout: "the provider's id of a payout",
  reason: `text of at most ${operationLimits.reason} characters, without NUL or lone surrogates`
}

export const layer = HttpApiMiddleware.layerSchemaErrorTransform(
  RequestErrors,
  Effect.fnUntraced(function* (error) {
    // Our own answer.
    if (error.kind === "Body" || error.kind === "ResponseHeaders") return yield* Effect.die(error)
    if (error.kind === "Payload") {
      const text = yield* Effect.orDie((yield* HttpServerRequest.HttpServerRequest).text)
      if (!isJson(text)) return yield* Effect.fail(failure("invalid_json", "The body is not valid JSON."))
    }
    return yield* Effect.fail(InProcess.validationError(error.cause.issue, expectations))
  })
)

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
