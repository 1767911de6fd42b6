import {
  type Answered,
  type CaptureFailure,
  type OperatorStatement,
  type Person,
  Pointsman,
  type RefundFailure,
  type RefundOrder,
  type VoidFailure
} from "@pointsman/core"
import { approve } from "@pointsman/core/testing"
import { Effect, Result } from "effect"
import { caller, request, type World } from "./World.ts"

export const operationKinds = ["capture", "void", "refund"] as const
export type Kind = (typeof operationKinds)[number]

type ChargeStatement = Extract<OperatorStatement, { readonly _tag: "Charge" }>

/** What an operator says of the charge of an attempt: of the one that it can be about, unless told otherwise. */
export const chargeSays = (says: ChargeStatement["says"], over: Partial<ChargeStatement> = {}): ChargeStatement => ({
  ...{ _tag: "Charge", says, attemptId: null, amountMinor: null, providerRef: null },
  ...over
})

/** Two people, for what one of them may not do without the other. */
export const jo: Person = { of: "program", name: "Jo" }
export const ann: Person = { of: "program", name: "Ann" }

export type Answer = Result.Result<Answered, CaptureFailure | VoidFailure | RefundFailure>

/** One of the three, all of the amount unless told otherwise, and how it ended. */
export const operate = (
  kind: Kind,
  paymentId: string,
  order: Partial<Omit<RefundOrder, "paymentId">> = {}
): Effect.Effect<Answer, never, Pointsman> =>
  Effect.flatMap(Pointsman, (pointsman) => {
    const asked = { paymentId, idempotencyKey: null, amountMinor: null, reason: null, ...order }
    const answer: Effect.Effect<Answered, CaptureFailure | VoidFailure | RefundFailure> = pointsman[kind](caller, asked)
    return Effect.result(answer)
  })

/** A failure's tag, or the state of the payment. */
export const told = (answer: Answer): string =>
  Result.isFailure(answer) ? answer.failure._tag : answer.success.payment.state

/** A payment of 19.99 EUR, unless told otherwise. */
export const creating = (change: Parameters<typeof request>[0] = {}, by = caller) =>
  Effect.flatMap(Pointsman, ({ create }) => Effect.map(create(by, request(change)), ({ payment }) => payment))

/** As many that the provider takes, each in a charge of its own. */
export const createMany = ({ provider }: World, count: number) => {
  provider.onCharge = ({ attemptId }) => Effect.succeed({ _tag: "Captured", providerRef: `ch_${attemptId}` })
  return Effect.forEach(Array.from({ length: count }), () => creating())
}

type OnCharge = World["provider"]["onCharge"]

/** What `main` answers to a charge, and what the others do: they approve, unless told otherwise. */
export const onMain =
  (answer: ReturnType<OnCharge>, others?: ReturnType<OnCharge>): OnCharge =>
  (charge) =>
    charge.connectionId === "main" ? answer : (others ?? approve(charge))

export const created = (details: NonNullable<Parameters<typeof request>[0]>["details"] = {}) => creating({ details })

export const authorized = created({ captureMethod: "manual" })

/** A payment of which the operation can be asked. */
export const payable = (kind: Kind) => (kind === "refund" ? created() : authorized)
