/** The page of endpoints, from the OpenAPI document that the server serves. */
import { openApiDocument } from "@pointsman/http"
import { type Components, fieldTables } from "./Fields.ts"
import { anchorOf, code, json, table } from "./Markdown.ts"
import { fieldsIn, refOf, type Schema } from "./Schema.ts"

const document = openApiDocument()

type Operation = NonNullable<(typeof document.paths)[string]["get"]>
type Parameter = NonNullable<Operation["parameters"]>[number]

/** Components with a section of their own; every other one is shown where it is used. */
const shown = [
  "CreatePayment",
  "Simulation",
  "SimulatedCharge",
  "Payment",
  "NextAction",
  "RoutingDecision",
  "RoutingExclusion",
  "Event",
  "Dispute",
  "Merchant"
]

const components: Components = (name) => ({
  schema: document.components.schemas[name] ?? {},
  link: shown.includes(name) ? `#${anchorOf(name)}` : undefined
})

interface PageSoFar {
  readonly fieldTable: ReturnType<typeof fieldTables>
  /** Components of which an answer was shown. */
  readonly exemplified: Set<string | undefined>
}

/** Parameters and fields that lists share are described once. */
const pageParameters = ["before", "after", "limit"]
const pageFields = ["has_more", "next_cursor"]

const bodyOf = (schema: Schema, { fieldTable }: PageSoFar): string => {
  const name = refOf(schema)
  if (name === undefined) return ""
  const { schema: component, link } = components(name)
  return link === undefined ? fieldTable(component, false) : `The fields of [${name}](${link}).`
}

const parameterLine = ({ name, in: place, required, description = "" }: Parameter): string =>
  `- ${code(name)}${place === "header" ? " (header)" : ""}${required && place !== "path" ? ", required" : ""}: ${description}`

const isId = ({ name }: Parameter): boolean => name === "id"

const parametersOf = ({ parameters = [] }: Operation): ReadonlyArray<string> => {
  const own = parameters.filter((one) => !isId(one) && !pageParameters.includes(one.name))
  const ofPages = parameters.filter(({ name }) => pageParameters.includes(name)).map(({ name }) => code(name))
  const lines = [
    ...own.map(parameterLine),
    ...(ofPages.length === 0 ? [] : [`- ${ofPages.join(", ")}: see [pages](#pages).`])
  ]
  return lines.length === 0 ? [] : [lines.join("\n")]
}

const requestOf = ({ requestBody }: Operation, page: PageSoFar): ReadonlyArray<string> => {
  const content = requestBody?.content["application/json"]
  if (content === undefined) return []
  const examples = Object.values(content.examples ?? {}).filter(({ value }) => JSON.stringify(value) !== "{}")
  return [
    requestBody?.required === true ? "**Body**" : "**Body**, which may be left out",
    bodyOf(content.schema, page),
    ...examples.flatMap(({ summary, value }) => [`${summary}:`, json(value)])
  ]
}

/** What an answer has in `data`: the name of a component, and whether it is a list of them. */
const dataOf = (schema: Schema): { readonly name: string | undefined; readonly isList: boolean } => {
  const data = fieldsIn(components(refOf(schema) ?? "").schema)["data"] as Schema | undefined
  return { name: refOf(data?.items ?? data), isList: data?.items !== undefined }
}

/** With an example of each component, at its first answer. */
const answersOf = ({ responses }: Operation, { exemplified, fieldTable }: PageSoFar): ReadonlyArray<string> =>
  Object.entries(responses)
    .filter(([status]) => Number(status) < 400)
    .flatMap(([status, { content, description }]) => {
      const { schema, examples } = content?.["application/json"] ?? {}
      if (schema === undefined) return [`**${status}** ${description}`]
      const { isList, name } = dataOf(schema)
      const [first] = Object.values(examples ?? {})
      const isNew = !exemplified.has(name)
      exemplified.add(name)
      const link = name === undefined ? undefined : components(name).link
      const known = [...(isList ? pageFields : []), ...(link === undefined ? [] : ["data"])]
      const fields = fieldTable(components(refOf(schema) ?? "").schema, true, known)
      return [
        `**${status}** ${description}${link === undefined ? "" : ` ${code("data")}: ${isList ? "a list of " : ""}[${name}](${link}).`}`,
        ...(fields.split("\n").length > 2 ? [fields] : []),
        ...(first === undefined || !isNew ? [] : [json(first.value)])
      ]
    })

