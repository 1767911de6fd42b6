/** The page of endpoints, from the OpenAPI document that the server serves. */
import { openApiDocument } from "@pointsman/http"
import { type Components, fieldTable } from "./Fields.ts"
import { anchorOf, code, json, table } from "./Markdown.ts"

const document = openApiDocument()

type Operation = NonNullable<(typeof document.paths)[string]["get"]>

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
  "Merchant"
]

const components: Components = (name) => ({
  schema: document.components.schemas[name] ?? {},
  link: shown.includes(name) ? `#${anchorOf(name)}` : undefined
})

const refOf = (schema: Readonly<Record<string, unknown>> | undefined): string | undefined =>
  typeof schema?.$ref === "string" ? schema.$ref.split("/").at(-1) : undefined

/** A component is linked where it has a section, and its fields are listed here if it has none. */
const bodyOf = (schema: Readonly<Record<string, unknown>>, isAnswer: boolean): string => {
  const name = refOf(schema)
  if (name === undefined) return ""
  const { schema: component, link } = components(name)
  return link === undefined
    ? fieldTable(component, components, isAnswer)
    : `The fields are those of [${name}](${link}).`
}

const parametersOf = ({ parameters = [] }: Operation): ReadonlyArray<string> =>
  parameters.length === 0
    ? []
    : [
        table(
          ["Parameter", "In", "Required", "Meaning"],
          parameters.map(({ name, in: place, required, description = "" }) => [
            code(name),
            place,
            required ? "yes" : "",
            description
          ])
        )
      ]

const requestOf = ({ requestBody }: Operation): ReadonlyArray<string> => {
  const content = requestBody?.content["application/json"]
  if (content === undefined) return []
  const examples = Object.values(content.examples ?? {})
  return [
    requestBody?.required === true ? "**Body**" : "**Body**, which may be left out",
    bodyOf(content.schema, false),
    ...examples.flatMap(({ summary, value }) => [`${summary}:`, json(value)])
  ]
}

const answersOf = ({ responses }: Operation): ReadonlyArray<string> =>
  Object.entries(responses)
    .filter(([status]) => Number(status) < 400)
    .flatMap(([status, { content, description }]) => {
      const { schema, examples } = content?.["application/json"] ?? {}
      const [first] = Object.values(examples ?? {})
      return [
        `**${status}** ${description}`,
        ...(schema === undefined ? [] : [bodyOf(schema, true)]),
        ...(first === undefined ? [] : [`${first.summary}:`, json(first.value)])
      ].filter((part) => part !== "")
    })

const failuresOf = ({ responses }: Operation): ReadonlyArray<string> => {
  const codes = Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, { content }]) => [
      status,
      Object.keys(content?.["application/json"]?.examples ?? {})
        .map(code)
        .join(", ")
    ])
  return codes.length === 0 ? [] : ["**Failures** ([what they mean](errors.md))", table(["Status", "Codes"], codes)]
}

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation }))
)

const tagged = document.tags
  .map(({ name, description }) => ({
    name,
    description,
    operations: operations.filter(({ operation }) => operation.tags.includes(name))
  }))
  .filter(({ operations }) => operations.length > 0)

export const apiPage = (notice: string): string =>
  [
    notice,
    "# Endpoints",
    document.info["description"],
    "The same contract is available for tools at `GET /api/v1/openapi.json`, and as an interactive page at `/docs` of a running server. Pointsman sends you [events](events.md).",
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
    ...tagged.flatMap(({ name, description, operations }) => [
      `## ${name}`,
      ...(description === "" ? [] : [description]),
      ...operations.flatMap(({ name, operation }) => [
        `### ${operation.summary}`,
        code(name),
        operation.description,
        ...parametersOf(operation),
        ...requestOf(operation),
        ...answersOf(operation),
        ...failuresOf(operation)
      ])
    ]),
    "## What they hold",
    "Unknown fields of a request are ignored; fields may be added to responses.",
    ...shown.flatMap((name) => {
      const { schema } = components(name)
      const isAnswer = name !== "CreatePayment" && name !== "Simulation"
      return [
        `### ${name}`,
        ...(typeof schema.description === "string" ? [schema.description] : []),
        Array.isArray(schema.enum)
          ? `One of ${schema.enum.map(String).map(code).join(", ")}.`
          : fieldTable(schema, components, isAnswer)
      ]
    })
  ].join("\n\n")
