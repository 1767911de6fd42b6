/** `pointsman init`: a configuration to begin with, that a server starts with as it is. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { apiKeyEntropyBytes, formatApiKey } from "@pointsman/core"
import { Effect, FileSystem } from "effect"
import { Command, Flag } from "effect/cli"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import { ProcessEnvironment } from "../CollectAudit.ts"
import { commandName } from "../CommandName.ts"
import { CommandFailure } from "./CommandFailure.ts"
import { configurationText, environmentText } from "./InitFiles.ts"
import { jsonFlag, print } from "./Output.ts"

const nextOf = (pointsman: string) => [
  { command: "set -a; . ./.env; set +a", says: "load the secrets into this shell" },
  { command: `${pointsman} config check`, says: "check the configuration" },
  { command: `${pointsman} serve`, says: "start the server" }
]

export const initCommand = Command.make(
  "init",
  {
    force: Flag.Boolean("force").pipe(
      Flag.withDescription(
        "Replace pointsman.json and .env.example, but never .env, which holds the only copy of its secrets"
      ),
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
        message: `${present.join(" and ")} already ${present.length === 1 ? "exists" : "exist"}; nothing was written. Pass --force to replace ${
          present.length === 1 ? "it" : "them"
        }.`
      })
    }
    const hasSecrets = yield* isThere(".env")
    yield* write("pointsman.json", configurationText, { isOurs: force })
    yield* write(".env.example", environmentText(null), { isOurs: force })
    if (!hasSecrets) yield* write(".env", environmentText(yield* drawSecrets), { mode: 0o600 })

    const next = nextOf(commandName(yield* ProcessEnvironment))
    const width = Math.max(...next.map(({ command }) => command.length)) + 2
    const written = [...named, ...(hasSecrets ? [] : [".env"])]
    yield* print(
      json,
      { data: { written, kept: hasSecrets ? [".env"] : [], next } },
      [
        `Written: ${written.join(", ")}`,
        hasSecrets
          ? ".env already existed and was not changed: copy the missing variables from .env.example."
          : ".env holds secrets: keep it out of version control.",
        "",
        "Next:",
        ...next.map(({ command, says }) => `  ${command.padEnd(width)}${says}`)
      ].join("\n")
    )
  }, Effect.provide(NodeCrypto.layer))
).pipe(
  Command.withDescription(
    "Write a starter configuration into this folder: pointsman.json with a workspace, two simulated " +
      "providers, routing and a webhook endpoint, and .env with the secrets that it refers to. Existing " +
      "files are not replaced."
  ),
  Command.withShortDescription("Write a starter configuration"),
  Command.withExamples([{ command: "pointsman init", description: "In the current folder" }])
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
