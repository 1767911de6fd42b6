/**
 * The life of a delivery: one event on its way to one endpoint. It begins in the commit that writes the event, so that
 * no event is forgotten and none is sent that did not happen.
 */
import { defineMachine, Start } from "../machine/Machine.ts"

export const deliveryStates = ["Due", "Sending", "Delivered", "Refused", "GivenUp"] as const
export type DeliveryState = (typeof deliveryStates)[number]

export const DeliveryMachine = defineMachine({
  name: "delivery",
  states: deliveryStates,
  emits: [] as ReadonlyArray<never>,
  otherwise: {
    EventWritten: "Ignored",
    AttemptBegun: "NotDue",
    ReceiverAccepted: "Ignored",
    ReceiverRefused: "Ignored",
    AttemptFailed: "Ignored",
    LastAttemptFailed: "Ignored",
    EndpointWithdrawn: "Ignored",
    EndpointReturned: "Ignored",
    RedeliveryAsked: "NotRedeliverable"
  },
  rows: [
    {
      from: Start,
      on: "EventWritten",
      to: "Due",
      why: "Written with its event, for each active endpoint of the tenant that wants the type."
    },
    { from: "Due", on: "AttemptBegun", to: "Sending", why: "Written before anything is sent." },
    {
      from: "Sending",
      on: "AttemptBegun",
      to: "Sending",
      why: "The sender did not report before the lease ended: it is sent again, and may arrive twice."
    },
    { from: "Sending", on: "ReceiverAccepted", to: "Delivered", why: "Answered 2xx." },
    { from: "Sending", on: "ReceiverRefused", to: "Refused", why: "Answered 4xx: the receiver's refusal is final." },
    {
      from: "Sending",
      on: "AttemptFailed",
      to: "Due",
      why: "Answered 3xx or 5xx, or not at all, and the schedule has another attempt."
    },
    { from: "Sending", on: "LastAttemptFailed", to: "GivenUp", why: "The schedule is exhausted." },
    {
      from: "Sending",
      on: "EndpointWithdrawn",
      to: "GivenUp",
      why: "The endpoint is no longer active: nothing is sent there."
    },
    {
      from: "GivenUp",
      on: "EndpointReturned",
      to: "Due",
      why: "It was given up because its endpoint was not active, and the endpoint is active again: the schedule continues."
    },
    {
      from: ["Refused", "GivenUp", "Delivered"],
      on: "RedeliveryAsked",
      to: "Due",
      why: "An operator requested it: the schedule starts over, under the same id."
    }
  ]
})

export type DeliveryEvent = (typeof DeliveryMachine)["events"][number]
