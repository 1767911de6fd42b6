/** What the document of the API says of a field beyond what its codec checks, and what many codecs check. */
import { isPlainText } from "@pointsman/core/internal"
import { Schema } from "effect"

/** The annotation that carries the keywords to the document. */
export const keywordsKey = "x-documented"

/**
 * The description of a field or parameter, and keywords of JSON Schema in the document. They check
 * nothing: an answer is never refused for a limit, and a query parameter is shown as the number that it is and not
 * as the text that it comes as.
 */
export const documented = (
  description: string,
  keywords: Readonly<Record<string, unknown>> = {}
): { readonly description: string; readonly [keywordsKey]: Readonly<Record<string, unknown>> } => ({
  description,
  [keywordsKey]: keywords
})

/** Lone surrogates have no UTF-8, and NUL is refused by Postgres: neither can be stored and given back as it came. */
export const isStorableText = Schema.makeFilter(isPlainText, { expected: "text without NUL or lone surrogates" })