/** `401 unauthorized` */
const codesOf = ({ responses }: Operation): ReadonlyArray<readonly [status: string, errorCode: string]> =>
  Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { content }]) =>
      Object.keys(content?.["application/json"]?.examples ?? {}).map((errorCode) => [status, errorCode] as const)
    )

const codesText = (codes: ReturnType<typeof codesOf>): string =>
  [...Map.groupBy(codes, ([status]) => status)]
    .map(([status, some]) => `${status} ${some.map(([, errorCode]) => code(errorCode)).join(", ")}`)
    .join("; ")

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation }))
)

const keyed = operations.filter(({ operation }) => operation.security.length > 0)

/** What every endpoint with an API key may answer. */
const general = keyed
  .slice(0, 1)
  .flatMap(({ operation }) => codesOf(operation))
  .filter(([status, errorCode]) =>
    keyed.every(({ operation }) => codesOf(operation).some(([s, e]) => s === status && e === errorCode))
  )

const failuresOf = (operation: Operation): ReadonlyArray<string> => {
  const isGeneral = ([status, errorCode]: (typeof general)[number]) =>
    operation.security.length > 0 && general.some(([s, e]) => s === status && e === errorCode)
  const codes = codesOf(operation).filter((one) => !isGeneral(one))
  return codes.length === 0 ? [] : [`**Fails** with ${codesText(codes)}.`]
}

const pagesTake = pageParameters.flatMap(
  (name) => operations.flatMap(({ operation }) => operation.parameters ?? []).find((one) => one.name === name) ?? []
)

const pageOfPayments = components(
  refOf(document.paths["/api/v1/payments"]?.get?.responses["200"]?.content?.["application/json"]?.schema) ?? ""
).schema

const pageSize = String((fieldsIn(pageOfPayments)["data"] as Schema | undefined)?.["maxItems"])

const tagged = document.tags
  .map(({ name }) => ({
    name,
    operations: operations.filter(({ operation }) => operation.tags.includes(name))
  }))
  .filter(({ operations }) => operations.length > 0)

export const apiPage = (notice: string): string => {
  const page: PageSoFar = { fieldTable: fieldTables(components), exemplified: new Set() }
  return [
    notice,
    "# Endpoints",
    document.info["description"],
    "Tools read the same contract at `GET /api/v1/openapi.json`; `/docs` of a running server is an interactive page. Pointsman sends you [events](events.md).",
    `An unknown id in a path is 404 ${code("not_found")}. Every endpoint with a scope may also fail with ${codesText(general)} ([what they mean](errors.md)).`,
    table(
      ["Endpoint", "What it does", "Scope"],
      operations.map(({ name, operation }) => [
        code(name),
        `[${operation.summary}](#${anchorOf(operation.summary)})`,
        Object.values(operation.security[0] ?? {})
          .flat()
          .map(code)
          .join(", ")
      ])
    ),
    ...tagged.flatMap(({ name, operations }) => [
      `## ${name}`,
      ...operations.flatMap(({ name, operation }) => [
        `### ${operation.summary}`,
        code(name),
        operation.description.replace(/\s*Requires the scope `[^`]+`\.$/u, ""),
        ...parametersOf(operation),
        ...requestOf(operation, page),
        ...answersOf(operation, page),
        ...failuresOf(operation)
      ])
    ]),
    "## Pages",
    "A list takes:",
    pagesTake.map(parameterLine).join("\n"),
    `It answers with at most ${pageSize} items in ${code("data")}, and:`,
    page.fieldTable(pageOfPayments, true, ["data", "search_incomplete"]),
    "## What they hold",
    ...shown.flatMap((name) => {
      const { schema } = components(name)
      const isAnswer = name !== "CreatePayment" && name !== "Simulation"
      return [
        `### ${name}`,
        ...(typeof schema.description === "string" ? [schema.description] : []),
        Array.isArray(schema.enum)
          ? `One of ${schema.enum.map(String).map(code).join(", ")}.`
          : page.fieldTable(schema, isAnswer)
      ]
    })
  ].join("\n\n")
}
