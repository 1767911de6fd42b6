/** What the files of deployments name has to be there: a variable that no server reads would be believed to work. */
import type { TextFile } from "./Files.ts"

/** Everything with the prefix of our settings. */
const settingNames = /\b(?:POINTSMAN|OTEL)_[A-Z]+(?:_[A-Z]+)*\b/gu

/** The variables that the server's settings define, in the text of its source. */
export const variablesOf = ({ text }: TextFile): ReadonlySet<string> =>
  new Set(Array.from(text.matchAll(/^\s+variable: "([A-Z_]+)"/gmu), ([, name = ""]) => name))

export const settingFaults = (sources: ReadonlyArray<TextFile>, known: ReadonlySet<string>): ReadonlyArray<string> =>
  sources.flatMap(({ path, text }) =>
    Array.from(new Set(Array.from(text.matchAll(settingNames), ([name]) => name)))
      .filter((name) => !known.has(name))
      .map((name) => `${path}: ${name} is no setting of the server`)
  )

/** The example of an overlay goes with the server. */
export const tagFaults = ({ path, text }: TextFile, version: string): ReadonlyArray<string> => {
  const found = /newTag: (\S+)/u.exec(text)?.[1]
  return found === version ? [] : [`${path}: newTag is ${found}, and the server's version is ${version}`]
}
