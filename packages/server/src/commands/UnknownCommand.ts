/** `pointsman unknown`: what waits for somebody to look into a provider's record, and what they found there. */
import { Directory, environments, Pointsman, statusOf, type Tenant } from "@pointsman/core"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { checkSettings, nowOf } from "./CheckTimes.ts"
import { CommandFailure } from "./CommandFailure.ts"
import { findingFlags, findingOf, sentenceOf } from "./FindingFlags.ts"
import { onDatabase } from "./OpenDatabase.ts"
import { jsonFlag, print } from "./Output.ts"
import { limitFlag } from "./Paging.ts"
import { fileText, fileView } from "./PaymentFileView.ts"
import { reviewsText, reviewView } from "./ReviewView.ts"
import { settingFlags, textsOf } from "./SettingFlags.ts"
import { printable } from "./Table.ts"
import { oneWorkspace, workspaceFlag } from "./Tenants.ts"

const paymentArgument = Argument.String("payment").pipe(Argument.withDescription("The payment's id"))

const list = Command.make(
  "list",
  {
    workspace: workspaceFlag,
    environment: Flag.Literals("environment", environments).pipe(
      Flag.withDescription("sandbox or production; without it all payments of all workspaces"),
      Flag.optional
    ),
    limit: limitFlag,
    after: Flag.String("after").pipe(
      Flag.withMetavar("cursor"),
      Flag.withDescription("The cursor that the page before gave: those that wait for less long follow"),
      Flag.filterMap(
        (cursor) => Option.map(Option.fromNullishOr(cursorPattern.exec(cursor)), placeOf),
        () => "the cursor of the page before"
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
        const tenant = yield* tenantOf(workspace, environment)
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
        if (payments.length === 0) yield* Console.error("No payment waits for operations.")
        if (next !== null) yield* Console.error(`There are more: --after ${next}`)
      })
    )
  })
).pipe(
  Command.withDescription(
    "List the payments that operations have to look at, those that wait longest first: results that nobody knows, and " +
      "what a provider said that contradicts what is recorded."
  ),
  Command.withShortDescription("List what waits for somebody, the oldest first"),
  Command.withExamples([
    { command: "pointsman unknown list", description: "Of all workspaces" },
    { command: "pointsman unknown list --workspace acme --environment production --json", description: "Of one" }
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
    "Show one payment that waits: its attempts, operations and refunds with the provider's references, and its timeline."
  ),
  Command.withShortDescription("Show all that is recorded of one"),
  Command.withExamples([
    { command: "pointsman unknown show 01a1fe08-9226-7266-a33a-e3e7f1609a4e", description: "One payment" }
  ])
)

const settle = Command.make(
  "settle",
  {
    payment: paymentArgument,
    ...findingFlags,
    evidence: Flag.String("evidence").pipe(
      Flag.withMetavar("text"),
      Flag.withDescription("What you saw, and where; it is on the payment's timeline and in the webhook, so no secrets")
    ),
    by: Flag.String("by").pipe(Flag.withMetavar("name"), Flag.withDescription("Who looked; on the timeline too")),
    json: jsonFlag,
    ...settingFlags([...checkSettings, "webhookScheduleMillis"])
  },
  Effect.fnUntraced(function* ({ by, evidence, json, payment: id, ...given }) {
    const finding = yield* Effect.mapError(
      Effect.fromResult(findingOf(given)),
      (message) => new CommandFailure({ message })
    )
    yield* onDatabase(
      textsOf(given),
      Effect.fnUntraced(function* (settings) {
        const { payment: before } = yield* reviewOf(id)
        const { currency } = before.money
        const intent =
          `Payment ${before.id} is ${statusOf[before.state]}, ${before.money.minorUnits} ${currency} in minor units. ` +
          `To be recorded by ${printable(by)}: ${printable(sentenceOf(finding, currency))}.`
        yield* json ? Console.error(intent) : Console.log(intent)
        const order = { tenant: before.tenant, paymentId: before.id, finding, evidence, by }
        const after = yield* (yield* Pointsman).settleReview(order).pipe(
          Effect.catchTags({
            "pointsman/PaymentNotFound": () => Effect.fail(notWaiting(id)),
            "pointsman/FindingRefused": ({ field, reason }) =>
              new CommandFailure({
                message: `Nothing was recorded: ${flagOf[field]}${printable(reason)}.`
              })
          })
        )
        const view = reviewView(after, yield* nowOf(settings))
        const waits =
          view.review === null ? "It waits for nobody any more." : `It still waits: ${view.review.reasons.join(", ")}.`
        yield* print(
          json,
          { data: view },
          `It is ${view.status} now: ${view.captured_amount} captured, ${view.refunded_amount} refunded. ${waits}`
        )
      })
    )
  })
).pipe(
  Command.withDescription(
    "Record what the provider's own record says of a payment that waits. Nothing is asked of the provider. Look there " +
      "first: what is recorded here moves money in the books, and merchants are told."
  ),
  Command.withShortDescription("Record what was found at the provider"),
  Command.withExamples([
    {
      command:
        'pointsman unknown settle 01a1fe08-… --charge captured --amount 1999 --reference ch_1 --evidence "dashboard" --by Jo',
      description: "The charge is there"
    },
    {
      command: 'pointsman unknown settle 01a1fe08-… --charge never-received --evidence "support case 17" --by Jo',
      description: "The charge never came there"
    },
    {
      command:
        'pointsman unknown settle 01a1fe08-… --refund rf_01a1… --refund-state failed --evidence "dashboard" --by Jo',
      description: "The refund did not succeed"
    },
    {
      command: 'pointsman unknown settle 01a1fe08-… --reviewed --evidence "refunded by hand, ch_2" --by Jo',
      description: "A contradiction was looked at"
    }
  ])
)

export const unknownCommand = Command.make("unknown").pipe(
  Command.withDescription("Payments that operations have to look at: results that nobody knows, and contradictions."),
  Command.withShortDescription("Settle what nobody knows"),
  Command.withSubcommands([list, show, settle])
)

/** Since when it waits, in epoch milliseconds, and the payment's id. */
const cursorPattern = /^(?<since>\d{1,15})_(?<id>[0-9a-f-]{36})$/u

const placeOf = ([, since = "", paymentId = ""]: RegExpExecArray) => ({ since: Number(since), paymentId })

const tenantOf = Effect.fnUntraced(function* (
  workspace: Option.Option<string>,
  environment: Option.Option<Tenant["environment"]>
) {
  if (Option.isNone(environment)) {
    if (Option.isNone(workspace)) return undefined
    return yield* new CommandFailure({ message: "--environment: expected sandbox or production with --workspace." })
  }
  const contents = yield* (yield* Directory).contents
  const workspaceId = yield* Effect.fromResult(oneWorkspace(contents, workspace))
  return { workspaceId, environment: environment.value }
})

const reviewOf = Effect.fnUntraced(function* (id: string) {
  return yield* (yield* Pointsman)
    .reviewOf(id)
    .pipe(Effect.catchTag("pointsman/ReviewNotFound", () => Effect.fail(notWaiting(id))))
})

const notWaiting = (id: string): CommandFailure =>
  new CommandFailure({
    message:
      `No payment "${printable(id)}" waits for operations: its result is known by now, somebody has looked, or there is ` +
      "no such payment."
  })

/** Core names the fields of an order, the command line its flags. */
const flagOf = { finding: "", evidence: "--evidence: ", by: "--by: ", amountMinor: "--amount: " } as const
