/** What merchants do about disputes: they keep evidence and submit it, or accept, in several processes at once. */
import type { Caller, Dispute } from "@pointsman/core"
import { Effect, Exit } from "effect"
import type { Asking } from "./Asked.ts"
import type { Draw } from "./Draw.ts"
import { atOnce } from "./Merchants.ts"
import type { MortalProcess } from "./MortalProcess.ts"
import { callers, type World } from "./World.ts"

/** A submission or an acceptance that a merchant was told of as done. */
export interface ToldOfDispute {
  readonly what: string
  readonly disputeId: string
  readonly kind: "submit" | "accept"
}

/** More than any run has. */
const disputesAtMost = 100

export const makeMerchantDisputes = (world: World, { ask }: Asking) => {
  const told: Array<ToldOfDispute> = []

  const answerIn = (draw: Draw, process: MortalProcess, caller: Caller, { id: disputeId }: Dispute) => {
    const kind = draw.pick(["submit", "submit", "submit", "accept"])
    const idempotencyKey = draw.pick([null, "key-of-dispute-1", "key-of-dispute-2"])
    const what = `${kind} dispute ${disputeId.slice(-3)}${idempotencyKey === null ? "" : ` by ${idempotencyKey}`}`
    ask(
      process,
      what,
      (pointsman) => {
        const keeping = pointsman.keepEvidence(caller, { disputeId, texts: { summary: "It arrived." }, files: [] })
        const submitting = pointsman.submitDispute(caller, { disputeId, kind, idempotencyKey })
        return kind === "submit" ? Effect.andThen(Effect.ignore(keeping), submitting) : submitting
      },
      (exit) => {
        if (Exit.isSuccess(exit)) told.push({ what, disputeId, kind })
      }
    )
  }

  /** Answers one of the disputes. `false` where there is none: nothing was asked then. */
  const answer = async (draw: Draw): Promise<boolean> => {
    const all = await world.run(
      Effect.forEach(callers, (caller) =>
        Effect.map(world.ledger.disputes(caller.tenant, { limit: disputesAtMost }), (disputes) =>
          disputes.map((dispute) => ({ caller, dispute }))
        )
      )
    )
    const one = draw.one(all.flat())
    if (one === undefined) return false
    atOnce(world, draw, draw.pick([1, 1, 2, 3]), (process) => answerIn(draw, process, one.caller, one.dispute))
    return true
  }

  return { told, answer }
}
