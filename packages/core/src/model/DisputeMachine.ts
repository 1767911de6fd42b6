/** The life of a dispute, and of one submission of ours. What it does to its payment is in the payment's table. */
import { defineMachine, Start } from "../machine/Machine.ts"
import { eventTypes } from "./EventType.ts"

/** `warning`: the customer's bank asks, and no money has moved. `accepted`: the merchant gave the money up. */
export const disputeStatuses = ["needs_response", "under_review", "won", "lost", "accepted", "warning"] as const
export type DisputeStatus = (typeof disputeStatuses)[number]

/** What a dispute means for the money of its payment. `inquired`: the customer's bank asks, and no money has moved. */
export type DisputeVerdict = "inquired" | "opened" | "won" | "lost"

/** What ends a dispute. */
export const endedStatuses = ["won", "lost", "accepted"] as const satisfies ReadonlyArray<DisputeStatus>

const open = ["needs_response", "warning", "under_review"] as const

export const DisputeMachine = defineMachine({
  name: "dispute",
  states: disputeStatuses,
  emits: eventTypes,
  otherwise: {
    ResponseNeeded: "Ignored",
    WarningStated: "Ignored",
    ReviewStated: "Ignored",
    WonStated: "Ignored",
    LostStated: "Ignored",
    AcceptanceStated: "Ignored",
    EvidenceSubmitted: "Ignored",
    SubmissionFailed: "Ignored",
    DisputeAccepted: "Ignored"
  },
  rows: [
    {
      from: Start,
      on: "ResponseNeeded",
      to: "needs_response",
      emits: ["dispute.opened"],
      why: "The provider states a dispute that is not recorded yet."
    },
    {
      from: Start,
      on: "WarningStated",
      to: "warning",
      emits: ["dispute.opened"],
      why: "The customer's bank inquires. No money has moved, and an answer may prevent a dispute."
    },
    {
      from: Start,
      on: "ReviewStated",
      to: "under_review",
      emits: ["dispute.opened"],
      why: "Its first message is not here, or the merchant answered at the provider before it came."
    },
    {
      from: Start,
      on: "WonStated",
      to: "won",
      emits: ["dispute.opened", "dispute.won"],
      why: "Its earlier messages are late or lost."
    },
    {
      from: Start,
      on: "LostStated",
      to: "lost",
      emits: ["dispute.opened", "dispute.lost"],
      why: "Its earlier messages are late or lost."
    },
    {
      from: Start,
      on: "AcceptanceStated",
      to: "accepted",
      emits: ["dispute.opened", "dispute.accepted"],
      why: "The merchant accepted it at the provider, and its earlier messages are late or lost."
    },
    ...(
      [
        { on: "ResponseNeeded", to: "needs_response" },
        { on: "ReviewStated", to: "under_review" }
      ] as const
    ).map((row) => ({
      ...row,
      from: endedStatuses,
      emits: ["dispute.opened"] as const,
      why: "The provider dates it after the end: a new round, with its own deadline and evidence."
    })),
    {
      from: "won",
      on: "WarningStated",
      to: "warning",
      emits: ["dispute.opened"],
      why: "The provider dates it after the end: the customer's bank inquires again."
    },
    {
      from: ["warning", "under_review"],
      on: "ResponseNeeded",
      to: "needs_response",
      emits: ["dispute.updated"],
      why: "The inquiry became a dispute, or the provider asks for evidence again."
    },
    {
      from: ["warning", "needs_response"],
      on: "ReviewStated",
      to: "under_review",
      emits: ["dispute.updated"],
      why: "The provider has the evidence."
    },
    {
      from: [...open, "lost", "accepted"],
      on: "WonStated",
      to: "won",
      emits: ["dispute.won"],
      why: "The provider's last statement counts."
    },
    {
      from: [...open, "won"],
      on: "LostStated",
      to: "lost",
      emits: ["dispute.lost"],
      why: "The provider's last statement counts."
    },
    {
      from: [...open, "won"],
      on: "AcceptanceStated",
      to: "accepted",
      emits: ["dispute.accepted"],
      why: "The merchant accepted it at the provider."
    },
    {
      from: ["needs_response", "under_review"],
      on: "EvidenceSubmitted",
      to: "under_review",
      emits: ["dispute.submitted"],
      why: "The provider took our evidence. A message may have said so before its answer came."
    },
    ...(["warning", ...endedStatuses] as const).map((status) => ({
      from: status,
      on: "EvidenceSubmitted" as const,
      to: status,
      emits: ["dispute.submitted"] as const,
      why: "The provider took our evidence; what it states of the dispute stays."
    })),
    {
      from: "under_review",
      on: "SubmissionFailed",
      to: "needs_response",
      emits: ["dispute.updated"],
      why: "The provider did not take the evidence after all: the merchant may submit again."
    },
    {
      from: [...open, "lost"],
      on: "DisputeAccepted",
      to: "accepted",
      emits: ["dispute.accepted"],
      why: "The provider took our acceptance. It may state the same as a loss, before its answer."
    }
  ]
})

export type DisputeEvent = (typeof DisputeMachine)["events"][number]

export const submissionStages = ["Sending", "Pending", "Unknown", "Done", "Refused"] as const
export type SubmissionStage = (typeof submissionStages)[number]

export const SubmissionMachine = defineMachine({
  name: "submission",
  states: submissionStages,
  emits: [] as ReadonlyArray<never>,
  otherwise: {
    SubmissionClaimed: "Ignored",
    SubmissionTaken: "Ignored",
    SubmissionConfirmed: "Ignored",
    SubmissionRefused: "Ignored",
    SubmissionUnanswered: "Ignored",
    SubmissionNotFound: "Ignored"
  },
  rows: [
    {
      from: Start,
      on: "SubmissionClaimed",
      to: "Sending",
      why: "Written before the provider is asked: evidence is sent once."
    },
    {
      from: ["Sending", "Unknown"],
      on: "SubmissionTaken",
      to: "Pending",
      why: "The provider took it and is still processing it."
    },
    { from: ["Sending", "Pending", "Unknown"], on: "SubmissionConfirmed", to: "Done", why: "The provider has it." },
    {
      from: ["Sending", "Pending", "Unknown"],
      on: "SubmissionRefused",
      to: "Refused",
      why: "The provider did nothing with it: the merchant may send it again."
    },
    {
      from: "Sending",
      on: "SubmissionUnanswered",
      to: "Unknown",
      why: "The provider may have it: nothing is sent again."
    },
    {
      from: "Unknown",
      on: "SubmissionNotFound",
      to: "Refused",
      why: "A late, conclusive lookup: the provider never received it."
    }
  ]
})
