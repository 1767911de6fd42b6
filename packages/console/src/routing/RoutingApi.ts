/** Routing: how payments are routed now, how connections fare, and where a payment would go. It only reads. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { failures } from "../api/Errors.ts"
import { Authorize, RequestErrors, summary, tenantPath } from "../api/Parts.ts"
import { History, HistoryQuery, Preview, PreviewQuery, Rate, RoutingSettings } from "./RoutingRecords.ts"

const path = "/workspaces/:workspace/:environment/routing"
const error = failures("not_found", "internal_error")

export class Routing extends HttpApiGroup.make("routing")
  .add(
    HttpApiEndpoint.get("routing", path, {
      params: tenantPath,
      success: Schema.Struct({ data: RoutingSettings }),
      error
    }).annotateMerge(
      summary("Routing", "Mode, order, rules with what can never take effect, control group, circuits.")
    ),
    HttpApiEndpoint.get("successRates", `${path}/rates`, {
      params: tenantPath,
      success: Schema.Struct({ data: Schema.Array(Rate) }),
      error
    }).annotateMerge(summary("Success rates", "As mode `auto` knows them now. Nothing is measured in the sandbox.")),
    HttpApiEndpoint.get("successHistory", `${path}/history`, {
      params: tenantPath,
      query: HistoryQuery,
      success: Schema.Struct({ data: History }),
      error
    }).annotateMerge(summary("Success over time", "Counted from stored payments, in the sandbox too.")),
    HttpApiEndpoint.get("previewRouting", `${path}/preview`, {
      params: tenantPath,
      query: PreviewQuery.fields,
      success: Schema.Struct({ data: Preview }),
      error: failures("not_found", "internal_error", "validation_error")
    }).annotateMerge(summary("Where a payment would go", "Plans without asking a provider, and writes nothing."))
  )
  .middleware(RequestErrors)
  .middleware(Authorize) {}
