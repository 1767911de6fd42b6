/** Which keys encrypted what the database holds. */
import { countSealed } from "@pointsman/core"
import { Effect } from "effect"
import { eachOr, ok, warning, wrong } from "./Checkup.ts"
import { unreadableText } from "./RotateCommand.ts"
import { counted } from "./Words.ts"

/** Of each kind of text; what is found there tells enough. */
const textsAtMost = 2_000

export const keyLines = Effect.gen(function* () {
  const { byKey, unreadable } = yield* countSealed(textsAtMost)
  const others = [...byKey].slice(1).filter(([, count]) => count > 0)
  return eachOr(
    [
      ...(unreadable.count > 0 ? [wrong("encryption key", unreadableText(unreadable))] : []),
      ...others.map(([id, count]) =>
        warning(
          "encryption key",
          `${counted(count, "text")} encrypted with the previous key ${id}: run \`pointsman keys rotate-encryption\``
        )
      )
    ],
    ok("encryption key", "the key decrypts the stored secrets")
  )
})
