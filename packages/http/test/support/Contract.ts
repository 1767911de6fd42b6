/** The served document, taken apart for tests. */
import { openApiDocument } from "@pointsman/http"
import { type JsonSchema, Schema, SchemaRepresentation } from "effect"

export const document = openApiDocument("https://payments.pointsman.test")

type Operation = NonNullable<(typeof document.paths)[string]["get"]>
type Response = Operation["responses"][string]

export interface Endpoint {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly operation: Operation
}

const entries = <A>(record: Readonly<Record<string, A>>): ReadonlyArray<readonly [string, A]> => Object.entries(record)

const endpointsIn = (paths: typeof document.paths): ReadonlyArray<Endpoint> =>
  entries(paths).flatMap(([path, { get, post }]) => [
    ...(get === undefined ? [] : [{ method: "GET" as const, path, operation: get }]),
    ...(post === undefined ? [] : [{ method: "POST" as const, path, operation: post }])
  ])

export const endpoints = endpointsIn(document.paths)
export const webhooks = endpointsIn(document.webhooks)

export const endpointOf = (operationId: string): Endpoint => {
  const found = endpoints.find(({ operation }) => operation.operationId === operationId)
  if (found === undefined) throw new Error(`the document has no ${operationId}`)
  return found
}

/** The answers 4xx and 5xx of an operation. */
export const failuresOf = ({ operation }: Endpoint): ReadonlyArray<readonly [status: string, response: Response]> =>
  entries(operation.responses).filter(([status]) => Number(status) >= 400)

/** The codes that an answer declares. */
export const codesOf = (response: Response): ReadonlyArray<string> => {
  const schema = Schema.decodeUnknownSync(ErrorSchema)(response.content?.["application/json"]?.schema)
  return schema.properties.error.properties.code.enum
}

const ErrorSchema = Schema.Struct({
  properties: Schema.Struct({
    error: Schema.Struct({
      properties: Schema.Struct({ code: Schema.Struct({ enum: Schema.Array(Schema.String) }) })
    })
  })
})

/** Whether a value is as a schema of the document says, by Effect's reading of JSON Schema. Formats are not looked at. */
export const isValid = (schema: Readonly<Record<string, unknown>>, value: unknown): boolean =>
  Schema.is(compiled(schema))(value)

const compiledSchemas = new Map<unknown, Schema.Top>()

const compiled = (schema: Readonly<Record<string, unknown>>): Schema.Top => {
  const known = compiledSchemas.get(schema)
  if (known !== undefined) return known
  const made = SchemaRepresentation.fromJsonSchemaDocument(
    { dialect: "draft-2020-12", schema: local(schema), definitions: definitions() },
    { patterns: "apply" }
  )
  compiledSchemas.set(schema, made)
  return made
}

/** References inside one schema document lead to `$defs`. */
const local = (value: unknown): JsonSchema.JsonSchema =>
  JSON.parse(JSON.stringify(value).replaceAll("#/components/schemas/", "#/$defs/"))

const definitions = () =>
  Object.fromEntries(entries(document.components.schemas).map(([name, schema]) => [name, local(schema)]))
