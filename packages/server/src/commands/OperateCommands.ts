/** `pointsman payments capture`, `void` and `refund`: what an operator does to a payment through its provider. */
import { type Answered, type CaptureFailure, Pointsman, type RefundFailure, type VoidFailure } from "@pointsman/core"
import { Directory, Ids } from "@pointsman/core/ports"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { actorOf, byFlag } from "./Actor.ts"
import { CommandFailure } from "./CommandFailure.ts"
import { argument, settingFlags, textFlag, textsOf, withHelp } from "./CommandHelp.ts"
import { checkSettings, nowOf, onDatabase, reachingProviders } from "./OpenDatabase.ts"
import { jsonFlag, print } from "./Output.ts"
import { reviewView } from "./ReviewView.ts"
import { amountFlag } from "./StatementFlags.ts"
import { findPayment, notFound } from "./Tenants.ts"
import { moneyText, printable } from "./Words.ts"

type Kind = "capture" | "void" | "refund"

interface Order {
  readonly amountMinor: number | null
  readonly reason: string | null
}

const keyFlag = Flag.String("idempotency-key").pipe(
  Flag.withMetavar("key"),
  Flag.withDescription("Repeats an earlier command safely: use the key that it printed; default: a new one"),
  Flag.filter(
    (key) => /^[ -~]{8,200}$/u.test(key),
    () => "8 to 200 printable ASCII characters"
  ),
  Flag.optional
)

const reasonFlag = textFlag(
  "reason",
  "text",
  "Why the money is refunded, at most 200 characters; it is stored with the refund"
)

const common = {
  payment: argument("payment", "The payment's id"),
  key: keyFlag,
  by: byFlag,
  json: jsonFlag,
  ...settingFlags([...checkSettings, "providerTimeoutMillis", "webhookScheduleMillis"])
}

interface Common {
  readonly payment: string
  readonly key: Option.Option<string>
  readonly by: Option.Option<string>
  readonly json: boolean
}

const operate = Effect.fnUntraced(function* (
  kind: Kind,
  { amountMinor, reason }: Order,
  { by, json, key, payment: id, ...texts }: Common & Parameters<typeof textsOf>[0]
) {
  const PointsmanHttp = yield* Effect.promise(() => import("@pointsman/http"))
  const failed = ({ code, message }: { readonly code: string; readonly message: string }, detail: string) =>
    new CommandFailure({ message: `${message} (${code})${detail}` })
  const act = Effect.fnUntraced(function* (idempotencyKey: string) {
    const pointsman = yield* Pointsman
    const { payment: before } = yield* findPayment(id)
    const { workspaces } = yield* (yield* Directory).contents
    const workspace = workspaces.find((one) => one.id === before.tenant.workspaceId)
    if (workspace === undefined) return yield* notFound(id)
    const operator = actorOf(by)
    const intent =
      `${titles[kind]} payment ${before.id}${before.reference === null ? "" : ` (${printable(before.reference)})`}: ` +
      `${amountMinor === null ? "the whole amount" : moneyText(amountMinor, before.money.currency)}, for ` +
      `${printable(operator)}. Idempotency key: ${printable(idempotencyKey)}`
    yield* json ? Console.error(intent) : Console.log(intent)
    const caller = { tenant: before.tenant, workspace, operator }
    const order = { paymentId: before.id, idempotencyKey }
    const answered: Effect.Effect<Answered, CommandFailure> =
      kind === "capture"
        ? Effect.mapError(pointsman.capture(caller, { ...order, amountMinor }), (failure: CaptureFailure) =>
            failed(PointsmanHttp.errorBodyOf("capture", failure).error, detailOf(failure))
          )
        : kind === "void"
          ? Effect.mapError(pointsman.void(caller, order), (failure: VoidFailure) =>
              failed(PointsmanHttp.errorBodyOf("void", failure).error, detailOf(failure))
            )
          : Effect.mapError(pointsman.refund(caller, { ...order, amountMinor, reason }), (failure: RefundFailure) =>
              failed(PointsmanHttp.errorBodyOf("refund", failure).error, detailOf(failure))
            )
    return yield* answered
  })
  yield* onDatabase(
    textsOf(texts),
    Effect.fnUntraced(function* (settings) {
      // A reason is stored and sent out in events: it is checked as one of the API is.
      yield* PointsmanHttp.decodeRefund(reason === null ? {} : { reason }).pipe(
        Effect.mapError(({ error }) => failed(error, ""))
      )
      const idempotencyKey = Option.isSome(key) ? key.value : yield* (yield* Ids).request
      const { isReplay, payment } = yield* act(idempotencyKey)
      const view = reviewView(payment, yield* nowOf(settings))
      yield* print(
        json,
        { data: view },
        `${isReplay ? "This was done before under the key. " : ""}The payment is ${view.status}: ` +
          `${moneyText(view.captured_amount, view.currency)} captured, ` +
          `${moneyText(view.refunded_amount, view.currency)} refunded.`
      )
    }, Effect.provide(Ids.layer)),
    reachingProviders
  )
})

const titles = { capture: "Capture", void: "Void", refund: "Refund" } as const

const detailOf = (failure: CaptureFailure | VoidFailure | RefundFailure): string =>
  failure._tag === "pointsman/ProviderRefused"
    ? `: ${printable(failure.message)}`
    : failure._tag === "pointsman/InvalidAmount"
      ? `: expected ${failure.expected}`
      : ""

export const captureCommand = Command.make(
  "capture",
  {
    ...common,
    amount: amountFlag("Amount to capture, in minor units of the payment's currency; default: all that is authorized")
  },
  ({ amount, ...given }) => operate("capture", { amountMinor: Option.getOrNull(amount), reason: null }, given)
).pipe(
  withHelp({
    short: "Capture an authorized payment",
    long:
      "Capture an authorized payment at its provider. The audit trail names you first. If the result is unknown, the " +
      "servers look it up, and `pointsman payments show` shows what they find.",
    examples: {
      "pointsman payments capture 01a1fe08-9226-7266-a33a-e3e7f1609a4e --by Jo": "The whole amount",
      "pointsman payments capture 01a1fe08-… --amount 500 --by Jo": "€5.00 of it"
    }
  })
)

export const voidCommand = Command.make("void", common, (given) =>
  operate("void", { amountMinor: null, reason: null }, given)
).pipe(
  withHelp({
    short: "Void an authorized payment",
    long: "Release an authorized payment at its provider: the customer pays nothing. The audit trail names you first.",
    examples: { "pointsman payments void 01a1fe08-9226-7266-a33a-e3e7f1609a4e --by Jo": "One payment" }
  })
)

export const refundCommand = Command.make(
  "refund",
  {
    ...common,
    amount: amountFlag("Amount to refund, in minor units of the payment's currency; default: all that is left"),
    reason: reasonFlag
  },
  ({ amount, reason, ...given }) =>
    operate("refund", { amountMinor: Option.getOrNull(amount), reason: Option.getOrNull(reason) }, given)
).pipe(
  withHelp({
    short: "Refund a captured payment",
    long:
      "Refund a captured payment at its provider, or a part of it. The audit trail names you first. A command without " +
      "--idempotency-key is a new refund each time: repeat one with the key that it printed.",
    examples: {
      'pointsman payments refund 01a1fe08-9226-7266-a33a-e3e7f1609a4e --amount 500 --reason "damaged" --by Jo':
        "A part of it",
      "pointsman payments refund 01a1fe08-… --idempotency-key req_01a1fe08-… --by Jo":
        "The same refund again, after a failure"
    }
  })
)
