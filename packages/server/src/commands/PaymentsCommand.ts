/** `pointsman payments`: the outcomes of payments, and what operators do to them. */
import { Pointsman } from "@pointsman/core"
import { Clock, Console, Option } from "effect"
import { Flag } from "effect/cli"
import { argument, commandGroup } from "./CommandHelp.ts"
import { databaseCommand } from "./DatabaseCommand.ts"
import { checkSettings, nowOf } from "./OpenDatabase.ts"
import { captureCommand, refundCommand, voidCommand } from "./OperateCommands.ts"
import { limitFlag, print } from "./Output.ts"
import { fileText, fileView } from "./PaymentFileView.ts"
import { filterOf, paymentFilterFlags } from "./PaymentFilterFlags.ts"
import { paymentsText, paymentView } from "./PaymentView.ts"
import { findPayment, ownEnvironmentFlag, tenantOf, workspaceFlag } from "./Tenants.ts"

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u

const list = databaseCommand(
  {
    name: "list",
    short: "List payments, newest first",
    long: "List the payments of a workspace, newest first.",
    examples: {
      "pointsman payments list --workspace acme --environment production": "The newest 50",
      "pointsman payments list --workspace acme --environment production --status DECLINED --limit 100 --json":
        "Declined payments, as JSON",
      "pointsman payments list --workspace acme --environment production --reference order-1001":
        "The payments of an order"
    },
    flags: {
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
      )
    }
  },
  function* ({ before, environment, limit, workspace, ...given }, { json }) {
    const tenant = yield* tenantOf(workspace, environment)
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
  }
)

const show = databaseCommand(
  {
    name: "show",
    short: "Show the full record of one payment",
    long:
      "Show a payment of any workspace: its attempts, operations and refunds with their provider " +
      "references, and its timeline. For its routing decision, see `pointsman routing explain`.",
    examples: { "pointsman payments show 01a1fe08-9226-7266-a33a-e3e7f1609a4e": "One payment" },
    settings: checkSettings,
    flags: { payment: argument("payment", "The payment's id") }
  },
  function* ({ payment: id }, { json, settings }) {
    const file = fileView(yield* findPayment(id), yield* nowOf(settings))
    yield* print(json, { data: file }, fileText(file))
  }
)

export const paymentsCommand = commandGroup(
  "payments",
  {
    short: "List, show, capture, void and refund payments",
    long: "List and show payments, and capture, void or refund one at its provider."
  },
  [list, show, captureCommand, voidCommand, refundCommand]
)
