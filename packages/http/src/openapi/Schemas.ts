/**
 * JSON Schema as the document shows it. What the generator writes of a codec is right for the codec and says too
 * much or too little for a reader: it closes every object, although unknown fields are ignored, bounds every
 * integer by what a double holds, and wraps annotations into `allOf`.
 */
import { keywordsKey } from "../api/Documented.ts"
import type { JsonSchema } from "./Model.ts"

export const schemaOf = (generated: unknown): JsonSchema => {
  if (!isSchema(generated)) return {}
  return withKeywords(opened(unwrapped(flattened(mapped(generated)))))
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Examples, defaults and enums are data: only these keywords hold schemas. */
const mapped = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      switch (keyword) {
        case "properties":
          return [keyword, isSchema(value) ? mapValues(value, schemaOf) : value]
        case "allOf":
        case "anyOf":
        case "oneOf":
        case "prefixItems":
          return [keyword, Array.isArray(value) ? value.map(schemaOf) : value]
        case "items":
        case "additionalProperties":
          return [keyword, isSchema(value) ? schemaOf(value) : value]
        default:
          return [keyword, value]
      }
    })
  )

const mapValues = (schemas: JsonSchema, map: (schema: unknown) => JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, map(schema)]))

/** Annotations come as members of an `allOf`. In OpenAPI 3.1 they may occur beside everything, a `$ref` too. */
const flattened = ({ allOf, ...rest }: JsonSchema): JsonSchema => {
  if (!Array.isArray(allOf)) return rest
  // The innermost is first, and what was said of the field before what was said of its type.
  const parts = [rest, ...allOf.filter(isSchema)]
  const descriptions = parts.map((part) => part.description).filter((description) => typeof description === "string")
  return {
    ...Object.fromEntries(parts.flatMap(Object.entries)),
    ...(descriptions.length === 0 ? {} : { description: [...new Set(descriptions.toReversed())].join(" ") })
  }
}

/** `anyOf` of one is that one, and of a plain type and null a type that may be null. */
const unwrapped = (schema: JsonSchema): JsonSchema => {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf)) return schema
  const [first, second] = anyOf.filter(isSchema)
  if (first !== undefined && anyOf.length === 1) return { ...first, ...rest }
  if (anyOf.length !== 2 || second?.type !== "null" || typeof first?.type !== "string") return schema
  return {
    ...first,
    type: [first.type, "null"],
    ...(Array.isArray(first.enum) ? { enum: [...first.enum, null] } : {}),
    ...rest
  }
}

const opened = (schema: JsonSchema): JsonSchema => {
  const { prefixItems: _, ...open } = Object.fromEntries(
    Object.entries(schema).filter(([keyword, value]) => !isNoise(keyword, value))
  )
  // A list of at least one is written as its first place and its rest.
  const bare = Array.isArray(schema.prefixItems) && !isRepeated(schema) ? schema : open
  if (bare.type !== "object" || bare.properties !== undefined || isOfTexts(bare)) return bare
  // Without the word, some generators take a free-form object for an empty one.
  return { ...bare, additionalProperties: true }
}

const isOfTexts = ({ additionalProperties }: JsonSchema): boolean =>
  isSchema(additionalProperties) && additionalProperties.type === "string"

const isNoise = (keyword: string, value: unknown): boolean =>
  (keyword === "additionalProperties" && value === false) ||
  (keyword === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (keyword === "maximum" && value === Number.MAX_SAFE_INTEGER) ||
  (keyword === "minLength" && value === 0)

const isRepeated = ({ items, prefixItems }: JsonSchema): boolean =>
  Array.isArray(prefixItems) && prefixItems.every((item) => JSON.stringify(item) === JSON.stringify(items))

/** Keywords with a type replace those of the codec, others are added to it. */
const withKeywords = ({ [keywordsKey]: keywords, ...schema }: JsonSchema): JsonSchema => {
  if (!isSchema(keywords)) return schema
  return keywords.type === undefined
    ? { ...schema, ...keywords }
    : { ...(schema.description === undefined ? {} : { description: schema.description }), ...keywords }
}
