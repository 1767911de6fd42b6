/** The filters of a list of payments, as flags. */
import { isCurrency, type Metadata, paymentStatuses, statesOf } from "@pointsman/core"
import type { PaymentFilter } from "@pointsman/core/ports"
import { Option } from "effect"
import { Flag } from "effect/cli"
import { textFlag } from "./CommandHelp.ts"
import { epochMillisIn, type Moment, momentFlag } from "./Moment.ts"
import { amountFlag } from "./StatementFlags.ts"

export const paymentFilterFlags = {
  status: Flag.Literals(
    "status",
    paymentStatuses.filter((status) => statesOf(status).length > 0)
  ).pipe(Flag.withDescription("Only payments with this status"), Flag.optional),
  reference: textFlag("reference", "text", "Only payments with exactly this reference of the merchant"),
  amount: amountFlag("Only payments of this amount, in minor units of their currency"),
  currency: Flag.String("currency").pipe(
    Flag.withMetavar("code"),
    Flag.withDescription("Only payments in this currency, ISO 4217"),
    Flag.filter(isCurrency, () => "an ISO 4217 currency code: three uppercase letters"),
    Flag.optional
  ),
  connection: textFlag("connection", "id", "Only payments whose money this connection holds or held"),
  providerReference: textFlag(
    "provider-reference",
    "id",
    "Only payments with a charge or an attempt of this provider's id"
  ),
  metadata: Flag.String("metadata").pipe(
    Flag.withMetavar("name=text"),
    Flag.withDescription("Only payments with exactly this text under this name of their metadata"),
    Flag.filterMap(
      (pair) => {
        const [, name, value] = /^([^=]+)=(.*)$/su.exec(pair) ?? []
        return name === undefined || value === undefined ? Option.none() : Option.some({ [name]: value })
      },
      () => "a name and a text, such as order=1001"
    ),
    Flag.optional
  ),
  createdFrom: momentFlag("created-from", "Only payments created then or later").pipe(Flag.optional),
  createdBefore: momentFlag("created-before", "Only payments created earlier").pipe(Flag.optional)
}

export interface FilterTexts {
  readonly status: Option.Option<(typeof paymentStatuses)[number]>
  readonly reference: Option.Option<string>
  readonly amount: Option.Option<number>
  readonly currency: Option.Option<string>
  readonly connection: Option.Option<string>
  readonly providerReference: Option.Option<string>
  readonly metadata: Option.Option<Metadata>
  readonly createdFrom: Option.Option<Moment>
  readonly createdBefore: Option.Option<Moment>
}

/** `now`: epoch milliseconds, which ages are counted from. */
export const filterOf = (given: FilterTexts, now: number): PaymentFilter => ({
  states: Option.getOrUndefined(Option.map(given.status, statesOf)),
  reference: Option.getOrUndefined(given.reference),
  amountMinor: Option.getOrUndefined(given.amount),
  currency: Option.getOrUndefined(given.currency),
  connectionId: Option.getOrUndefined(given.connection),
  providerRef: Option.getOrUndefined(given.providerReference),
  metadata: Option.getOrUndefined(given.metadata),
  createdFrom: epochMillisIn(given.createdFrom, now),
  createdBefore: epochMillisIn(given.createdBefore, now)
})
