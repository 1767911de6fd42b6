/**
 * Refuses a query parameter that a list does not have: a filter that does nothing would answer with everybody's
 * payments.
 */
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import type { ErrorBody } from "./api/Errors.ts"
import { validationErrorOf } from "./Expectations.ts"
import { printable } from "./PrintableText.ts"

const namedAtMost = 3
const nameCharacters = 40

/** `pattern`: of parameters whose names the caller makes. */
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
