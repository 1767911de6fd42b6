/**
 * What the model says of a JSON value. Most of it is exact; an identifier that the server draws is a `Name`, bound on
 * first sight to whatever it is then and from there on exact as well.
 */

/** Something that the server chose, of a known form. */
export class Name {
  text: string | undefined
  readonly form: RegExp
  /** `own`: nothing else is called so. `shared`: others may be. */
  readonly kind: "own" | "shared"
  constructor(form: RegExp, kind: Name["kind"] = "own") {
    this.form = form
    this.kind = kind
  }
}

/** A value of which the contract says no more than this. */
export class Such {
  readonly what: string
  readonly holds: (value: unknown) => boolean
  constructor(what: string, holds: Such["holds"]) {
    this.what = what
    this.holds = holds
  }
}

export type Pattern =
  | Name
  | Such
  | string
  | number
  | boolean
  | null
  | ReadonlyArray<Pattern>
  | { readonly [key: string]: Pattern }

export type Bindings = Map<Name, string>

/** Where and how the value differs, or `undefined`; new names are added to the bindings. */
export const difference = (
  pattern: Pattern,
  value: unknown,
  bindings: Bindings,
  taken: ReadonlySet<string>,
  path = ""
): string | undefined => {
  const differs = (expected: unknown) => `${path || "body"}: expected ${show(expected)}, got ${show(value)}`
  if (pattern instanceof Name) {
    const text = pattern.text ?? bindings.get(pattern)
    if (text !== undefined) return text === value ? undefined : differs(text)
    if (typeof value !== "string" || !pattern.form.test(value)) return differs(String(pattern.form))
    if (pattern.kind === "own" && taken.has(value)) return differs("a name that nothing else has")
    bindings.set(pattern, value)
    return undefined
  }
  if (pattern instanceof Such) return pattern.holds(value) ? undefined : differs(pattern.what)
  if (pattern === null || typeof pattern !== "object") return pattern === value ? undefined : differs(pattern)
  if (Array.isArray(pattern)) {
    if (!Array.isArray(value)) return differs("a list")
    for (const [index, item] of pattern.entries()) {
      const found = difference(item, value[index], bindings, taken, `${path}[${index}]`)
      if (found !== undefined) return found
    }
    return pattern.length === value.length
      ? undefined
      : `${path}: expected ${pattern.length} items, got ${value.length}`
  }
  if (value === null || typeof value !== "object") return differs("an object")
  const fields = Object.entries(pattern)
  const unexpected = Object.keys(value).filter((key) => !Object.hasOwn(pattern, key))
  if (unexpected.length > 0) return `${path || "body"}: did not expect ${unexpected.join(", ")}`
  for (const [key, field] of fields) {
    if (!Object.hasOwn(value, key)) return `${path || "body"}: expected ${key}`
    const found = difference(field, Reflect.get(value, key), bindings, taken, path === "" ? key : `${path}.${key}`)
    if (found !== undefined) return found
  }
  return undefined
}

const show = (value: unknown): string => {
  const text = typeof value === "string" && value.startsWith("/") ? value : (JSON.stringify(value) ?? "nothing")
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
