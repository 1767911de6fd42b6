/** What the generators of pages and types read of JSON schemas. */
export type Schema = Readonly<Record<string, unknown>>

export const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

export const fieldsIn = ({ properties }: Schema): Readonly<Record<string, unknown>> =>
  isSchema(properties) ? properties : {}

/** The name of the component that a schema refers to. */
export const refOf = (schema: unknown): string | undefined =>
  isSchema(schema) && typeof schema.$ref === "string" ? schema.$ref.split("/").at(-1) : undefined
