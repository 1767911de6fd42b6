/** `pointsman payments`: the outcomes of payments, and what operators do to them. */
import { Pointsman } from "@pointsman/core"
import { Directory } from "@pointsman/core/ports"
import { Clock, Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { checkSettings, databaseSettings, nowOf, onDatabase } from "./OpenDatabase.ts"
import { captureCommand, refundCommand, voidCommand } from "./OperateCommands.ts"
import { jsonFlag, limitFlag, print } from "./Output.ts"
import { fileText, fileView } from "./PaymentFileView.ts"
import { filterOf, paymentFilterFlags } from "./PaymentFilterFlags.ts"
import { paymentsText, paymentView } from "./PaymentView.ts"
import { settingFlags, textsOf } from "./SettingFlags.ts"
import { findPayment, namedTenant, ownEnvironmentFlag, workspaceFlag } from "./Tenants.ts"

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u

const list = Command.make(
  "list",
  {
    workspace: workspaceFlag,
    environment: ownEnvironmentFlag,
    ...paymentFilterFlags,
    limit: limitFlag,
    before: Flag.String("before").pipe(
      Flag.withMetavar("payment"),
      Flag.withDescription("Last id of the previous page: older rows follow"),
      Flag.filter(
        (id) => uuid.test(id),
        () => "a payment's id"
      ),
      Flag.optional
    ),
    json: jsonFlag,
    ...settingFlags(databaseSettings)
  },
  Effect.fnUntraced(function* ({ before, environment, json, limit, workspace, ...given }) {
    yield* onDatabase(
      textsOf(given),
      Effect.fnUntraced(function* () {
        const contents = yield* (yield* Directory).contents
        const tenant = yield* Effect.fromResult(namedTenant(contents, workspace, environment))
        const page = yield* (yield* Pointsman).payments(tenant, {
          ...filterOf(given, yield* Clock.currentTimeMillis),
          before: Option.getOrUndefined(before),
          limit
        })
        const payments = page.items.map(paymentView)
        const next = page.hasMore ? (page.walkedTo ?? payments.at(-1)?.payment_id ?? null) : null
        yield* print(
          json,
          {
            ...{ data: payments, has_more: page.hasMore, next_cursor: next },
            ...(page.walkedTo === undefined ? {} : { search_incomplete: true })
          },
          payments.length === 0 ? "" : paymentsText(payments)
        )
        if (json) return
        if (payments.length === 0) {
          yield* Console.error(page.walkedTo === undefined ? "No payments found." : "No payments found so far.")
        }
        if (next !== null) yield* Console.error(`Next page: --before ${next}`)
      })
    )
  })
).pipe(
  Command.withDescription("List the payments of a workspace, newest first."),
  Command.withShortDescription("List payments, newest first"),
  Command.withExamples([
    { command: "pointsman payments list --workspace acme --environment production", description: "The newest 50" },
    {
      command: "pointsman payments list --workspace acme --environment production --status DECLINED --limit 100 --json",
      description: "Declined payments, as JSON"
    },
    {
      command: "pointsman payments list --workspace acme --environment production --reference order-1001",
      description: "The payments of an order"
    }
  ])
)

const show = Command.make(
  "show",
  {
    payment: Argument.String("payment").pipe(Argument.withDescription("The payment's id")),
    json: jsonFlag,
    ...settingFlags(checkSettings)
  },
  Effect.fnUntraced(function* ({ json, payment: id, ...texts }) {
    yield* onDatabase(
      textsOf(texts),
      Effect.fnUntraced(function* (settings) {
        const file = fileView(yield* findPayment(id), yield* nowOf(settings))
        yield* print(json, { data: file }, fileText(file))
      })
    )
  })
).pipe(
  Command.withDescription(
    "Show a payment of any workspace: its attempts, operations and refunds with their provider " +
      "references, and its timeline. For its routing decision, see `pointsman routing explain`."
  ),
  Command.withShortDescription("Show the full record of one payment"),
  Command.withExamples([
    { command: "pointsman payments show 01a1fe08-9226-7266-a33a-e3e7f1609a4e", description: "One payment" }
  ])
)

export const paymentsCommand = Command.make("payments").pipe(
  Command.withDescription("List and show payments, and capture, void or refund one at its provider."),
  Command.withShortDescription("List, show, capture, void and refund payments"),
  Command.withSubcommands([list, show, captureCommand, voidCommand, refundCommand])
)
