/**
 * Any string of the configuration file may be `{"$env": "NAME"}`: the value of an environment variable, so that
 * secrets need not be in the file.
 */
import { Predicate } from "effect"
import type { Mistake } from "./DecodeFile.ts"

export interface Resolved {
  readonly json: unknown
  readonly mistakes: ReadonlyArray<Mistake>
}

/** The value may be the secret itself, by mistake: it is shown only if it can be a name. */
const isName = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/u

/** A reference that cannot be resolved is a mistake, and leaves an empty string in its place. */
export const resolveReferences = (
  json: unknown,
  environment: Readonly<Record<string, string | undefined>>
): Resolved => {
  const mistakes: Array<Mistake> = []
  const visit = (value: unknown, path: ReadonlyArray<PropertyKey>): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => visit(item, [...path, index]))
    if (!Predicate.isObject(value)) return value
    if (!Object.hasOwn(value, "$env")) {
      // `fromEntries` makes own fields of every name, `__proto__` included, so that none slips by as a prototype.
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, visit(item, [...path, key])]))
    }
    const name = value["$env"]
    if (Object.keys(value).length !== 1 || typeof name !== "string" || !isName.test(name)) {
      mistakes.push({
        path,
        message: 'expected {"$env": "NAME"} with the name of an environment variable and no other field'
      })
      return ""
    }
    const resolved = Object.hasOwn(environment, name) ? environment[name] : undefined
    if (resolved === undefined) {
      mistakes.push({ path, message: `the environment variable ${name} is not set` })
      return ""
    }
    return resolved
  }
  return { json: visit(json, []), mistakes }
}
