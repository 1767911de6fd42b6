/** What the document of the API says of a field beyond what its codec checks. */

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
