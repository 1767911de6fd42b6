/** `pointsman new-connector`: the package of a connector of one's own, with a test that reports what is missing. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import {
  type ConnectorStyle,
  connectorNameFault,
  connectorStyles,
  ownConnectorFiles,
  packagesOf,
  packedVersion,
  publishedVersion
} from "../NewConnector.ts"
import { CommandFailure } from "./CommandFailure.ts"
import { argument, withHelp } from "./CommandHelp.ts"
import { jsonFlag, print } from "./Output.ts"

export const newConnectorCommand = Command.make(
  "new-connector",
  {
    name: argument("name", "Name of the connector, such as acme-pay"),
    dir: Flag.String("dir").pipe(
      Flag.withDescription("Folder to create; a folder of that name here unless set"),
      Flag.optional
    ),
    style: Flag.Literals("style", connectorStyles).pipe(
      Flag.withDescription("plain: functions and promises; effect: with Effect"),
      Flag.withDefault<ConnectorStyle>("plain")
    ),
    packages: Flag.String("packages").pipe(
      Flag.withDescription("Folder of packed packages (npm pack) to install Pointsman from, instead of the registry"),
      Flag.optional
    ),
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ dir, json, name, packages, style }) {
    const folder = resolve(Option.getOrElse(dir, () => name))
    const fault = connectorNameFault(name) ?? (yield* faultOf(folder))
    if (fault !== undefined) return yield* new CommandFailure({ message: fault })
    const versions = Option.match(packages, {
      onNone: () => () => publishedVersion(),
      onSome: (tarballs) => packedVersion(resolve(tarballs), folder)
    })
    const missing = packagesOf(style).filter((one) => versions(one) === undefined)
    if (missing.length > 0) {
      const of = Option.getOrElse(packages, () => "")
      return yield* new CommandFailure({
        message: `--packages ${of}: expected the packed packages ${missing.join(", ")} of this version.`
      })
    }
    const files = ownConnectorFiles({ name, style, versionOf: (one) => versions(one) ?? "" })
    yield* Effect.try({
      try: () => write(folder, files),
      catch: (error) => new CommandFailure({ message: `${folder} cannot be written (${codeOf(error)}).` })
    })
    const shown = Option.getOrElse(dir, () => name)
    const written = [...files.keys()]
    const next = [`cd ${shown}`, "npm install", "npm test"]
    yield* print(
      json,
      { data: { folder, written, next } },
      [
        `Written to ${shown}:`,
        ...written.map((path) => `  ${path}`),
        "",
        "Next:",
        ...next.map((command) => `  ${command}`),
        "",
        "The test has one failure at first, which says what to do next. Then load the connector in the server: add",
        `"${entryOf(shown)}" to \`connectors\` in the configuration file.`
      ].join("\n")
    )
  })
).pipe(
  withHelp({
    short: "Create a connector of your own",
    long:
      "Create a package for a connector of your own: the definition, one function per operation, and a contract test " +
      "that reports what is missing. Existing files are never replaced.",
    examples: {
      "pointsman new-connector acme-pay": "In the folder acme-pay, without Effect",
      "pointsman new-connector acme-pay --dir connectors/acme-pay --style effect": "With Effect"
    }
  })
)

const faultOf = (folder: string) =>
  Effect.try({
    try: () =>
      existsSync(folder) && readdirSync(folder).length > 0
        ? `${folder} exists and is not empty; nothing was written.`
        : undefined,
    catch: (error) => new CommandFailure({ message: `${folder} cannot be read (${codeOf(error)}).` })
  })

const write = (folder: string, files: ReadonlyMap<string, string>): void => {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text, { flag: "wx" })
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "unknown cause"

/** Node runs the sources as they are. */
const entryOf = (folder: string): string => {
  const path = join(folder, "src/index.ts").replaceAll("\\", "/")
  return /^(?:\.\.\/|\/|[A-Za-z]:)/u.test(path) ? path : `./${path}`
}
