/** Query parameters that no schema names. */
import type { Metadata } from "@pointsman/core"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import type { ErrorBody } from "./api/Errors.ts"
import { metadataParameter } from "./api/PaymentFilter.ts"
import { purchaseLimits } from "./api/Purchase.ts"
import { validationErrorOf } from "./Expectations.ts"
import { printable } from "./PrintableText.ts"

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
