/** The types of `@pointsman/client`: TypeScript of the document that the server publishes, with its descriptions. */
import {
  declineCategories,
  disputeReasons,
  disputeStatuses,
  eventTypes,
  paymentMethodNames,
  paymentMethods,
  paymentStatuses
} from "@pointsman/core"
import { openApiDocument } from "@pointsman/http"
import { errorCodes } from "@pointsman/http/api"

export const clientTypesPath = "packages/client/src/Contract.ts"
export const clientEventsPath = "packages/client/src/EventData.ts"

type Schema = Readonly<Record<string, unknown>>

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
const schemasIn = (value: unknown): ReadonlyArray<Schema> => listOf(value).filter(isSchema)

const { components, paths, webhooks } = openApiDocument()

/** The document repeats these lists wherever they are used. */
const enums: ReadonlyArray<readonly [name: string, values: ReadonlyArray<string>]> = [
  ["PaymentStatus", paymentStatuses],
  ["PaymentMethod", paymentMethods],
  ["PaymentMethodName", paymentMethodNames],
  ["DeclineCategory", declineCategories],
  ["DisputeStatus", disputeStatuses],
  ["DisputeReason", disputeReasons]
]

const nameOf = (schema: Schema): string | undefined =>
  typeof schema["$ref"] === "string" ? schema["$ref"].split("/").at(-1) : undefined

const lineWidth = 120

/** As Biome formats it: on one line where that has room after `before`, or else one member to a line. */
const union = (members: ReadonlyArray<string>, before: string): string => {
  const line = members.join(" | ")
  const isShort = before.length + 1 + line.length <= lineWidth
  if (members.length === 1 || isShort || line.includes("\n")) return ` ${line}`
  const indent = `${/^ */u.exec(before)?.[0]}  `
  return members.map((member) => `\n${indent}| ${member}`).join("")
}

const literals = (values: ReadonlyArray<unknown>): ReadonlyArray<string> => {
  const texts = values.filter((value) => value !== null)
  const known = enums.find(([, names]) => names.length === texts.length && names.every((name) => texts.includes(name)))
  return [
    ...(known === undefined ? texts.map((value) => JSON.stringify(value)) : [known[0]]),
    ...(texts.length === values.length ? [] : ["null"])
  ]
}

/** The members of the type's union. */
const membersOf = (schema: Schema, indent: string): ReadonlyArray<string> => {
  const name = nameOf(schema)
  if (name !== undefined) return [name]
  const branches = schemasIn(schema["anyOf"])
  // A filter's pattern takes what its names take in other letters: it is for validators.
  const named = branches.some((branch) => "enum" in branch) ? branches.filter((branch) => "enum" in branch) : branches
  if (named.length > 0) return named.flatMap((branch) => membersOf(branch, indent))
  if (Array.isArray(schema["enum"])) return literals(schema["enum"])
  const types = typeof schema["type"] === "string" ? [schema["type"]] : listOf(schema["type"])
  return types.map((type) => plain(String(type), schema, indent))
}

const plain = (type: string, schema: Schema, indent: string): string => {
  const { additionalProperties, items, properties, required } = schema
  switch (type) {
    case "integer":
      return "number"
    case "array":
      return `ReadonlyArray<${membersOf(isSchema(items) ? items : {}, indent).join(" | ")}>`
    case "object":
      if (isSchema(properties)) return fieldsOf(properties, listOf(required), indent)
      return `{ readonly [name: string]: ${isSchema(additionalProperties) ? membersOf(additionalProperties, indent).join(" | ") : "Json"} }`
    default:
      return type
  }
}

/** A comment of one line, or of as many as it takes. */
const comment = (description: unknown, indent: string): string => {
  if (typeof description !== "string") return ""
  const line = `${indent}/** ${description.replaceAll(/\s+/gu, " ")} */\n`
  if (line.length <= lineWidth + 1) return line
  const lines = [`${indent} *`]
  for (const word of description.split(/\s+/u)) {
    const last = lines.at(-1) ?? ""
    if (last.length + 1 + word.length <= lineWidth) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(`${indent} * ${word}`)
  }
  return `${indent}/**\n${lines.join("\n")}\n${indent} */\n`
}

const fieldsOf = (properties: Schema, required: ReadonlyArray<unknown>, indent: string): string => {
  const inner = `${indent}  `
  const fields = Object.entries(properties).map(([name, schema]) => {
    if (!isSchema(schema)) throw new Error(`${name} has no schema`)
    const before = `${inner}readonly ${/^\w+$/u.test(name) ? name : JSON.stringify(name)}${required.includes(name) ? "" : "?"}:`
    return `${comment(schema["description"], inner)}${before}${union(membersOf(schema, inner), before)}\n`
  })
  return `{\n${fields.join("")}${indent}}`
}

