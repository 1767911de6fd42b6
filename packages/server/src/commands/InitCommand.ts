/** `pointsman init`: a configuration to begin with, that a server starts with as it is. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { apiKeyEntropyBytes, formatApiKey } from "@pointsman/core"
import { Effect, FileSystem } from "effect"
import { Command, Flag } from "effect/cli"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import { CommandFailure } from "./CommandFailure.ts"
import { configurationText, environmentText } from "./InitFiles.ts"
import { jsonFlag, print } from "./Output.ts"

const next = [
  { command: "set -a; . ./.env; set +a", says: "loads the secrets into this shell" },
  { command: "pointsman config check", says: "reads the configuration as a start would" },
  { command: "pointsman serve", says: "runs the server" }
] as const

export const initCommand = Command.make(
  "init",
  {
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("Replace pointsman.json and .env.example; never .env, whose secrets stand nowhere else"),
      Flag.withDefault(false),
      Flag.withoutNegation
    ),
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ force, json }) {
    const files = yield* FileSystem.FileSystem
    const isThere = (path: string) => Effect.orElseSucceed(files.exists(path), () => false)
    const named = ["pointsman.json", ".env.example"] as const
    const present = yield* Effect.filter(named, isThere)
    if (present.length > 0 && !force) {
      return yield* new CommandFailure({
        message: `${present.join(" and ")}: there already, and nothing was written. --force replaces ${
          present.length === 1 ? "it" : "them"
        }.`
      })
    }
    const hasSecrets = yield* isThere(".env")
    yield* write("pointsman.json", configurationText, { isOurs: force })
    yield* write(".env.example", environmentText(null), { isOurs: force })
    if (!hasSecrets) yield* write(".env", environmentText(yield* drawSecrets), { mode: 0o600 })

    const written = [...named, ...(hasSecrets ? [] : [".env"])]
    yield* print(
      json,
      { data: { written, kept: hasSecrets ? [".env"] : [], next } },
      [
        `Written: ${written.join(", ")}`,
        hasSecrets
          ? ".env was there and is as it was: take over from .env.example what it lacks."
          : ".env holds secrets: keep it out of version control.",
        "",
        "Next:",
        ...next.map(({ command, says }) => `  ${command.padEnd(26)}${says}`)
      ].join("\n")
    )
  }, Effect.provide(NodeCrypto.layer))
).pipe(
  Command.withDescription(
    "Write a configuration to begin with into this folder: a workspace with two simulated providers, its routing and a " +
      "webhook endpoint in pointsman.json, and in .env the secrets that it refers to. What is there is not replaced."
  ),
  Command.withShortDescription("Write a configuration to begin with"),
  Command.withExamples([{ command: "pointsman init", description: "Into the folder that you are in" }])
)

const write = Effect.fnUntraced(function* (
  path: string,
  text: string,
  { isOurs = false, mode = 0o644 }: { readonly isOurs?: boolean; readonly mode?: number }
) {
  const files = yield* FileSystem.FileSystem
  yield* Effect.mapError(
    // Not by a look before: what came in between is not replaced either.
    files.writeFileString(path, text, { flag: isOurs ? "w" : "wx", mode }),
    (error) => new CommandFailure({ message: `${path} cannot be written (${error.reason._tag}).` })
  )
})

const drawSecrets = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  return {
    sandboxKey: formatApiKey("sandbox", yield* random.randomBytes(apiKeyEntropyBytes)),
    webhookSecret: `whsec_${Hex.encode(yield* random.randomBytes(24))}`
  }
})
