/** From JSON, or an object that looks like it, to a configuration without a mistake, or to all of its mistakes. Pure. */
import { Result } from "effect"
import { type CheckOptions, checkConsole } from "./CheckConfiguration.ts"
import { checkRest } from "./CheckRest.ts"
import {
  type ConfigurationFile,
  type ConsoleFile,
  decodeConfigurationFile,
  decodeConsole
} from "./ConfigurationFile.ts"
import type { Mistake } from "./DecodeFile.ts"
import { resolveReferences } from "./EnvironmentReferences.ts"

export interface UnderstandOptions extends CheckOptions {
  /** The variables that `{"$env": "NAME"}` may name. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Checked whole: the shape, and what the shape cannot say, in the parts of the file whose shape is right. */
export const understandConfiguration = (
  json: unknown,
  options: UnderstandOptions
): Result.Result<ConfigurationFile, ReadonlyArray<Mistake>> => {
  const resolved = resolveReferences(json, options.environment)
  const decoded = decodeConfigurationFile(resolved.json)
  const ofShape = Result.isFailure(decoded) ? decoded.failure : []
  // A field whose reference cannot be resolved is wrong for that alone.
  const unresolved = new Set(resolved.mistakes.map(({ path }) => JSON.stringify(path)))
  const mistakes = [
    ...resolved.mistakes,
    ...ofShape.filter(({ path }) => !unresolved.has(JSON.stringify(path))),
    ...checkRest(resolved.json, decoded, resolved.mistakes, options)
  ]
  return Result.isSuccess(decoded) && mistakes.length === 0 ? decoded : Result.fail(mistakes)
}

/** `console` of a program that has no configuration file, and the ids of its workspaces. */
export const understandConsole = (
  json: unknown,
  workspaceIds: ReadonlySet<string>
): Result.Result<ConsoleFile, ReadonlyArray<Mistake>> =>
  Result.flatMap(decodeConsole(json), (file) => {
    const mistakes = checkConsole(file, workspaceIds)
    return mistakes.length > 0 ? Result.fail(mistakes) : Result.succeed(file)
  })