/** The largest of the others whose fields a schema repeats. */
const baseOf = (schema: Schema, others: ReadonlyArray<string>): string | undefined => {
  const has = (field: string, value: unknown, isRequired: boolean) =>
    isSchema(schema["properties"]) &&
    JSON.stringify(schema["properties"][field]) === JSON.stringify(value) &&
    listOf(schema["required"]).includes(field) === isRequired
  return others
    .filter((name) => {
      const { properties, required } = components.schemas[name] ?? {}
      return (
        components.schemas[name] !== schema &&
        isSchema(properties) &&
        Object.entries(properties).every(([field, value]) => has(field, value, listOf(required).includes(field)))
      )
    })
    .toSorted((a, b) => sizeOf(b) - sizeOf(a))[0]
}

const sizeOf = (name: string): number => Object.keys(components.schemas[name]?.["properties"] ?? {}).length

const declaration = (name: string, schema: Schema, others: ReadonlyArray<string> = []): string => {
  const { description, properties, required } = schema
  if (!isSchema(properties)) return typeAlias(name, membersOf(schema, ""), description)
  const base = baseOf(schema, others)
  const inherited = Object.keys(components.schemas[base ?? ""]?.["properties"] ?? {})
  const own = Object.fromEntries(Object.entries(properties).filter(([field]) => !inherited.includes(field)))
  const head = `export interface ${name}${base === undefined ? "" : ` extends ${base}`}`
  return `${comment(description, "")}${head} ${fieldsOf(own, listOf(required), "")}\n`
}

const typeAlias = (name: string, members: ReadonlyArray<string>, description?: unknown): string => {
  const before = `export type ${name} =`
  return `${comment(description, "")}${before}${union(members, before)}\n`
}

/** With what they refer to, each once, in the order in which a reader comes to them. */
const withReferences = (names: ReadonlyArray<string>): ReadonlySet<string> => {
  const found = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    const name = isSchema(value) ? nameOf(value) : undefined
    if (name !== undefined && !found.has(name)) {
      found.add(name)
      visit(components.schemas[name])
    }
    Object.values(value).forEach(visit)
  }
  visit(names.map((name) => ({ $ref: `#/components/schemas/${name}` })))
  return found
}

const taken = ["CreatePayment", "CapturePayment", "RefundPayment", "Payment", "Dispute", "CreateMerchant", "Merchant"]

/** The query of each list, by the name of its type. */
const queries: Readonly<Record<string, string>> = {
  PaymentsQuery: "/api/v1/payments",
  TimelineQuery: "/api/v1/payments/{id}/events",
  EventsQuery: "/api/v1/events",
  DisputesQuery: "/api/v1/disputes",
  MerchantsQuery: "/api/v1/merchants"
}

const queryOf = ([name, path]: readonly [string, string]): string => {
  const parameters = (paths[path]?.get?.parameters ?? []).filter((parameter) => parameter.in === "query")
  const properties = parameters.map((parameter) => [
    parameter.name,
    { ...parameter.schema, description: parameter.description }
  ])
  return declaration(name, { properties: Object.fromEntries(properties) }).replaceAll(/\?:.*$/gmu, "$& | undefined")
}

const componentsOf = (names: ReadonlyArray<string>) =>
  names
    .filter((name) => name !== "PaymentStatus")
    .map((name) => declaration(name, components.schemas[name] ?? {}, names))

const notice = (about: string) =>
  `// Generated from the API's OpenAPI document by \`npm run generate\`. Change packages/http/src, not this file.\n/** ${about} */`

const contract = withReferences(taken)

export const clientTypes = (): string =>
  [
    notice("What the API takes and answers. Amounts are integers in minor units, times RFC 3339 in UTC."),
    "export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [name: string]: Json }\n",
    ...enums.map(([name, values]) => {
      const before = `export type ${name} =`
      const description = components.schemas[name]?.["description"]
      return `${comment(description, "")}${before}${union(
        values.map((value) => JSON.stringify(value)),
        before
      )}\n`
    }),
    ...componentsOf([...contract]),
    ...Object.entries(queries).map(queryOf),
    typeAlias(
      "ApiErrorCode",
      Object.keys(errorCodes).map((code) => JSON.stringify(code))
    )
  ].join("\n")

const dataOf = (type: string): string => {
  const schema = webhooks[type]?.post?.requestBody?.content["application/json"]?.schema
  const properties = isSchema(schema?.["properties"]) ? schema["properties"] : {}
  const name = isSchema(properties["data"]) ? nameOf(properties["data"]) : undefined
  if (name === undefined) throw new Error(`${type} has no data in the document`)
  return name
}

export const clientEvents = (): string => {
  const data = withReferences(eventTypes.map(dataOf))
  const own = [...data].filter((name) => !contract.has(name))
  const text = [
    ...componentsOf(own),
    `/** What an event says, by its type. */\nexport interface EventDataOf {\n${eventTypes
      .map((type) => `  readonly ${JSON.stringify(type)}: ${dataOf(type)}\n`)
      .join("")}}\n`
  ].join("\n")
  const used = [...new Set([...contract, ...enums.map(([name]) => name), "Json"])]
    .filter((name) => new RegExp(`(?:: |\\||<)\\s*${name}\\b`, "u").test(text))
    .toSorted()
  return [
    `${notice("What the events say. The same event may reach you more than once.")}\nimport type { ${used.join(", ")} } from "./Contract.ts"\n`,
    text
  ].join("\n")
}
