/** The page of error codes: from the table of codes, and the table of core's failures. */
import { documentedCodes, errorTable } from "@pointsman/http"
import { paramCodes, replayedCodes } from "@pointsman/http/api"
import { code, table } from "./Markdown.ts"

const failures = Object.entries(errorTable).flatMap(([operation, rows]) =>
  Object.entries(rows).map(([failure, row]) => ({
    operation,
    failure: failure.replace(/^pointsman\//, ""),
    code: row.code
  }))
)

/** Operations that answer a failure by the same code share a row. */
const failureRows = [...Map.groupBy(failures, ({ failure, code }) => `${failure} ${code}`).values()].flatMap((all) =>
  all
    .slice(0, 1)
    .map((one) => [code(one.failure), code(one.code), all.map(({ operation }) => code(operation)).join(", ")])
)

const replayed = [...replayedCodes].map(code).join(", ")

export const errorsPage = (notice: string): string =>
  [
    notice,
    "# Errors",
    'Every failure is `{ "error": { "code", "message", … } }` with one of these codes. Decide by `code`: it is stable, and a `message` may change. Every answer has the header `X-Request-Id`, and 429 has `Retry-After` in seconds.',
    table(
      ["Field", "On", "Meaning"],
      [
        [
          "`request_id`",
          `every error but ${replayed}, which a repeat under the key gets with the same bytes`,
          "the same as `X-Request-Id`"
        ],
        ["`doc_url`", "the same errors, of a server that serves `/docs`", "the page of that server about the code"],
        [
          "`param`",
          paramCodes.map(code).join(", "),
          "the first wrong field, parameter or header, such as `lines[2].name`, where there is one"
        ],
        ["`excluded`", "`routing_failed`, if the request set `debug`", "why each connection was excluded"]
      ]
    ),
    "## Codes",
    "In the order in which a request is checked, as far as a code has a place in it. [Endpoints](api.md) names the codes of each.",
    table(
      ["Code", "Status", "Meaning"],
      documentedCodes.map((row) => [code(row.code), String(row.status), row.meaning])
    ),
    "## What core's failures become",
    "For programs that embed the library: the code by which the API answers a failure of each operation.",
    table(["Failure", "Code", "Operations"], failureRows)
  ].join("\n\n")
