/** The provider's own record of disputes. As of the rest, what it is asked twice it does twice. */
import type {
  DisputeLookup,
  DisputeRequest,
  Found,
  NotSent,
  Rejected,
  SubmissionState,
  Unanswered
} from "@pointsman/core/ports"
import { Effect } from "effect"
import type { Cut, RequestHandling, SentRequest } from "./Requests.ts"

export interface SubmissionEntry {
  readonly operationId: string
  state: "Pending" | "Done" | "Failed"
}

/** One request and its answer. */
export type Exchange = <Answer>(
  cut: Cut,
  id: string,
  arrive: (handling: RequestHandling, request: SentRequest) => Effect.Effect<Answer | undefined>
) => Effect.Effect<Answer, NotSent | Unanswered>

export interface DisputeBooksOptions {
  readonly exchange: Exchange
  /** Regardless of the process that asked. */
  readonly afterAccepting: (act: () => void) => Effect.Effect<unknown>
  readonly afterTimeout: (act: () => void) => Effect.Effect<unknown>
  readonly rejected: Rejected
  readonly canSay: () => boolean
}

export const disputeBooks = ({ afterAccepting, afterTimeout, canSay, exchange, rejected }: DisputeBooksOptions) => {
  const submissions: Array<SubmissionEntry> = []

  const stateOf = ({ state }: SubmissionEntry): SubmissionState =>
    state === "Failed"
      ? { _tag: "SubmissionFailed", reason: "it is not taken" }
      : { _tag: state === "Done" ? "SubmissionDone" : "SubmissionPending" }

  const answer = (request: DisputeRequest, cut: Cut) =>
    exchange<SubmissionState | Rejected>(cut, request.operationId, (handling, sent) =>
      Effect.gen(function* () {
        const enter = (state: SubmissionEntry["state"]): SubmissionEntry => {
          const entry: SubmissionEntry = { operationId: request.operationId, state }
          submissions.push(entry)
          sent.isExecuted ||= state === "Done"
          return entry
        }
        switch (handling) {
          case "executed":
            return stateOf(enter("Done"))
          case "declined":
            return stateOf(enter("Failed"))
          case "accepted":
          case "acceptedAndRefused": {
            const entry = enter("Pending")
            yield* afterAccepting(() => {
              entry.state = handling === "accepted" ? "Done" : "Failed"
              sent.isExecuted = handling === "accepted"
            })
            return stateOf(entry)
          }
          case "executedInSilence":
            enter("Done")
            return undefined
          case "late":
            yield* afterTimeout(() => enter("Done"))
            return undefined
          case "rejected":
            return rejected
          default:
            return undefined
        }
      })
    )

  const lookUpDispute = ({ operationId }: DisputeLookup): Effect.Effect<Found<SubmissionState>> =>
    Effect.sync(() => {
      const entry = submissions.findLast((one) => one.operationId === operationId)
      return entry === undefined ? { _tag: "NotFound", conclusive: canSay() } : { _tag: "Found", state: stateOf(entry) }
    })

  return {
    submissions: submissions as ReadonlyArray<SubmissionEntry>,
    methods: (cut: Cut) => ({
      submitDispute: (request: DisputeRequest) => answer(request, cut),
      acceptDispute: (request: DisputeRequest) => answer(request, cut),
      lookUpDispute
    })
  }
}
