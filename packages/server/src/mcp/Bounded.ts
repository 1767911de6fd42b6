/** How long an answer of a tool may be: a model reads it all, and its context is limited. */

const mostItems = 100
const mostCharacters = 2_000
/** Some 50,000 tokens. */
const mostInAll = 200_000

/**
 * The value as JSON. Lists have 100 items at most and texts 2,000 characters; `cut` names each that had more, and only
 * then is there. `undefined` where it is too long all the same.
 */
export const boundedJson = (value: Readonly<Record<string, unknown>>): string | undefined => {
  const cut: Array<string> = []
  const bounded = bound(value, "", cut)
  const text = JSON.stringify(cut.length === 0 ? bounded : { ...(bounded as object), cut: cut.slice(0, mostItems) })
  return text.length > mostInAll ? undefined : text
}

const bound = (value: unknown, path: string, cut: Array<string>): unknown => {
  if (typeof value === "string") {
    if (value.length <= mostCharacters) return value
    cut.push(`${path}: the first ${mostCharacters} of ${value.length} characters`)
    return value.slice(0, mostCharacters).toWellFormed()
  }
  if (Array.isArray(value)) {
    if (value.length > mostItems) cut.push(`${path}: the last ${mostItems} of ${value.length} items`)
    return value.slice(-mostItems).map((item) => bound(item, `${path}[]`, cut))
  }
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, bound(item, path === "" ? name : `${path}.${name}`, cut)])
  )
}
