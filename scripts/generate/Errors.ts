/** The page of error codes: from the table of codes, the contract, and the table of core's failures. */
import { documentedCodes, errorTable, openApiDocument } from "@pointsman/http"

const code = (text: string) => `\`${text}\``
const cell = (text: string) => text.replaceAll("|", "\\|")
const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n")

interface Endpoint {
  /** `POST /payments` */
  readonly name: string
  readonly hasKey: boolean
  readonly codes: ReadonlySet<string>
}

const endpoints: ReadonlyArray<Endpoint> = Object.entries(openApiDocument().paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { responses, security }]) => ({
    name: `${method.toUpperCase()} ${path.replace("/api/v1", "")}`,
    hasKey: security.length > 0,
    codes: new Set(
      Object.entries(responses)
        .filter(([status]) => Number(status) >= 400)
        .flatMap(([, { content }]) => Object.keys(content?.["application/json"]?.examples ?? {}))
    )
  }))
)

/** Where a code comes from without any endpoint. */
const elsewhere: Readonly<Record<string, string>> = {
  not_found: "every path that does not exist",
  method_not_allowed: "every path, with a method that it does not have",
  uri_too_long: "every path",
  invalid_request: "every path"
}

const answeredBy = (errorCode: string): string => {
  const all = endpoints.filter(({ codes }) => codes.has(errorCode))
  const isGeneral = (some: ReadonlyArray<Endpoint>) => some.every(({ codes }) => codes.has(errorCode))
  const said = isGeneral(endpoints)
    ? ["every endpoint"]
    : isGeneral(endpoints.filter(({ hasKey }) => hasKey))
      ? ["every endpoint that takes an API key"]
      : all.map(({ name }) => code(name))
  return [...said, ...(elsewhere[errorCode] === undefined ? [] : [elsewhere[errorCode]])].join(", ")
}

const failures = Object.entries(errorTable).flatMap(([operation, rows]) =>
  Object.entries(rows).map(([failure, row]) => [
    code(operation),
    code(failure.replace(/^pointsman\//, "")),
    code(row.code),
    row.message
  ])
)

export const errorsPage = (notice: string): string =>
  [
    notice,
    "# Errors",
    'Every failure is `{ "error": { "code", "message" } }` with one of these codes. Decide by `code`: it is stable, and a `message` may change. `routing_failed` carries `excluded` when the request set `debug`, and `payment_result_unknown` carries `request_id`. Every answer has the header `X-Request-Id`, and 429 has `Retry-After` in seconds.',
    "## Codes",
    "In the order in which a request is checked, as far as a code has a place in it. Paths are under `/api/v1`.",
    table(
      ["Code", "Status", "Meaning", "Answered by"],
      documentedCodes.map((row) => [code(row.code), String(row.status), row.meaning, answeredBy(row.code)])
    ),
    "## What core's failures become",
    "For programs that embed the library: each failure of its operations, and the API's response to it.",
    table(["Operation", "Failure", "Code", "Message"], failures)
  ].join("\n\n")
