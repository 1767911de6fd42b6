/** Version 1 of the API as a whole. */
import { HttpApi, OpenApi } from "effect/http-api"
import { Disputes } from "./Disputes.ts"
import { Events } from "./Events.ts"
import { Merchants } from "./Merchants.ts"
import { OpenApiDocument } from "./OpenApiDocument.ts"
import { Operations } from "./Operations.ts"
import { Payments } from "./Payments.ts"
import { ProviderWebhooks } from "./ProviderWebhooks.ts"

const about = OpenApi.annotations({
  title: "Payment orchestration API",
  version: "1",
  summary: "Accept payments through your own accounts at payment providers.",
  description: `Create a payment, and it is routed over your active provider connections. All providers look alike: one payment, one set of statuses.

- Send your API key as \`Authorization: Bearer <API_KEY>\`. A \`ps_test_\` key works in the sandbox, where no money moves.
- Amounts are integers in the currency's minor unit: \`1999\` is 19.99 EUR, 1999 JPY or 1.999 KWD.
- An answer holds \`data\`, a failure \`error\` with a \`code\` and a \`message\`. Decide by the code; messages may change.
- \`UNKNOWN\` means that a provider may have executed the operation, but its result is not known yet. It is neither a success nor a decline.
- Unknown fields of a request are ignored. Fields, statuses, event types and codes may be added to answers; ignore those that you do not know.
- Every answer carries \`X-Request-Id\`. An unknown route is 404 \`not_found\`, a known path with another method 405 \`method_not_allowed\`, in the same envelope.`,
  license: { name: "MIT", identifier: "MIT" }
})

/** Every endpoint of version 1. */
export const ApiV1 = HttpApi.make("pointsman")
  .add(Payments, Operations, Disputes, Events, Merchants, ProviderWebhooks, OpenApiDocument)
  .prefix("/api/v1")
  // All mistakes of a request are reported together.
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(about)
