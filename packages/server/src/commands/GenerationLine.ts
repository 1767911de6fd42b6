/** How the configuration file compares with the configuration that is served. */
import { configurationStanding, type Standing } from "@pointsman/configuration"
import { Effect, Option, Result } from "effect"
import { readConfigurationFile } from "../ReadConfiguration.ts"
import type { Settings } from "../Settings.ts"
import { type CheckLine, ok, warning, wrong } from "./Checkup.ts"

/** None without a file, and for an invalid one, which has lines of its own. */
export const generationLines = Effect.fnUntraced(function* (
  { claimWindowMillis, configuration: path, providerTimeoutMillis }: Settings,
  environment: Readonly<Record<string, string | undefined>>
) {
  if (path === null) return []
  const read = yield* Effect.option(
    readConfigurationFile(path, { claimWindowMillis, providerTimeoutMillis, environment })
  )
  if (Option.isNone(read) || Result.isFailure(read.value)) return []
  return [generationLine(path, yield* configurationStanding(read.value.success.file))]
})

const generationLine = (path: string, standing: Standing): CheckLine => {
  switch (standing._tag) {
    case "Served":
      return ok("generation", `${path} is served, as generation ${standing.generation}`)
    case "New":
      return ok(
        "generation",
        `${path} is not applied yet: the next start applies it as generation ${standing.generation}`
      )
    case "Older":
      return warning(
        "generation",
        `${path} is generation ${standing.generation}, but generation ${standing.served} is served, and a start does ` +
          "not apply an older one: update the file, or run `pointsman config apply <file> --rollback`"
      )
    case "NumberTaken":
      return wrong(
        "generation",
        `${path}: generation ${standing.generation} was applied with other content: give the file a number greater ` +
          `than ${standing.newest}`
      )
  }
}
