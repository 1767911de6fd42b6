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
import { Argument, Command, Flag } from "effect/cli"
import { actingAs } from "./Actor.ts"
import { CommandFailure, cardNumberFailure } from "./CommandFailure.ts"
import { checkSettings, nowOf, onDatabase } from "./OpenDatabase.ts"
import { asOperator, operatorFlag } from "./OperatorSignIn.ts"
import { jsonFlag, limitFlag, print } from "./Output.ts"
import { fileText, fileView } from "./PaymentFileView.ts"
import { reviewsText, reviewView } from "./ReviewView.ts"
import { settingFlags, textsOf } from "./SettingFlags.ts"
import { sentenceOf, statementFlags, statementOf } from "./StatementFlags.ts"
import { findPayment, notFound, oneTenant, wholeEnvironmentFlag, workspaceFlag } from "./Tenants.ts"
import { moneyText, printable } from "./Words.ts"

const paymentArgument = Argument.String("payment").pipe(Argument.withDescription("The payment's id"))

const list = Command.make(
  "list",
  {
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
    ),
    json: jsonFlag,
    ...settingFlags(checkSettings)
  },
  Effect.fnUntraced(function* ({ after, environment, json, limit, workspace, ...texts }) {
    yield* onDatabase(
      textsOf(texts),
      Effect.fnUntraced(function* (settings) {
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
      })
    )
  })
).pipe(
  Command.withDescription(
    "List the payments under review, oldest first: unknown results, and provider statements that " +
      "contradict the record."
  ),
  Command.withShortDescription("List payments under review, oldest first"),
  Command.withExamples([
    { command: "pointsman unknown list", description: "All workspaces" },
    {
      command: "pointsman unknown list --workspace acme --environment production --json",
      description: "One workspace, as JSON"
    }
  ])
)

const show = Command.make(
  "show",
  { payment: paymentArgument, json: jsonFlag, ...settingFlags(checkSettings) },
  Effect.fnUntraced(function* ({ json, payment: id, ...texts }) {
    yield* onDatabase(
      textsOf(texts),
      Effect.fnUntraced(function* (settings) {
        const file = fileView(yield* reviewOf(id), yield* nowOf(settings))
        yield* print(json, { data: file }, fileText(file))
      })
    )
  })
).pipe(
  Command.withDescription(
    "Show one payment under review: its attempts, operations and refunds with their provider references, " +
      "and its timeline."
  ),
  Command.withShortDescription("Show the full record of one payment"),
  Command.withExamples([
    { command: "pointsman unknown show 01a1fe08-9226-7266-a33a-e3e7f1609a4e", description: "One payment" }
  ])
)

const proofFlags = {
  fileSha256: Flag.String("file-sha256").pipe(
    Flag.withMetavar("hash"),
    Flag.withDescription("SHA-256 of a file that shows it; the file is kept elsewhere"),
    Flag.optional
  ),
  providerCase: Flag.String("case").pipe(
    Flag.withMetavar("text"),
    Flag.withDescription("The provider's support case or other reference"),
    Flag.optional
  )
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

const settle = Command.make(
  "settle",
  {
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
    operator: Flag.optional(operatorFlag),
    json: jsonFlag,
    ...settingFlags([...checkSettings, "webhookScheduleMillis"])
  },
  Effect.fnUntraced(function* ({ by, evidence, fileSha256, json, operator, payment: id, providerCase, ...given }) {
    const stated = yield* Effect.mapError(
      Effect.fromResult(statementOf(given)),
      (message) => new CommandFailure({ message })
    )
    yield* onDatabase(
      textsOf(given),
      Effect.fnUntraced(function* (settings) {
        const { payment: before } = yield* findPayment(id)
        const { currency, minorUnits } = before.money
        const intent =
          `Payment ${before.id} is ${statusOf[before.state]}, ${moneyText(minorUnits, currency)}. About to record for ` +
          `${printable(by)}: ${printable(sentenceOf(stated, currency))}.`
        yield* json ? Console.error(intent) : Console.log(intent)
        const proof = {
          fileHash: Option.getOrUndefined(fileSha256),
          providerReference: Option.getOrUndefined(providerCase)
        }
        const order = { tenant: before.tenant, paymentId: before.id, stated, evidence, by, ...proof }
        const after = yield* settleAs(order, operator).pipe(
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
        const waits =
          view.review === null ? "No review is open." : `Still under review: ${view.review.reasons.join(", ")}.`
        yield* print(
          json,
          { data: view },
          `The payment is now ${view.status}: ${moneyText(view.captured_amount, currency)} captured, ` +
            `${moneyText(view.refunded_amount, currency)} refunded. ${waits}`
        )
      })
    ).pipe(actingAs(Option.some(by)))
  })
).pipe(
  Command.withDescription(
    "Record what the provider's own records say about a payment, whether or not it is under review. Nothing is " +
      "sent to the provider. Check there first: the statement changes the recorded amounts, and merchants are notified."
  ),
  Command.withShortDescription("Record what the provider's record says"),
  Command.withExamples([
    {
      command:
        'pointsman unknown settle 01a1fe08-… --charge captured --amount 1999 --reference ch_1 --evidence "dashboard" --by Jo',
      description: "The charge was captured"
    },
    {
      command: 'pointsman unknown settle 01a1fe08-… --charge never-received --evidence "support case 17" --by Jo',
      description: "The charge never reached the provider"
    },
    {
      command:
        'pointsman unknown settle 01a1fe08-… --refund rf_01a1… --refund-state failed --evidence "dashboard" --by Jo',
      description: "The refund failed"
    },
    {
      command: 'pointsman unknown settle 01a1fe08-… --charge capture-failed --evidence "dashboard" --by Jo',
      description: "The provider took the capture back"
    },
    {
      command: 'pointsman unknown settle 01a1fe08-… --reviewed --evidence "refunded by hand, ch_2" --by Jo',
      description: "A contradiction was reviewed"
    }
  ])
)

export const unknownCommand = Command.make("unknown").pipe(
  Command.withDescription("List and settle payments under review: unknown results and contradictions."),
  Command.withShortDescription("Settle payments with an unknown result"),
  Command.withSubcommands([list, show, settle])
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
