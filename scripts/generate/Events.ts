/** The page of events: core's catalogue of types, what each says, and the moves that write it. */
import { type EventType, eventTypes } from "@pointsman/core"
import { openApiDocument } from "@pointsman/http"
import { fieldTables } from "./Fields.ts"
import { code, json, table } from "./Markdown.ts"
import { fieldsIn, listOf, refOf, type Schema } from "./Schema.ts"

const { components, webhooks } = openApiDocument()

const hookOf = (type: EventType) => {
  const hook = webhooks[type]?.post
  const content = hook?.requestBody?.content["application/json"]
  if (hook === undefined || content === undefined) throw new Error(`${type} is in the catalogue and no webhook`)
  return { description: hook.description, content }
}

const nameOf = (schema: unknown): string => refOf(fieldsIn(schema as Schema)["data"]) ?? ""

/** Types that say the same, in the order in which the first of each occurs in the catalogue. */
const kinds = [...Map.groupBy(eventTypes, (type) => nameOf(hookOf(type).content.schema))]

const schemaOf = (name: string): Schema => components.schemas[name] ?? {}
const common = schemaOf("PaymentEventData")
const commonFields = Object.keys(fieldsIn(common))
const isOwn = (field: string) => !commonFields.includes(field)

const fieldsOf = (name: string): ReadonlyArray<string> => Object.keys(fieldsIn(schemaOf(name))).filter(isOwn)
const requiredOf = (name: string): ReadonlyArray<string> => listOf(schemaOf(name)["required"]).map(String).filter(isOwn)

/** Another kind whose fields this one has too, each as required as there. */
const baseOf = (name: string): string | undefined =>
  kinds
    .map(([other]) => other)
    .find((other) => {
      const fields = fieldsOf(other)
      const isHere = (field: string) =>
        fieldsOf(name).includes(field) && requiredOf(name).includes(field) === requiredOf(other).includes(field)
      return other !== name && fields.length > 1 && fields.every(isHere)
    })

/** The fields of an example that are not described elsewhere. */
const ownOf = (example: unknown, known: ReadonlyArray<string>): object => {
  const { data } = example as { readonly data: object }
  return Object.fromEntries(Object.entries(data).filter(([name]) => !known.includes(name)))
}

export const eventsPage = (notice: string): string => {
  const fieldTable = fieldTables((ref) => ({ schema: schemaOf(ref), link: undefined }))
  return [
    notice,
    "# Events",
    "An event is an entry of a payment's timeline, written in the commit of the move that it reports; the [states](../states/payment.md) show which move writes it. The [webhooks](../guides/webhooks.md), `GET /api/v1/events` and `GET /api/v1/payments/{id}/events` show the same event in the same format. An event may reach you more than once: skip an `id` that you have processed. Types and fields may be added.",
    [
      "- `id`: `evt_` and a UUIDv7, in the order in which events were written",
      "- `type`: one of the types below",
      "- `created`: when it happened, ISO 8601, UTC",
      "- `data`: the fields of its type"
    ].join("\n"),
    "## Types",
    table(
      ["Type", "What happened", "`data`"],
      eventTypes.map((type) => {
        const { content, description } = hookOf(type)
        const name = nameOf(content.schema)
        return [code(type), description, `[${name}](#${name.toLowerCase()})`]
      })
    ),
    "## What they say",
    ...kinds.flatMap(([name, [first]]) => {
      const schema = schemaOf(name)
      const example = first === undefined ? undefined : hookOf(first).content.examples?.["event"]
      const isCommon = schema === common
      const base = baseOf(name)
      const known = isCommon ? [] : [...commonFields, ...(base === undefined ? [] : fieldsOf(base))]
      const shown = isCommon ? example?.value : ownOf(example?.value ?? { data: {} }, known)
      return [
        `### ${name}`,
        isCommon
          ? "The fields of every event."
          : `${String(schema["description"] ?? "")}${base === undefined ? "" : ` It has the fields of [${base}](#${base.toLowerCase()}) too.`}`,
        fieldTable(schema, true, known),
        ...(Object.keys(shown ?? {}).length === 0 ? [] : [json(shown)])
      ]
    })
  ].join("\n\n")
}
