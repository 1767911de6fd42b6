/** The life of a key: claimed in the commit before the provider call, answered in the one that records the outcome. */
import { defineMachine, type Row, Start } from "../machine/Machine.ts"

export const claimStates = ["Claimed", "Answered", "Released", "Expired"] as const
export type ClaimState = (typeof claimStates)[number]

export const ClaimMachine = defineMachine({
  name: "claim",
  states: claimStates,
  emits: [] as ReadonlyArray<never>,
  otherwise: {
    KeyClaimed: "KeyTaken",
    AttemptFollowed: "Ignored",
    RequestAnswered: "Ignored",
    RequestAbandoned: "Ignored",
    RetentionEnded: "Ignored"
  },
  rows: [
    { from: Start, on: "KeyClaimed", to: "Claimed", why: "Written before the provider is asked." },
    { from: ["Released", "Expired"], on: "KeyClaimed", to: "Claimed", why: "The same key is a new request." },
    {
      from: "Claimed",
      on: "AttemptFollowed",
      to: "Claimed",
      why: "Another provider call begins: the claim is fresh again."
    },
    { from: "Claimed", on: "RequestAnswered", to: "Answered", why: "From here on the stored answer is replayed." },
    {
      from: "Claimed",
      on: "RequestAbandoned",
      to: "Released",
      why: "Nothing was sent: a retry is safe and starts over."
    },
    {
      from: "Answered",
      on: "RetentionEnded",
      to: "Expired",
      why: "24 hours after the answer or the settlement, never while the payment is UNKNOWN."
    },
    {
      from: "Claimed",
      on: "RetentionEnded",
      to: "Expired",
      why: "It never got a response, and a background check settled its payment 24 hours ago."
    }
  ]
})

export type ClaimEvent = (typeof ClaimMachine)["events"][number]
export type ClaimRow = Row<ClaimState, ClaimEvent, never>
