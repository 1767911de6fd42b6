/**
 * The types of `@pointsman/client` and `@pointsman/node`: TypeScript of the document that the server publishes, with its
 * descriptions.
 */
import * as core from "@pointsman/core"
import { openApiDocument } from "@pointsman/http"
import { errorCodes } from "@pointsman/http/api"
import { rangesOf } from "./Fields.ts"
import { fieldsIn, isSchema, listOf, refOf, type Schema } from "./Schema.ts"

export const clientTypesPath = "packages/client/src/Contract.ts"

type Schemas = Readonly<Record<string, Schema>>
type Document = ReturnType<typeof openApiDocument>
type Parameter = NonNullable<NonNullable<Document["paths"][string]["get"]>["parameters"]>[number]

/** The document repeats these lists wherever they are used. */
const enums: ReadonlyArray<readonly [name: string, values: ReadonlyArray<string>]> = [
  ["PaymentStatus", core.paymentStatuses],
  ["PaymentMethod", core.paymentMethods],
  ["PaymentMethodName", core.paymentMethodNames],
  ["Environment", core.environments],
  ["Initiator", core.initiators],
  ["CaptureMethod", core.captureMethods],
  ["DeclineCategory", core.declineCategories],
  ["DeclineAdvice", core.declineAdvices],
  ["PayoutStatus", core.payoutStatuses],
  ["DisputeStatus", core.disputeStatuses],
  ["DisputeReason", core.disputeReasons]
]

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
    ...(known === undefined ? new Set(texts.map((value) => literal(String(value), value, texts))) : [known[0]]),
    ...(texts.length === values.length ? [] : ["null"])
  ]
}

/** `decline:other` is one of `decline:${DeclineCategory}` where all of them are there. */
const literal = (text: string, value: unknown, all: ReadonlyArray<unknown>): string => {
  const prefix = /^\w+:/u.exec(text)?.[0]
  return prefix !== undefined && core.declineCategories.every((category) => all.includes(`${prefix}${category}`))
    ? `\`${prefix}\${DeclineCategory}\``
    : JSON.stringify(value)
}

/** The members of the type's union. */
const membersOf = (schema: Schema, indent: string): ReadonlyArray<string> => {
  const name = refOf(schema)
  if (name !== undefined) return [name]
  const branches = listOf(schema["anyOf"]).filter(isSchema)
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
    case "array": {
      const list = `ReadonlyArray<${membersOf(isSchema(items) ? items : {}, indent).join(" | ")}>`
      // Of a list with a greatest length too, callers rarely know to the compiler that it has an item.
      return schema["minItems"] === 1 && !("maxItems" in schema) ? `readonly [${list.slice(14, -1)}, ...${list}]` : list
    }
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
const baseOf = (schema: Schema, schemas: Schemas, others: ReadonlyArray<string>): string | undefined => {
  const has = (field: string, value: unknown, isRequired: boolean) =>
    JSON.stringify(fieldsIn(schema)[field]) === JSON.stringify(value) &&
    listOf(schema["required"]).includes(field) === isRequired
  const sizeOf = (name: string) => Object.keys(fieldsIn(schemas[name] ?? {})).length
  return others
    .filter((name) => {
      const { properties, required } = schemas[name] ?? {}
      return (
        schemas[name] !== schema &&
        isSchema(properties) &&
        Object.entries(properties).every(([field, value]) => has(field, value, listOf(required).includes(field)))
      )
    })
    .toSorted((a, b) => sizeOf(b) - sizeOf(a))[0]
}

/** What a caller hands in says in its description from where to where it may be. */
const withRanges = (schema: Schema): Schema => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries(fieldsIn(schema)).map(([name, field]) => {
      if (!isSchema(field)) return [name, field]
      const { description = "" } = field
      const hasDefault = String(description).includes("Default:")
      const ranges = rangesOf(field).filter((range) => !hasDefault || !range.startsWith("Default:"))
      return [name, ranges.length === 0 ? field : { ...field, description: `${description} ${ranges.join(". ")}.` }]
    })
  )
})

/** `isOfEvents`: what events say is a type, because an interface is no record of JSON to the compiler. */
const declaration = (
  name: string,
  { description, properties, required, ...schema }: Schema,
  isOfEvents = false,
  base?: readonly [name: string, schema: Schema | undefined]
): string => {
  if (!isSchema(properties)) return typeAlias(name, membersOf(schema, ""), description)
  const inherited = Object.keys(fieldsIn(base?.[1] ?? {}))
  const own = Object.fromEntries(Object.entries(properties).filter(([field]) => !inherited.includes(field)))
  const [word, extend] = isOfEvents
    ? ["type", ` = ${base === undefined ? "" : `${base[0]} & `}`]
    : ["interface", base === undefined ? " " : ` extends ${base[0]} `]
  return `${comment(description, "")}export ${word} ${name}${extend}${fieldsOf(own, listOf(required), "")}\n`
}

