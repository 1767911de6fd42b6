/** What lists have in common: query parameters that no schema names, filters, pages, and the moment of the read. */
import { type Event as EventRecord, type Metadata, type Page, statesOf, viewOfEvent } from "@pointsman/core"
import type { PaymentFilter as Filter, StaleReads } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { ErrorBody } from "./api/Errors.ts"
import type { Event } from "./api/Events.ts"
import { metadataParameter, type PaymentFilter } from "./api/PaymentFilter.ts"
import { purchaseLimits } from "./api/Purchase.ts"
import { validationErrorOf } from "./Expectations.ts"
import { printable } from "./FailureMessages.ts"

const namedAtMost = 3
const nameCharacters = 40

/**
 * Refuses a query parameter that a list does not have: a filter that does nothing would answer with everybody's
 * payments. `pattern`: of parameters whose names the caller makes.
 */
export const refuseUnknownParameters = (
  known: ReadonlyArray<string>,
  pattern?: { readonly matches: RegExp; readonly named: string }
): Effect.Effect<void, ErrorBody<"validation_error">, HttpServerRequest.ParsedSearchParams> =>
  Effect.flatMap(HttpServerRequest.ParsedSearchParams, (given) => {
    const unknown = Object.keys(given).filter((name) => !known.includes(name) && pattern?.matches.test(name) !== true)
    if (unknown.length === 0) return Effect.void
    const names = [...known, ...(pattern === undefined ? [] : [pattern.named])]
    const expected = names.length === 0 ? "none" : names.map((name) => `\`${name}\``).join(", ")
    return Effect.fail(
      validationErrorOf(
        ...unknown
          .slice(0, namedAtMost)
          .map((name) => `\`${printable(name.slice(0, nameCharacters))}\` is not a parameter: expected ${expected}`)
      )
    )
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

/** From the filters of a list of payments to core's. */
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

export const eventView = (event: EventRecord): Event => viewOfEvent(event)

/** The list envelope of a page. */
export const pageView = <Item extends { readonly id: string }, View>(page: Page<Item>, view: (item: Item) => View) => ({
  data: page.items.map(view),
  has_more: page.hasMore,
  next_cursor: page.hasMore ? (page.walkedTo ?? page.items.at(-1)?.id ?? null) : null,
  ...(page.walkedTo === undefined ? {} : { search_incomplete: true as const })
})

// A response that was read from a copy of the store says of which moment it is.

/** RFC 3339, in UTC. What was committed by then is in the response; a response without it was read from the primary. */
export const asOfHeader = "pointsman-as-of"

/** To be called when everything was read. */
export const showAsOf = Effect.fnUntraced(function* ({ asOf }: StaleReads) {
  const request = yield* Effect.serviceOption(HttpServerRequest.HttpServerRequest)
  if (asOf === null || Option.isNone(request)) return
  yield* HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeader(response, asOfHeader, new Date(asOf).toISOString()))
  ).pipe(Effect.provideService(HttpServerRequest.HttpServerRequest, request.value))
})
