/** The fields of a JSON schema as a table, with the fields of nested objects and lists in the same table. */
import { code, table } from "./Markdown.ts"
import { fieldsIn, isSchema, listOf, refOf, type Schema } from "./Schema.ts"

/** Where a component is described, by its name. */
export type Components = (name: string) => { readonly schema: Schema; readonly link: string | undefined }

interface Field {
  readonly path: string
  readonly type: string
  readonly isRequired: boolean
  readonly text: string
}

const branchesOf = ({ anyOf, oneOf }: Schema): ReadonlyArray<Schema> =>
  [...listOf(anyOf), ...listOf(oneOf)].filter(isSchema)

const typeOf = (schema: Schema, components: Components): string => {
  const name = refOf(schema)
  if (name !== undefined) {
    const { schema: component, link } = components(name)
    return link === undefined ? typeOf(component, components) : `[${name}](${link})`
  }
  const branches = branchesOf(schema)
  if (branches.length > 0) return [...new Set(branches.map((branch) => typeOf(branch, components)))].join(" or ")
  const types = typeof schema.type === "string" ? [schema.type] : listOf(schema.type).map(String)
  const said = types.map((type) =>
    type === "array" && isSchema(schema.items) ? `list of ${typeOf(schema.items, components)}` : type
  )
  return said.length === 0 ? "any" : said.join(" or ")
}

/** From where to where the value, its length or the number of its entries may be, and what it is unless set. */
export const rangesOf = (schema: Schema): ReadonlyArray<string> => {
  const range = (from: unknown, to: unknown, what: string) => {
    if (from === undefined && to === undefined) return []
    if (to === undefined) return [`${String(from)} or more${what}`]
    return [from === undefined ? `At most ${String(to)}${what}` : `${String(from)} to ${String(to)}${what}`]
  }
  return [
    ...range(schema.minimum, schema.maximum, ""),
    ...range(schema.minLength, schema.maxLength, " characters"),
    ...range(schema.minItems, schema.maxItems, " entries"),
    ...(schema.default === undefined ? [] : [`Default: ${code(JSON.stringify(schema.default))}`])
  ]
}

const valuesOf = (schema: Schema): ReadonlyArray<unknown> =>
  // That a flag is true is in its text.
  Array.isArray(schema.enum) && schema.type !== "boolean" ? schema.enum.filter((value) => value !== null) : []

/** What the schema demands beyond the type. A standard that the description names says more than a pattern. */
const limitsOf = (schema: Schema, description: string): ReadonlyArray<string> => {
  const values = valuesOf(schema)
  return [
    ...(values.length === 0 ? [] : [`One of ${values.map((value) => code(String(value))).join(", ")}`]),
    ...rangesOf(schema),
    ...(typeof schema.pattern === "string" && !description.includes("ISO") ? [`Pattern ${code(schema.pattern)}`] : [])
  ]
}

const textOf = (schema: Schema, components: Components): string => {
  const name = refOf(schema)
  const component = name === undefined ? undefined : components(name)
  const shown = component !== undefined && component.link === undefined ? { ...component.schema, ...schema } : schema
  const description = typeof shown.description === "string" ? shown.description.replace(/\s+/gu, " ").trim() : ""
  return [description, ...limitsOf(shown, description).map((limit) => `${limit}.`)]
    .filter((part) => part !== "")
    .join(" ")
}

/** What an object, a list or one of several holds inside. */
const insideOf = (schema: Schema): ReadonlyArray<readonly [suffix: string, Schema]> => [
  ...(isSchema(schema.properties) ? [["", schema] as const] : []),
  ...(isSchema(schema.items) ? insideOf(schema.items).map(([suffix, inner]) => [`[]${suffix}`, inner] as const) : []),
  ...branchesOf(schema).flatMap(insideOf)
]

const fieldsOf = (schema: Schema, components: Components, prefix = ""): ReadonlyArray<Field> =>
  Object.entries(fieldsIn(schema)).flatMap(([name, value]) => {
    const property = isSchema(value) ? value : {}
    const path = `${prefix}${name}`
    const isRequired = listOf(schema.required).includes(name)
    return [
      { path, type: typeOf(property, components), isRequired, text: textOf(property, components) },
      ...insideOf(property).flatMap(([suffix, inside]) => fieldsOf(inside, components, `${path}${suffix}.`))
    ]
  })

/** One line for each branch, if a field occurs in several of them. */
const withoutRepeats = (fields: ReadonlyArray<Field>): ReadonlyArray<Field> => {
  const seen = new Map<string, Field>()
  for (const field of fields) {
    const before = seen.get(field.path)
    const text =
      before === undefined || before.text.includes(field.text)
        ? (before?.text ?? field.text)
        : `${before.text} ${field.text}`
    seen.set(field.path, { ...(before ?? field), text })
  }
  return [...seen.values()]
}

/** As many values as are listed again. */
const repeatedAtMost = 4

/** The tables of one page: a long list of values is in the first field that has it, and the others name that field. */
export const fieldTables = (components: Components) => {
  const listed = new Map<string, string>()
  const withoutList = ({ path, text, ...rest }: Field): Field => {
    const list = /(?:Now o|O)ne of (?:`[^`]+`(?:, )?)+(?:; new [a-z]+ may be added)?\./u.exec(text)?.[0]
    if (list === undefined || list.split("`, `").length <= repeatedAtMost) return { path, text, ...rest }
    const first = listed.get(list)
    listed.set(list, first ?? path)
    return { path, text: first === undefined ? text : text.replace(list, `Values as of ${code(first)}.`), ...rest }
  }
  /** `known`: fields that the page describes elsewhere. */
  return (schema: Schema, isAnswer: boolean, known: ReadonlyArray<string> = []): string => {
    const fields = withoutRepeats(insideOf(schema).flatMap(([, inside]) => fieldsOf(inside, components)))
      .filter(({ path }) => !known.includes(path))
      .map(withoutList)
    const note = isAnswer ? "optional" : "required"
    return table(
      ["Field", "Type", "Meaning"],
      fields.map(({ path, type, isRequired, text }) => [
        code(path),
        isRequired === isAnswer ? type : `${type}, ${note}`,
        text
      ])
    )
  }
}
