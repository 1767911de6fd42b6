/** When keys were last used, for operators: noted in memory and written together; a crash loses the last. */
import { Context, Effect, Layer } from "effect"
import { Background } from "../../commit/Background.ts"
import { Directory, type KeyUse, keyUseEveryMillis } from "../../ports/Directory.ts"

export class KeyUses extends Context.Service<
  KeyUses,
  {
    /** Gives what writes the uses that are noted; `undefined` where that was done just now, or is under way. */
    readonly note: (use: KeyUse) => Effect.Effect<void> | undefined
  }
>()("pointsman/administer/KeyUses") {
  static readonly layer: Layer.Layer<KeyUses, never, Directory | Background> = Layer.effect(
    KeyUses,
    Effect.gen(function* () {
      const directory = yield* Directory
      const background = yield* Background
      const noted = new Map<string, number>()
      let pending: Array<KeyUse> = []
      let isWriting = false

      const write = Effect.gen(function* () {
        while (pending.length > 0) {
          const uses = pending
          pending = []
          yield* Effect.ignore(directory.recordKeyUses(uses))
        }
      }).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            isWriting = false
          })
        )
      )

      return KeyUses.of({
        note: (use) => {
          const before = noted.get(use.hash)
          if (before !== undefined && use.at - before < keyUseEveryMillis) return undefined
          noted.set(use.hash, use.at)
          pending.push(use)
          if (isWriting) return undefined
          isWriting = true
          return background.run(write)
        }
      })
    })
  )
}
