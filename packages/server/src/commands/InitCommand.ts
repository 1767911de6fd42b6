/** `pointsman init`: a shop that runs, or a configuration for the server, to begin with. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { apiKeyEntropyBytes, formatApiKey } from "@pointsman/core"
import { Effect, FileSystem, Option, Path } from "effect"
import { Command, Flag, Prompt, TerminalCapabilities } from "effect/cli"
import { SecureRandom } from "effect/crypto"
import { Base64, Hex } from "effect/encoding"
import { ProcessEnvironment } from "../CollectAudit.ts"
import { packedVersion } from "../NewConnector.ts"
import { exactVersion, type Framework, frameworks, projectFiles } from "../ProjectFiles.ts"
import { type Provider, providerRows, providers } from "../ProviderRows.ts"
import { CommandFailure } from "./CommandFailure.ts"
import { withHelp } from "./CommandHelp.ts"
import { serverFiles } from "./InitFiles.ts"
import { jsonFlag, print } from "./Output.ts"
import { commandName } from "./Words.ts"

const choices = [
  ...Object.entries(frameworks).map(([value, { title }]) => ({ value: value as Framework, title })),
  { value: "none" as const, title: "None: a configuration for the server" }
]

export const initCommand = Command.make(
  "init",
  {
    framework: Flag.Literals(
      "framework",
      choices.map(({ value }) => value)
    ).pipe(
      Flag.withDescription("Framework of the shop; none writes a configuration for the server"),
      Flag.withFallbackPrompt(Prompt.Select({ message: "Which framework?", choices }))
    ),
    provider: Flag.Literals("provider", providers).pipe(
      Flag.withDescription("Provider whose test page the shop opens; not with the framework none"),
      Flag.optional
    ),
    dir: Flag.String("dir").pipe(Flag.withDescription("Folder to write into; this one unless set"), Flag.optional),
    packages: Flag.String("packages").pipe(
      Flag.withDescription("Folder of packed packages (npm pack) to install Pointsman from, instead of the registry"),
      Flag.optional
    ),
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ dir, framework, json, packages, provider }) {
    const path = yield* Path.Path
    const folder = path.resolve(Option.getOrElse(dir, () => "."))
    const secrets = yield* drawSecrets
    const files =
      framework === "none"
        ? yield* Effect.as(refuseProvider(provider), serverFiles(secrets))
        : projectFiles(
            { framework, provider: yield* chosen(provider), node: yield* versionFrom(packages, folder) },
            secrets
          )
    yield* writeAll(folder, files)

    const written = [...files.keys()]
    const called = commandName(yield* ProcessEnvironment)
    const next = [
      ...Option.toArray(Option.map(dir, (name) => ({ command: `cd ${name}`, says: "go there" }))),
      ...(framework === "none" ? nextOfServer(called) : nextOfShop)
    ]
    const width = Math.max(...next.map(({ command }) => command.length)) + 2
    yield* print(
      json,
      { data: { folder, written, next } },
      [
        `Written: ${written.join(", ")}`,
        ".env holds secrets: keep it out of version control.",
        "",
        "Next:",
        ...next.map(({ command, says }) => `  ${command.padEnd(width)}${says}`)
      ].join("\n")
    )
  }, Effect.provide(NodeCrypto.layer))
).pipe(
  withHelp({
    short: "Write a shop that runs, or a starter configuration",
    long:
      "Write a shop on a framework that takes payments at a provider's test page: a package with its server, " +
      "pointsman.json, .env and a webhook route. In a terminal it asks for what no flag names. With --framework none: " +
      "pointsman.json for the server, with a workspace, two simulated providers, routing and a webhook endpoint, and " +
      ".env. Existing files are never replaced.",
    examples: {
      "pointsman init": "Asks for the framework and the provider",
      "pointsman init --framework express --provider stripe --dir my-shop": "Asks nothing",
      "pointsman init --framework none": "A configuration for the server"
    }
  })
)

const nextOfShop = [
  { command: "npm install", says: "install the packages" },
  { command: "npm start", says: "start the shop on http://127.0.0.1:3000, with the simulator" },
  { command: "npm start", says: "again, once .env has the provider's test key: customers pay on its test page" }
]

const nextOfServer = (pointsman: string) => [
  { command: "set -a; . ./.env; set +a", says: "load the secrets into this shell" },
  { command: `${pointsman} config check`, says: "check the configuration" },
  { command: `${pointsman} serve`, says: "start the server" }
]

const refuseProvider = (provider: Option.Option<Provider>) =>
  Option.isNone(provider)
    ? Effect.void
    : Effect.fail(new CommandFailure({ message: "--provider: expected a framework other than none." }))

/** Not a prompt of the flag itself, which would ask for the framework none too. */
const chosen = Effect.fnUntraced(function* (provider: Option.Option<Provider>) {
  if (Option.isSome(provider)) return provider.value
  const { canPrompt } = yield* TerminalCapabilities.TerminalCapabilities
  if (!canPrompt) {
    return yield* new CommandFailure({ message: `--provider: expected one of ${providers.join(", ")}.` })
  }
  const choices = providers.map((value) => ({ value, title: providerRows[value].title }))
  return yield* Prompt.Select({ message: "Which provider?", choices }).pipe(
    Effect.mapError(() => new CommandFailure({ message: "Nothing was written." }))
  )
})

const versionFrom = Effect.fnUntraced(function* (packages: Option.Option<string>, folder: string) {
  if (Option.isNone(packages)) return exactVersion()
  const path = yield* Path.Path
  const found = packedVersion(path.resolve(packages.value), folder)("@pointsman/node")
  if (found !== undefined) return found
  const message = `--packages ${packages.value}: expected the packed package @pointsman/node of this version.`
  return yield* new CommandFailure({ message })
})

/** All of them, or none where one is there. */
const writeAll = Effect.fnUntraced(function* (folder: string, contents: ReadonlyMap<string, string>) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const present = yield* Effect.filter([...contents.keys()], (name) =>
    Effect.orElseSucceed(files.exists(path.join(folder, name)), () => false)
  )
  if (present.length > 0) {
    const message = `${present.join(", ")} already ${present.length === 1 ? "exists" : "exist"} in ${folder}; nothing was written.`
    return yield* new CommandFailure({ message })
  }
  for (const [name, text] of contents) {
    const at = path.join(folder, name)
    yield* files.makeDirectory(path.dirname(at), { recursive: true }).pipe(
      // Not by the look before: what came in between is not replaced either.
      Effect.andThen(files.writeFileString(at, text, { flag: "wx", mode: name === ".env" ? 0o600 : 0o644 })),
      Effect.mapError((error) => new CommandFailure({ message: `${name} cannot be written (${error.reason._tag}).` }))
    )
  }
})

const drawSecrets = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  return {
    sandboxKey: formatApiKey("sandbox", yield* random.randomBytes(apiKeyEntropyBytes)),
    webhookSecret: `whsec_${Hex.encode(yield* random.randomBytes(24))}`,
    encryptionKey: Base64.encode(yield* random.randomBytes(32)),
    providerSecret: Hex.encode(yield* random.randomBytes(32))
  }
})
