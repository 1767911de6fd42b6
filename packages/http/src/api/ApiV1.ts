/** Version 1 of the API as a whole, and the part of it that this release serves. */
import { HttpApi, OpenApi } from "effect/http-api"
import { Events } from "./Events.ts"
import { Merchants } from "./Merchants.ts"
import { OpenApiDocument } from "./OpenApiDocument.ts"
import { Operations } from "./Operations.ts"
import { Payments } from "./Payments.ts"
import { ProviderWebhooks } from "./ProviderWebhooks.ts"

const about = OpenApi.annotations({ title: "Payment orchestration API", version: "1" })

/** Every endpoint of the specification. */
export const ApiV1 = HttpApi.make("pointsman")
  .add(Payments, Operations, Events, Merchants, ProviderWebhooks, OpenApiDocument)
  .prefix("/api/v1")
  // All mistakes of a request are told at once.
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(about)

/** The groups that have handlers. The others answer 404, as any unknown route does. */
export const ServedApi = HttpApi.make("pointsman")
  .add(Payments, Events)
  .prefix("/api/v1")
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(about)
