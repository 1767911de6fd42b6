/** How an attempt ended. `CheckoutOpened`: the customer pays at the provider. `Abandoned`: written and never sent. */
export const attemptOutcomes = [
  "CheckoutOpened",
  "Authorized",
  "Captured",
  "Pending",
  "Declined",
  "NeedsCustomer",
  "Canceled",
  "Rejected",
  "NotSent",
  "Unanswered",
  "Mismatched",
  "Abandoned"
] as const
export type AttemptOutcome = (typeof attemptOutcomes)[number]
