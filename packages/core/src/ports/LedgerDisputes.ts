/** How disputes are written with their payment, and what is asked for to read them. */
import { type Dispute, isOpenStage } from "../model/Dispute.ts"
import type { DisputeStatus } from "../model/DisputeMachine.ts"
import type { Tenant } from "../model/Tenant.ts"

/** The texts and files that are kept for a dispute. */
export interface SealedEvidence {
  /** Of the dispute. */
  readonly id: string
  readonly paymentId: string
  /** An `EvidenceDocument`, sealed by `evidenceContext`; empty once it is dropped. */
  readonly sealed: string
}

interface WrittenDisputes {
  readonly disputes?: ReadonlyArray<Dispute> | undefined
  readonly evidence?: ReadonlyArray<SealedEvidence> | undefined
}

/** What makes the disputes of a change unwritable; `undefined` where nothing does. */
export const brokenDisputes = (
  { disputes = [], evidence = [] }: WrittenDisputes,
  paymentId: string
): string | undefined => {
  if ([...disputes, ...evidence].some((one) => one.paymentId !== paymentId)) return "a dispute is another payment's"
  for (const { money } of disputes) {
    if (money !== null && (!Number.isSafeInteger(money.minorUnits) || money.minorUnits < 0)) {
      return `the amount of a dispute is not a whole number of minor units: ${money.minorUnits}`
    }
  }
  for (const dispute of disputes) {
    if (dispute.submissions.length > 1 && dispute.submissions.slice(0, -1).some(({ stage }) => isOpenStage(stage))) {
      return "a dispute has two submissions under way"
    }
  }
  for (const { id: disputeId, sealed } of evidence) {
    const dispute = disputes.find((one) => one.id === disputeId)
    if (dispute === undefined) return "evidence is of no dispute of the change"
    if ((dispute.evidence === null) !== (sealed === "")) return "a dispute names other evidence than is kept"
  }
  return undefined
}

export interface DisputeQuery {
  /** Of one payment. */
  readonly paymentId?: string | undefined
  readonly status?: DisputeStatus | undefined
  /** Only disputes with a smaller id. */
  readonly before?: string | undefined
  /** Rows at most. */
  readonly limit: number
}

/** To read the disputes whose time to be checked has come. */
export interface DueDisputesQuery {
  /** Epoch milliseconds; disputes whose time is not later than this. */
  readonly now: number
  /** Only disputes that follow this one. */
  readonly after?: Pick<DueDispute, "checkAt" | "disputeId"> | undefined
  readonly limit: number
}

export interface DueDispute {
  readonly tenant: Tenant
  readonly paymentId: string
  readonly disputeId: string
  /** Epoch milliseconds. */
  readonly checkAt: number
}
