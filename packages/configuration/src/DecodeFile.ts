/** From JSON to what a schema says, or to every mistake in its shape. */
import { Result, Schema, SchemaIssue } from "effect"

/** A wrong field of the configuration file: its path, and what was expected there. Never its value. */
export interface Mistake {
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
}

/** `workspaces[0].connections[1].priority`; the file itself for an empty path. */
export const formatPath = (path: ReadonlyArray<PropertyKey>): string => {
  const text = path
    .map((key) => {
      if (typeof key === "number") return `[${key}]`
      const name = String(key)
      return /^[A-Za-z_$][\w$-]*$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
    })
    .join("")
  return text === "" ? "(top level)" : text.replace(/^\./u, "")
}

export const formatMistake = (mistake: Mistake): string => `${formatPath(mistake.path)}: ${mistake.message}`

export type Decoded<A> = Result.Result<A, ReadonlyArray<Mistake>>

export const decode =
  <A>(schema: Schema.Codec<A, unknown>) =>
  (json: unknown): Decoded<A> =>
    Schema.decodeUnknownResult(schema)(json, { errors: "all", onExcessProperty: "error" }).pipe(
      Result.mapError((error) =>
        formatIssue(error.issue).issues.map(
          (issue): Mistake => ({
            path: (issue.path ?? []) as ReadonlyArray<PropertyKey>,
            message: withSmallLetter(issue.message)
          })
        )
      )
    )

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    switch (issue._tag) {
      case "UnexpectedKey": {
        const fields = issue.ast._tag === "Objects" ? issue.ast.propertySignatures.map((field) => field.name) : []
        return `unknown field; expected ${fields.length === 0 ? "none" : `one of ${fields.map(String).join(", ")}`}`
      }
      case "MissingKey":
        return "required field is missing"
      default:
        return SchemaIssue.defaultLeafHook(issue)
    }
  },
  checkHook: (issue) => {
    const expected = issue.filter.annotations?.["expected"]
    return typeof expected === "string" ? `expected ${expected}` : undefined
  }
})

const withSmallLetter = (message: string): string =>
  message.charAt(0).toLowerCase() + message.slice(1).replaceAll(" | ", " or ")
