/** Passkeys and their challenges in maps. Each method is one step: nothing else runs inside it. */
import type { Passkeys } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { append, logged } from "./Audit.ts"
import { byText, copy, type State } from "./State.ts"

export const make = (state: State): Passkeys => ({
  list: (operatorId) =>
    Effect.sync(() =>
      copy([...state.passkeys.values()].filter((passkey) => passkey.operatorId === operatorId)).sort(
        (a, b) => a.createdAt - b.createdAt || byText(a.id, b.id)
      )
    ),
  byId: (id) => Effect.sync(() => Option.map(Option.fromUndefinedOr(state.passkeys.get(id)), copy)),
  add: (passkey, audit) =>
    logged(() => {
      if (state.operators.get(passkey.operatorId)?.active !== true || state.passkeys.has(passkey.id)) return [false]
      state.passkeys.set(passkey.id, copy(passkey))
      return [true, append(state, audit)]
    }),
  used: (id, counter, at) =>
    Effect.sync(() => {
      const found = state.passkeys.get(id)
      if (found === undefined || !(counter > found.counter || (counter === 0 && found.counter === 0))) return false
      state.passkeys.set(id, { ...found, counter, usedAt: at })
      return true
    }),
  remove: (operatorId, id, audit) =>
    logged(() => {
      if (state.passkeys.get(id)?.operatorId !== operatorId) return [false]
      state.passkeys.delete(id)
      return [true, append(state, audit)]
    }),
  addChallenge: (challenge, now) =>
    Effect.sync(() => {
      for (const { expiresAt, hash } of [...state.passkeyChallenges.values()]) {
        if (expiresAt <= now) state.passkeyChallenges.delete(hash)
      }
      state.passkeyChallenges.set(challenge.hash, copy(challenge))
    }),
  takeChallenge: (hash) =>
    Effect.sync(() => {
      const found = Option.fromUndefinedOr(state.passkeyChallenges.get(hash))
      state.passkeyChallenges.delete(hash)
      return found
    })
})
