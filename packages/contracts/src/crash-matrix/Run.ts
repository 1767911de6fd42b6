/**
 * One run: a request is sent, its process ends at some point, another one takes its place, and days pass. The client
 * sends its request again, or does not.
 */
import { type Dispute, type PaymentStatus, statusOf } from "@pointsman/core"
import { Cause, Effect, Result } from "effect"
import { day, hour, minute } from "../simulator/Time.ts"
import { production } from "../simulator/World.ts"
import { type Told, wrongAtRest } from "./Judge.ts"
import type { Operation, Outcome } from "./Operations.ts"
import { canSay, type RequestHandling } from "./ScriptedProvider.ts"
import { type Ground, lifeUntil, openStage, type Process, type Stage } from "./Stage.ts"

/** What the client does about a request without an answer. One that asks at once keeps asking. */
export const clients = ["never asks again", "asks at once", "asks after the claim window", "asks once settled"] as const
export type Client = (typeof clients)[number]

export interface Plan {
  readonly operation: Operation
  readonly outcome: Outcome
  /** The point at which the first process ends, counted from 1; `null` for one that does not. */
  readonly endsAt: number | null
  readonly client: Client
  /** As `endsAt`, of the process that comes after it: it answers the client again, and does the background's work. */
  readonly nextEndsAt: number | null
}

export interface RunEnd {
  /** The points of the first process, up to its end. */
  readonly points: ReadonlyArray<string>
  readonly nextPoints: ReadonlyArray<string>
  readonly told: ReadonlyArray<Told>
  /** The final state, for people; `nothing` if there is no payment. */
  readonly final: string
  /** Until then it had moved for the last time, in milliseconds after the request. */
  readonly settledAfterMillis: number
  /** What the provider did, of the requests that reached it: nothing here depends on what it would have done next. */
  readonly gone: ReadonlyArray<RequestHandling>
  /** What should not be so. */
  readonly wrong: ReadonlyArray<string>
}

const claimWindowMillis = 15 * minute

/**
 * The background looks then: after a minute or two, when an unknown result is first asked for; after a third of an hour,
 * when the lease of a process that died with it is over; after an hour, when what was accepted is asked for. And so
 * again after the claim window, and on each day on which a request that died is noticed, or a refund is asked for.
 */
const moments = [0, 16 * minute, day, 2 * day].flatMap((base) => [1, 3, 20, 66].map((after) => base + after * minute))
const schedule = [...new Set(moments)].toSorted((a, b) => a - b)

export const run = async (ground: Ground, plan: Plan): Promise<RunEnd> => {
  const stage = await openStage(ground)
  try {
    return await runOn(stage, plan)
  } finally {
    await stage.close()
  }
}

const runOn = async (stage: Stage, { client, endsAt, nextEndsAt, operation, outcome }: Plan): Promise<RunEnd> => {
  const { provider, scripted, time } = stage
  const maker = await stage.start(lifeUntil(null))
  const given = await maker.ask((pointsman) => operation.given(pointsman, production, scripted))
  if (given === undefined || given._tag === "Failure") throw new Error(`what ${operation.name} is for was not made`)
  const setUp = scripted.requests.length
  scripted.follow(outcome.script)
  const begunAt = time.now()

  const told: Array<Told> = []
  const defects: Array<string> = []
  const ask = async (process: Process, when: Told["when"]): Promise<void> => {
    const end = await process.ask((pointsman) => Effect.result(operation.ask(pointsman, production, given.value)))
    if (end === undefined) return
    if (end._tag === "Failure") {
      defects.push(`${when} the request ended with a defect: ${Cause.pretty(end.cause).split("\n")[0]}`)
      return
    }
    const at = time.now()
    const failed = (tag: string) => ({ says: tag.replace("pointsman/", ""), paymentId: null, isReplay: false })
    told.push({
      when,
      at,
      ...Result.match(end.value, { onSuccess: (reply) => reply, onFailure: ({ _tag }) => failed(_tag) })
    })
  }

  const firstLife = lifeUntil(endsAt)
  await ask(await stage.start(firstLife), "at first")

  const nextLife = lifeUntil(nextEndsAt)
  let process = await stage.start(nextLife)
  /** Where the process ends meanwhile, another one does it again. */
  const surely = async (work: (process: Process) => Promise<void>) => {
    await work(process)
    if (!process.isDead()) return
    process = await stage.start(lifeUntil(null))
    await work(process)
  }
  const again = (when: Told["when"]) => surely((process) => ask(process, when))

  let hasAskedAtLast = client === "never asks again"
  let hasAskedAfterWindow = client !== "asks at once" && client !== "asks after the claim window"
  if (client === "asks at once") await again("at once")
  for (const moment of schedule) {
    await time.pass(Math.max(0, begunAt + moment - time.now()))
    if (!hasAskedAfterWindow && moment > claimWindowMillis) {
      hasAskedAfterWindow = true
      await again("after the claim window")
    }
    await surely(checkDue)
    if (!hasAskedAtLast && moment >= hour && (await isSettled(stage))) {
      hasAskedAtLast = true
      await again("once settled")
    }
  }
  const records = await stage.records()
  const gone = scripted.gone()
  return {
    points: firstLife.points,
    nextPoints: nextLife.points,
    told,
    final: finalOf(records),
    settledAfterMillis: Math.max(
      0,
      ...records.flatMap(({ disputes, payment }) => [payment, ...disputes].map(({ updatedAt }) => updatedAt - begunAt))
    ),
    gone,
    wrong: [
      ...defects,
      ...wrongAtRest({
        ...{ records, provider, told, gone, requests: scripted.requests.slice(setUp) },
        canSay: canSay(outcome.script),
        isOnPage: operation.isOnPage === true
      })
    ]
  }
}

const checkDue = async (process: Process): Promise<void> => {
  // Bounded by what is due, which is one payment at most.
  await process.ask((pointsman) => Effect.repeat(pointsman.checkDue, { while: (count) => count > 0, times: 10 }))
}

const isAnswerOpen = ({ submissions }: Dispute): boolean =>
  submissions.some(({ stage }) => stage !== "Done" && stage !== "Refused")

const open: ReadonlySet<PaymentStatus> = new Set(["PENDING", "UNKNOWN"])

const isSettled = async (stage: Stage): Promise<boolean> =>
  (await stage.records()).every(
    ({ disputes, payment, refunds }) =>
      disputes.every((dispute) => !isAnswerOpen(dispute)) &&
      !open.has(statusOf[payment.state]) &&
      refunds.every(({ stage }) => stage === "Succeeded" || stage === "Refused" || stage === "Failed")
  )

const finalOf = (records: Awaited<ReturnType<Stage["records"]>>): string =>
  records
    .map(({ disputes: [dispute], payment, refunds }) => {
      const status = statusOf[payment.state]
      if (dispute !== undefined) {
        return isAnswerOpen(dispute) ? `${dispute.status}, the answer UNKNOWN` : dispute.status
      }
      return refunds.some(({ stage }) => stage === "Unknown") ? `${status}, the refund UNKNOWN` : status
    })
    .join(" and ") || "nothing"
