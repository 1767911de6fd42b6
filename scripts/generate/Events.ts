/** The page of events: core's catalogue of types, what each says, and the moves that write it. */
import { type EventType, eventTypes } from "@pointsman/core"
import { DisputeMachine, type Machine, PaymentMachine, RefundMachine } from "@pointsman/core/internal"
import { openApiDocument } from "@pointsman/http"
import { fieldTable } from "./Fields.ts"
import { code, json, table } from "./Markdown.ts"

const { components, webhooks } = openApiDocument()

const hookOf = (type: EventType) => {
  const hook = webhooks[type]?.post
  const content = hook?.requestBody?.content["application/json"]
  if (hook === undefined || content === undefined) throw new Error(`${type} is in the catalogue and no webhook`)
  return { description: hook.description, content }
}

const nameOf = (schema: unknown): string => {
  const { properties } = schema as { readonly properties: { readonly data: { readonly $ref: string } } }
  return properties.data.$ref.split("/").at(-1) ?? ""
}

/** Types that say the same, in the order in which the first of each occurs in the catalogue. */
const kinds = [...Map.groupBy(eventTypes, (type) => nameOf(hookOf(type).content.schema))]

const movesOf = (type: EventType): string => {
  const machines: ReadonlyArray<Machine.Machine<string, string, string, string>> = [
    PaymentMachine,
    RefundMachine,
    DisputeMachine
  ]
  const rows = machines.flatMap(({ name, rows }) =>
    rows.filter(({ emits }) => emits.includes(type)).map(({ from, to }) => ({ name, from, to }))
  )
  const states = [...new Set(rows.map(({ to }) => to))]
  const [first] = rows
  if (first === undefined) return "beside a move"
  return `[${first.name}](../states/${first.name}.md) comes to ${states.map(code).join(", ")}`
}

const sentenceOf = (schema: unknown): string =>
  String((schema as { readonly description?: string } | undefined)?.description ?? "")

export const eventsPage = (notice: string): string =>
  [
    notice,
    "# Events",
    "An event is an entry of a payment's timeline. It is written in the commit of the move that it reports, so there is no move without its event and no event without its move. The [webhooks](../guides/webhooks.md), `GET /api/v1/events` and `GET /api/v1/payments/{id}/events` show the same event in the same format. An event may reach you more than once: skip an `id` that you have processed. Types and fields may be added.",
    table(
      ["Field", "Type", "Meaning"],
      [
        [code("id"), "string", "`evt_` and a UUIDv7. The order of ids is the order in which they were written."],
        [code("type"), "string", "what happened: one of the types below"],
        [code("created"), "string", "when it happened: ISO 8601, UTC"],
        [code("data"), "object", "the fields of its type"]
      ]
    ),
    "## Types",
    table(
      ["Type", "What happened", "Written when", "`data`"],
      eventTypes.map((type) => {
        const { content, description } = hookOf(type)
        const name = nameOf(content.schema)
        return [code(type), description, movesOf(type), `[${name}](#${name.toLowerCase()})`]
      })
    ),
    "## What they say",
    ...kinds.flatMap(([name, [first]]) => {
      const schema = components.schemas[name] ?? {}
      const example = first === undefined ? undefined : hookOf(first).content.examples?.["event"]
      return [
        `### ${name}`,
        sentenceOf(schema),
        fieldTable(schema, (ref) => ({ schema: components.schemas[ref] ?? {}, link: undefined }), true),
        ...(example === undefined ? [] : [json(example.value)])
      ]
    })
  ].join("\n\n")
