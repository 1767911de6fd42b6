/** Payments in maps, a file for each part of the port; `Commit.ts` writes a change. */
import { Ledger } from "@pointsman/core/ports"
import { Effect, Semaphore } from "effect"
import { checkMethods } from "./Checks.ts"
import { claimMethods } from "./Claims.ts"
import { type CommitOptions, makeCommit } from "./Commit.ts"
import { disputeMethods } from "./Disputes.ts"
import { eraseTexts } from "./Erasure.ts"
import { eventMethods } from "./Events.ts"
import { messageMethods } from "./Messages.ts"
import { paymentMethods } from "./Payments.ts"
import type { State } from "./State.ts"

export const make = Effect.fnUntraced(function* (
  state: State,
  options: CommitOptions = {},
  turn = Semaphore.makeUnsafe(1)
) {
  return Ledger.of({
    commit: yield* makeCommit(state, turn, options),
    ...paymentMethods(state),
    ...eventMethods(state),
    ...claimMethods(state, turn),
    ...messageMethods(state, turn),
    ...checkMethods(state),
    ...disputeMethods(state),
    eraseTexts: (tenant, erasure) => turn.withPermit(Effect.sync(() => eraseTexts(state, tenant, erasure)))
  })
})
