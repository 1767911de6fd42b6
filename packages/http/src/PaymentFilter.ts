/** From the filters of a list of payments to core's. */
import { type Metadata, statesOf } from "@pointsman/core"
import type { PaymentFilter as Filter } from "@pointsman/core/ports"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import type { ErrorBody } from "./api/Errors.ts"
import { metadataParameter, type PaymentFilter } from "./api/PaymentFilter.ts"
import { purchaseLimits } from "./api/Purchase.ts"
import { validationErrorOf } from "./Expectations.ts"

export const filterOf = (given: PaymentFilter & { readonly metadata?: Metadata | undefined }): Filter => ({
  states: given.status === undefined ? undefined : statesOf(given.status),
  reference: given.reference,
  amountMinor: given.amount,
  currency: given.currency,
  connectionId: given.connection,
  providerRef: given.provider_reference,
  metadata: given.metadata,
  createdFrom: given.created_from,
  createdBefore: given.created_before
})

/** Of the parameters `metadata[name]`, which no schema names. `undefined` without any. */
export const metadataFilter: Effect.Effect<
  Metadata | undefined,
  ErrorBody<"validation_error">,
  HttpServerRequest.ParsedSearchParams
> = Effect.flatMap(HttpServerRequest.ParsedSearchParams, (given) => {
  const pairs = Object.entries(given).flatMap(([parameter, value]) => {
    const name = metadataParameter.exec(parameter)?.groups?.["name"]
    return name === undefined ? [] : [[name, value] as const]
  })
  const isText = (value: string | ReadonlyArray<string>): value is string =>
    typeof value === "string" && [...value].length <= purchaseLimits.text
  return pairs.every(([, value]) => isText(value)) && pairs.length <= purchaseLimits.names
    ? Effect.succeed(pairs.length === 0 ? undefined : (Object.fromEntries(pairs) as Metadata))
    : Effect.fail(
        validationErrorOf(
          `\`metadata[name]\` must be text of at most ${purchaseLimits.text} characters, for at most ` +
            `${purchaseLimits.names} names, each once`
        )
      )
})
