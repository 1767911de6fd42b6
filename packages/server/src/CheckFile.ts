/** Reads a configuration file as a start would, and lists its findings. Nothing is opened, sent or changed. */
import { type ConfigurationFile, formatMistake, formatPath, type Mistake } from "@pointsman/configuration"
import { Effect, Result } from "effect"
import { configurationFindings, formatFinding } from "./ConfigurationFindings.ts"
import { readConfigurationFile } from "./ReadConfiguration.ts"
import type { Settings } from "./Settings.ts"

export interface FileReport {
  /** For programs. */
  readonly document: {
    /** How many there are; `null` where the file cannot be read as one. */
    readonly checked: { readonly workspaces: number; readonly connections: number; readonly rules: number } | null
    /** `path`: `null` where there is no place to name, as in a file that is not there. */
    readonly mistakes: ReadonlyArray<{ readonly path: string | null; readonly message: string }>
    readonly findings: ReadonlyArray<{
      readonly path: string
      readonly rule: string | null
      readonly kind: string
      readonly reason: string
    }>
  }
  /** For people. */
  readonly text: string
}

export const checkFile = Effect.fnUntraced(function* (
  path: string,
  settings: Pick<Settings, "claimWindowMillis" | "providerTimeoutMillis">,
  environment: Readonly<Record<string, string | undefined>>
) {
  return yield* readConfigurationFile(path, { ...settings, environment }).pipe(
    Effect.map(
      Result.match({
        onFailure: (mistakes) => wrong(path, mistakes),
        onSuccess: ({ connectors, file }) => good(path, file, connectors)
      })
    ),
    Effect.catchTag("pointsman/server/StartFailure", ({ message }) =>
      Effect.succeed<FileReport>({
        document: { checked: null, mistakes: [{ path: null, message }], findings: [] },
        text: message
      })
    )
  )
})

const wrong = (path: string, mistakes: ReadonlyArray<Mistake>): FileReport => ({
  document: {
    checked: null,
    mistakes: mistakes.map((mistake) => ({ path: formatPath(mistake.path), message: mistake.message })),
    findings: []
  },
  text: [`The configuration file ${path} is invalid:`, ...mistakes.map(formatMistake)].join("\n  ")
})

const good = (
  path: string,
  file: ConfigurationFile,
  connectors: Parameters<typeof configurationFindings>[1]
): FileReport => {
  const found = configurationFindings(file, connectors)
  const checked = countsOf(file)
  const counts =
    `${counted(checked.workspaces, "workspace")}, ${counted(checked.connections, "connection")}, ` +
    counted(checked.rules, "rule")
  const lines = [`Findings in ${path}:`, ...found.map(formatFinding)].join("\n  ")
  return {
    document: {
      checked,
      mistakes: [],
      findings: found.map((finding) => ({ ...finding, path: formatPath(finding.path) }))
    },
    text: found.length === 0 ? `${counts}: no findings` : `${lines}\n${counts}: ${counted(found.length, "finding")}`
  }
}

const countsOf = ({ workspaces }: ConfigurationFile) => ({
  workspaces: workspaces.length,
  connections: workspaces.flatMap(({ connections }) => connections ?? []).length,
  rules: workspaces.flatMap(({ routing }) => [
    ...(routing?.sandbox?.rules ?? []),
    ...(routing?.production?.rules ?? [])
  ]).length
})

const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`
