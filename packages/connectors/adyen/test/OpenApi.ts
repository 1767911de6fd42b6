/**
 * As much of a validator as Adyen's published description needs: what is not in the description is a fault, so that a
 * misspelt field is found.
 */

/** A part of the description. */
interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly nullable?: boolean
  readonly enum?: ReadonlyArray<unknown>
  readonly required?: ReadonlyArray<string>
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly oneOf?: ReadonlyArray<Schema>
  readonly minLength?: number
  readonly maxLength?: number
  readonly format?: string
  readonly "x-anyOf"?: ReadonlyArray<Schema>
}

interface Content {
  readonly content?: { readonly "application/json"?: { readonly schema: Schema } }
}

export interface Description {
  readonly info: { readonly version: string }
  readonly servers: ReadonlyArray<{ readonly url: string }>
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly requestBody?: Content
            readonly responses: Readonly<Record<string, Content>>
          }
        >
      >
    >
  >
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const resolved = (api: Description, schema: Schema): Schema => {
  if (schema.$ref === undefined) return schema
  const name = schema.$ref.split("/").at(-1) ?? ""
  const found = api.components.schemas[name]
  if (found === undefined) throw new Error(`the description has no ${name}`)
  return resolved(api, found)
}

/** What is wrong with a value, as sentences; none where it fits. */
export const faultsOf = (api: Description, schema: Schema, value: unknown, at = "body"): ReadonlyArray<string> => {
  const { additionalProperties, enum: allowed, oneOf, ...rest } = resolved(api, schema)
  if (value === null) return rest.nullable === true ? [] : [`${at} is null`]
  if (oneOf !== undefined) {
    const each = oneOf.map((one) => faultsOf(api, one, value, at))
    return each.some((faults) => faults.length === 0) ? [] : [`${at} matches none of ${oneOf.length} alternatives`]
  }
  if (allowed !== undefined && !allowed.includes(value)) return [`${at} is ${String(value)}, and not in the list`]
  switch (rest.type) {
    case "string": {
      if (typeof value !== "string") return [`${at} is no string`]
      if (value.length > (rest.maxLength ?? Number.POSITIVE_INFINITY)) return [`${at} is too long`]
      if (value.length < (rest.minLength ?? 0)) return [`${at} is too short`]
      const isTime = rest.format !== "date-time" || !Number.isNaN(Date.parse(value))
      return isTime ? [] : [`${at} is no time`]
    }
    case "integer":
      return Number.isSafeInteger(value) ? [] : [`${at} is no integer`]
    case "number":
      return typeof value === "number" ? [] : [`${at} is no number`]
    case "boolean":
      return typeof value === "boolean" ? [] : [`${at} is no boolean`]
    case "array":
      return Array.isArray(value)
        ? value.flatMap((item, index) => faultsOf(api, rest.items ?? {}, item, `${at}[${index}]`))
        : [`${at} is no list`]
    case "object":
    case undefined: {
      if (typeof value !== "object" || Array.isArray(value)) return [`${at} is no object`]
      const fields: Readonly<Record<string, unknown>> = { ...value }
      const missing = (rest.required ?? []).filter((name) => fields[name] === undefined)
      const alternatives = rest["x-anyOf"]?.map((one) => resolved(api, one).properties ?? {}) ?? []
      return [
        ...missing.map((name) => `${at}.${name} is missing`),
        ...Object.entries(fields).flatMap(([name, field]) => {
          const known =
            rest.properties?.[name] ??
            alternatives.find((properties) => Object.hasOwn(properties, name))?.[name] ??
            (alternatives.length === 0 && typeof additionalProperties === "object" ? additionalProperties : undefined)
          return known === undefined ? [`${at}.${name} is not described`] : faultsOf(api, known, field, `${at}.${name}`)
        })
      ]
    }
    default:
      return [`${at} has a type that is not read here: ${rest.type}`]
  }
}

/** The operation of a request, or what is wrong with its method and path. */
export const operationOf = (api: Description, method: string, path: string) => {
  const segments = path.split("/")
  const found = Object.entries(api.paths).find(([template]) => {
    const parts = template.split("/")
    return (
      parts.length === segments.length &&
      parts.every((part, at) => (/^\{.*\}$/.test(part) ? segments[at] !== "" : part === segments[at]))
    )
  })
  return found?.[1][method.toLowerCase()]
}
