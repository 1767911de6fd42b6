/** `pointsman keys rotate-encryption`: seals everything again under the current encryption key. */
import { type Rotation, rotateEncryption, type SealedCounts } from "@pointsman/core"
import { keyStorageError } from "@pointsman/core/ports"
import { Console, Effect } from "effect"
import { actingAs, byFlag } from "./Actor.ts"
import { endWith } from "./CommandFailure.ts"
import { databaseCommand } from "./DatabaseCommand.ts"
import { print, withProgress } from "./Output.ts"
import { paragraphs, type Text, table } from "./Table.ts"
import { counted } from "./Words.ts"

export const rotateCommand = databaseCommand(
  {
    name: "rotate-encryption",
    short: "Re-encrypt the database with a new key",
    long:
      "Encrypt again, with the current encryption key, everything in the database that another key encrypted: credentials, " +
      "webhook secrets, checkout addresses and provider messages. POINTSMAN_ENCRYPTION_KEY is the new key, and " +
      "POINTSMAN_ENCRYPTION_KEY_PREVIOUS the one to be replaced. Servers may run meanwhile. It may be interrupted and run " +
      "again. Exits with 1 if texts under other keys are left.",
    examples: {
      "pointsman keys rotate-encryption": "With the server's environment",
      "pointsman keys rotate-encryption --json": "As JSON"
    },
    flags: { by: byFlag }
  },
  function* ({ by }, { json }) {
    const rotation = yield* withProgress(json, (tell) =>
      rotateEncryption({ onProgress: (resealed) => tell(`${counted(resealed, "text")} encrypted again`) })
    ).pipe(
      actingAs(by),
      Effect.catchTag("pointsman/KeyUnavailable", (cause) => Effect.fail(keyStorageError("rotating the key")(cause)))
    )
    const view = rotationView(rotation)
    yield* print(json, { data: view }, rotationText(view))
    const isOver = view.left.every(({ current, texts }) => current || texts === 0) && view.unreadable.count === 0
    yield* Console.error(isOver ? over : leftText(view))
    if (!isOver) yield* endWith(1)
  }
)

const rotationView = ({ keyId, left, resealed }: Rotation) => ({
  key: keyId,
  encrypted_again: resealed,
  left: [...left.byKey].map(([id, texts]) => ({ key: id, current: id === keyId, texts })),
  unreadable: left.unreadable
})

type RotationView = ReturnType<typeof rotationView>

const rotationText = ({ encrypted_again: resealed, left }: RotationView): Text =>
  paragraphs(
    `${counted(resealed, "text")} encrypted again.`,
    table(
      ["KEY", "TEXTS", ""],
      left.map(({ current, key, texts }) => [key, texts, current ? "current" : "previous"])
    )
  )

const over =
  "Everything is encrypted with the current key. When every server uses it, remove the previous key from " +
  "POINTSMAN_ENCRYPTION_KEY_PREVIOUS."

const leftText = ({ left, unreadable }: RotationView): string => {
  const others = left.filter(({ current, texts }) => !current && texts > 0)
  return [
    ...(others.length === 0
      ? []
      : [
          "Servers still encrypt with a previous key. Restart them with the new POINTSMAN_ENCRYPTION_KEY, and run this " +
            "command again."
        ]),
    ...(unreadable.count === 0 ? [] : [unreadableText(unreadable)])
  ].join("\n")
}

export const unreadableText = ({ count, first }: SealedCounts["unreadable"]): string =>
  `${counted(count, "text")} cannot be decrypted with any configured key, the first one at ${first}. Add the key that ` +
  "encrypted them to POINTSMAN_ENCRYPTION_KEY_PREVIOUS."