const typeAlias = (name: string, members: ReadonlyArray<string>, description?: unknown): string => {
  const before = `export type ${name} =`
  return `${comment(description, "")}${before}${union(members, before)}\n`
}

/** With what they refer to, each once, in the order in which a reader comes to them. */
const withReferences = (schemas: Schemas, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const found = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    const name = refOf(value)
    if (name !== undefined && !found.has(name)) {
      found.add(name)
      visit(schemas[name])
    }
    Object.values(value).forEach(visit)
  }
  visit(names.map((name) => ({ $ref: `#/components/schemas/${name}` })))
  return [...found]
}

const asked = ["CreatePayment", "CapturePayment", "RefundPayment", "CreateMerchant"]
const answered = ["Payment", "Dispute", "Merchant"]

/** The query of each list, by the name of its type. */
const queries: Readonly<Record<string, string>> = {
  PaymentsQuery: "/api/v1/payments",
  TimelineQuery: "/api/v1/payments/{id}/events",
  EventsQuery: "/api/v1/events",
  DisputesQuery: "/api/v1/disputes",
  MerchantsQuery: "/api/v1/merchants"
}

const queryOf = (name: string, parameters: ReadonlyArray<Parameter>): string => {
  const properties = parameters
    .filter((parameter) => parameter.in === "query")
    .map(({ description, name, schema }) => [name, { ...schema, description }])
  return declaration(name, withRanges({ properties: Object.fromEntries(properties) })).replaceAll(
    /\?:.*$/gmu,
    "$& | undefined"
  )
}

/** What is sent of an event. */
const sentOf = (type: string, { webhooks }: Document): Schema => {
  const schema = webhooks[type]?.post?.requestBody?.content["application/json"]?.schema
  if (schema === undefined || !isSchema(schema["properties"])) throw new Error(`${type} is not in the document`)
  return { ...schema["properties"] }
}

const dataOf = (type: string, document: Document): string => {
  const name = refOf(sentOf(type, document)["data"])
  if (name === undefined) throw new Error(`${type} has no data in the document`)
  return name
}

/** Events by their type. `sent`: the fields of any of them. */
const eventsOf = (data: Readonly<Record<string, string>>, sent: Schema): string => {
  const fields = fieldsOf(sent, Object.keys(sent), "  ")
  return `/** What an event says, by its type. */
export interface EventDataOf {
${Object.entries(data)
  .map(([type, name]) => `  readonly ${JSON.stringify(type)}: ${name}\n`)
  .join("")}}

export type EventType = keyof EventDataOf

/** An event of one of some types. */
export type EventOf<Type extends EventType> = {
  readonly [One in Type]: ${fields.replace(/ type: .*/u, " type: One").replace(/ data: .*/u, " data: EventDataOf[One]")}
}[Type]

/** \`type\` says what is in \`data\`. A newer server may write further types: ignore those that you do not know. */
export type Event = EventOf<EventType>
`
}

export const clientTypes = (document: Document = openApiDocument()): string => {
  const { schemas } = document.components
  const data = Object.fromEntries(core.eventTypes.map((type) => [type, dataOf(type, document)]))
  const ofEvents = withReferences(schemas, Object.values(data))
  const ofRequests = withReferences(schemas, asked)
  const names = [...new Set([...ofRequests, ...withReferences(schemas, answered), ...ofEvents])]
  const declared = names
    .filter((name) => name !== "PaymentStatus")
    .map((name) => {
      const schema = schemas[name] ?? {}
      const base = baseOf(schema, schemas, names)
      const shown = ofRequests.includes(name) && "properties" in schema ? withRanges(schema) : schema
      return declaration(name, shown, ofEvents.includes(name), base === undefined ? undefined : [base, schemas[base]])
    })
  return [
    "// Generated from the API's OpenAPI document by `npm run generate`. Change packages/http/src, not this file.\n" +
      "/** What the API takes and answers. Amounts are integers in minor units, times RFC 3339 in UTC. */",
    "export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [name: string]: Json }\n",
    ...enums.map(([name, values]) =>
      typeAlias(
        name,
        values.map((value) => JSON.stringify(value)),
        schemas[name]?.["description"]
      )
    ),
    ...declared,
    eventsOf(data, sentOf("payment.created", document)),
    declaration("Page<Item>", { ...schemas["PaymentList"], description: "A page of a list." }).replace(
      "ReadonlyArray<Payment>",
      "ReadonlyArray<Item>"
    ),
    ...Object.entries(queries).map(([name, path]) => queryOf(name, document.paths[path]?.get?.parameters ?? [])),
    typeAlias(
      "ApiErrorCode",
      Object.keys(errorCodes).map((code) => JSON.stringify(code))
    )
  ].join("\n")
}
