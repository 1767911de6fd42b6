/** `pointsman unknown`: what waits for a person to look into a provider's record, and what they found there. */
import {
  type CardNumberFound,
  openCorrection,
  type Payment,
  type PaymentNotFound,
  Pointsman,
  type ResolveReviewOrder,
  type StatementRefused,
  statusOf
} from "@pointsman/core"
import type { StorageError } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { Console, Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { actingAs } from "./Actor.ts"
import { CommandFailure, cardNumberFailure } from "./CommandFailure.ts"
import { argument, commandGroup, textFlag } from "./CommandHelp.ts"
import { databaseCommand } from "./DatabaseCommand.ts"
import { checkSettings, nowOf } from "./OpenDatabase.ts"
import { asOperator, operatorFlag } from "./OperatorSignIn.ts"
import { limitFlag, print } from "./Output.ts"
import { fileText, fileView } from "./PaymentFileView.ts"
import { reviewsText, reviewView } from "./ReviewView.ts"
import { sentenceOf, statementFlags, statementOf } from "./StatementFlags.ts"
import { findPayment, notFound, oneTenant, wholeEnvironmentFlag, workspaceFlag } from "./Tenants.ts"
import { moneyText, printable } from "./Words.ts"

const paymentArgument = argument("payment", "The payment's id")

const list = databaseCommand(
  {
    name: "list",
    short: "List payments under review, oldest first",
    long:
      "List the payments under review, oldest first: unknown results, and provider statements that " +
      "contradict the record.",
    examples: {
      "pointsman unknown list": "All workspaces",
      "pointsman unknown list --workspace acme --environment production --json": "One workspace, as JSON"
    },
    settings: checkSettings,
    flags: {
      workspace: workspaceFlag,
      environment: wholeEnvironmentFlag("payments"),
      limit: limitFlag,
      after: Flag.String("after").pipe(
        Flag.withMetavar("cursor"),
        Flag.withDescription("Cursor from the previous page: more recent ones follow"),
        Flag.filterMap(
          (cursor) => Option.map(Option.fromNullishOr(cursorPattern.exec(cursor)), placeOf),
          () => "the cursor from the previous page"
        ),
        Flag.optional
      )
    }
  },
  function* ({ after, environment, limit, workspace }, { json, settings }) {
    const tenant = yield* oneTenant(workspace, environment)
    const page = yield* (yield* Pointsman).reviews({ tenant, after: Option.getOrUndefined(after), limit })
    const now = yield* nowOf(settings)
    const payments = page.items.map((payment) => ({ payment, view: reviewView(payment, now) }))
    const last = page.items.at(-1)
    const next = page.hasMore && last !== undefined ? `${last.review?.since}_${last.id}` : null
    yield* print(
      json,
      { data: payments.map(({ view }) => view), has_more: page.hasMore, next_cursor: next },
      payments.length === 0 ? "" : reviewsText(payments, now.now)
    )
    if (json) return
    if (payments.length === 0) yield* Console.error("No payments are under review.")
    if (next !== null) yield* Console.error(`Next page: --after ${next}`)
  }
)

const show = databaseCommand(
  {
    name: "show",
    short: "Show the full record of one payment",
    long:
      "Show one payment under review: its attempts, operations and refunds with their provider references, " +
      "and its timeline.",
    examples: { "pointsman unknown show 01a1fe08-9226-7266-a33a-e3e7f1609a4e": "One payment" },
    settings: checkSettings,
    flags: { payment: paymentArgument }
  },
  function* ({ payment: id }, { json, settings }) {
    const file = fileView(yield* reviewOf(id), yield* nowOf(settings))
    yield* print(json, { data: file }, fileText(file))
  }
)

const proofFlags = {
  fileSha256: textFlag("file-sha256", "hash", "SHA-256 of a file that shows it; the file is kept elsewhere"),
  providerCase: textFlag("case", "text", "The provider's support case or other reference")
}

type SettleFailure = CardNumberFound | PaymentNotFound | StatementRefused | StorageError | CommandFailure
type Settled = Effect.Effect<Payment, SettleFailure, Pointsman>

/** Without an operator, as an unverified name: enough for what one person may state. */
const settleAs = (order: ResolveReviewOrder, login: Option.Option<string>): Settled =>
  Effect.flatMap(
    Pointsman,
    ({ resolveReview }): Settled =>
      Option.isNone(login)
        ? resolveReview(order)
        : asOperator(login.value, ({ displayName, id }) =>
            resolveReview({ ...order, by: displayName, person: { of: "operators", id, name: displayName } })
          )
  )

const stated = (given: Parameters<typeof statementOf>[0]) =>
  Effect.mapError(Effect.fromResult(statementOf(given)), (message) => new CommandFailure({ message }))

const settle = databaseCommand(
  {
    name: "settle",
    short: "Record what the provider's record says",
    long:
      "Record what the provider's own records say about a payment, whether or not it is under review. Nothing is " +
      "sent to the provider. Check there first: the statement changes the recorded amounts, and merchants are notified.",
    examples: {
      'pointsman unknown settle 01a1fe08-… --charge captured --amount 1999 --reference ch_1 --evidence "dashboard" --by Jo':
        "The charge was captured",
      'pointsman unknown settle 01a1fe08-… --charge never-received --evidence "support case 17" --by Jo':
        "The charge never reached the provider",
      'pointsman unknown settle 01a1fe08-… --refund rf_01a1… --refund-state failed --evidence "dashboard" --by Jo':
        "The refund failed",
      'pointsman unknown settle 01a1fe08-… --charge capture-failed --evidence "dashboard" --by Jo':
        "The provider took the capture back",
      'pointsman unknown settle 01a1fe08-… --reviewed --evidence "refunded by hand, ch_2" --by Jo':
        "A contradiction was reviewed"
    },
    settings: [...checkSettings, "webhookScheduleMillis"],
    check: stated,
    flags: {
      payment: paymentArgument,
      ...statementFlags,
      evidence: Flag.String("evidence").pipe(
        Flag.withMetavar("text"),
        Flag.withDescription(
          "What you found and where; it appears on the payment's timeline and in the webhook, so include no secrets"
        )
      ),
      by: Flag.String("by").pipe(
        Flag.withMetavar("name"),
        Flag.withDescription("Your name; it appears on the timeline too")
      ),
      ...proofFlags,
      operator: Flag.optional(operatorFlag)
    }
  },
  function* ({ by, evidence, fileSha256, operator, payment: id, providerCase, ...given }, { json, settings }) {
    const statement = yield* stated(given)
    const { payment: before } = yield* findPayment(id)
    const { currency, minorUnits } = before.money
    const intent =
      `Payment ${before.id} is ${statusOf[before.state]}, ${moneyText(minorUnits, currency)}. About to record for ` +
      `${printable(by)}: ${printable(sentenceOf(statement, currency))}.`
    yield* json ? Console.error(intent) : Console.log(intent)
    const proof = {
      fileHash: Option.getOrUndefined(fileSha256),
      providerReference: Option.getOrUndefined(providerCase)
    }
    const order = { tenant: before.tenant, paymentId: before.id, stated: statement, evidence, by, ...proof }
    const after = yield* settleAs(order, operator).pipe(
      actingAs(Option.some(by)),
      Effect.catchTags({
        "pointsman/CardNumberFound": (found) =>
          Effect.fail(cardNumberFailure(found, { evidence: "--evidence", provider_reference: "--case" })),
        "pointsman/PaymentNotFound": () => Effect.fail(notFound(id)),
        "pointsman/StatementRefused": ({ field, reason }) =>
          new CommandFailure({
            message: `Nothing was recorded: ${flagOf[field]}${printable(reason)}.`
          })
      })
    )
    const view = reviewView(after, yield* nowOf(settings))
    const proposed = openCorrection(after)
    if (proposed !== undefined) {
      return yield* print(
        json,
        { data: { ...view, proposed_correction: InProcess.correctionView(proposed) } },
        `Proposed: nothing of the payment changed. Another operator approves it, at the console or with pointsman ` +
          `corrections approve ${after.id}.`
      )
    }
    const waits = view.review === null ? "No review is open." : `Still under review: ${view.review.reasons.join(", ")}.`
    yield* print(
      json,
      { data: view },
      `The payment is now ${view.status}: ${moneyText(view.captured_amount, currency)} captured, ` +
        `${moneyText(view.refunded_amount, currency)} refunded. ${waits}`
    )
  }
)

export const unknownCommand = commandGroup(
  "unknown",
  {
    short: "Settle payments with an unknown result",
    long: "List and settle payments under review: unknown results and contradictions."
  },
  [list, show, settle]
)

/** Since when it waits, in epoch milliseconds, and the payment's id. */
const cursorPattern = /^(?<since>\d{1,15})_(?<id>[0-9a-f-]{36})$/u

const placeOf = ([, since = "", paymentId = ""]: RegExpExecArray) => ({ since: Number(since), paymentId })

const reviewOf = Effect.fnUntraced(function* (id: string) {
  return yield* (yield* Pointsman)
    .reviewOf(id)
    .pipe(Effect.catchTag("pointsman/ReviewNotFound", () => Effect.fail(notWaiting(id))))
})

const notWaiting = (id: string): CommandFailure =>
  new CommandFailure({
    message: `Payment "${printable(id)}" is not under review: it was settled or reviewed, or it does not exist.`
  })

/** Core names the fields of an order, the command line its flags. */
const flagOf = {
  stated: "",
  evidence: "--evidence: ",
  by: "--by: ",
  amountMinor: "--amount: ",
  fileHash: "--file-sha256: ",
  providerReference: "--case: "
} as const
