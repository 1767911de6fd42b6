/**
 * The mistakes that the shape cannot say, in a file whose shape may be wrong in places: those places are left out, and
 * so are the mistakes that only their absence causes. So an author sees the mistakes of the whole file at once. Pure.
 */
import { Predicate, Result } from "effect"
import { type CheckOptions, checkConfiguration } from "./CheckConfiguration.ts"
import { type ConfigurationFile, decodeConfigurationFile } from "./ConfigurationFile.ts"
import type { Mistake } from "./DecodeFile.ts"

type Path = ReadonlyArray<PropertyKey>

/** Each costs a copy of what is around it. Who has more corrects them first. */
const fieldsAtMost = 20

/** `decoded`: the file of `json`, or what is wrong in its shape. `unresolved`: references that left an empty string behind. */
export const checkRest = (
  json: unknown,
  decoded: ReturnType<typeof decodeConfigurationFile>,
  unresolved: ReadonlyArray<Mistake>,
  options: CheckOptions
): ReadonlyArray<Mistake> => {
  const rest = decodeRest(json, decoded)
  if (rest === undefined) return []
  const scopes = [...unresolved.map(({ path }) => path), ...rest.without].map(scopeOf)
  return checkConfiguration(rest.file, options).filter(({ path }) => !scopes.some((scope) => isIn(path, scope)))
}

interface Rest {
  readonly file: ConfigurationFile
  readonly without: ReadonlyArray<Path>
}

/** The wrong fields are left out; where one was required, the section of its workspace that it belongs to. */
const decodeRest = (json: unknown, whole: ReturnType<typeof decodeConfigurationFile>): Rest | undefined => {
  if (Result.isSuccess(whole)) return { file: whole.success, without: [] }
  const fields = whole.failure.map(({ path }) => path)
  if (fields.length > fieldsAtMost) return undefined
  const withoutFields = fields.reduce(without, json)
  const second = decodeConfigurationFile(withoutFields)
  if (Result.isSuccess(second)) return { file: second.success, without: fields }
  const sections = second.failure.map(({ path }) => path.slice(0, 3))
  const third = decodeConfigurationFile(sections.reduce(without, withoutFields))
  return Result.isSuccess(third) ? { file: third.success, without: [...fields, ...sections] } : undefined
}

/** An entry of an array stays, so that paths name the same entries as before. */
const without = (value: unknown, [key, ...rest]: Path): unknown => {
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? without(item, rest) : item))
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      if (name !== key) return [[name, item]]
      return rest.length === 0 ? [] : [[name, without(item, rest)]]
    })
  )
}

/** What may need the value: its siblings, and for a connection or the country, all of the workspace. */
const scopeOf = (path: Path): Path => {
  const [root, , section] = path
  if (root !== "workspaces") return path.slice(0, Math.max(1, path.length - 1))
  if (path.length > 3) return path.slice(0, -1)
  return section === "connections" || section === "country" ? path.slice(0, 2) : path
}

const isIn = (path: Path, scope: Path): boolean => scope.every((key, index) => path[index] === key)
