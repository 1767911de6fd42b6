/** `pointsman erase`: erases the personal data of the payments with a reference. */

import { type Environment, type ErasedPayment, environments, Pointsman } from "@pointsman/core"
import { Console, Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { CommandFailure, endWith } from "./CommandFailure.ts"
import { switchFlag } from "./CommandHelp.ts"
import { databaseCommand } from "./DatabaseCommand.ts"
import { print } from "./Output.ts"
import { paragraphs, type Text, table } from "./Table.ts"
import { anyEnvironmentFlag, workspaceFlag, workspaceOf } from "./Tenants.ts"
import { counted } from "./Words.ts"

export const eraseCommand = databaseCommand(
  {
    name: "erase",
    short: "Erase the personal data of payments",
    long:
      "Erase the personal data of the payments with a reference: the reference itself, also in events and in stored " +
      "answers, reasons of refunds, return URLs, and the bodies of provider messages. Amounts, states, ids and provider " +
      "references are kept. Events that were delivered are not recalled. Servers may run meanwhile. It may be interrupted " +
      "and run again. Exits with 1 if payments were left alone because their customer or a request is under way.",
    examples: {
      "pointsman erase --reference order-1001 --workspace acme --by Jo --dry-run": "What would be erased",
      "pointsman erase --reference order-1001 --workspace acme --by Jo": "Erase it"
    },
    flags: {
      reference: Flag.String("reference").pipe(
        Flag.withMetavar("text"),
        Flag.withDescription("The reference of the payments, exactly as it was given")
      ),
      workspace: workspaceFlag,
      environment: anyEnvironmentFlag,
      by: Flag.String("by").pipe(Flag.withMetavar("name"), Flag.withDescription("Your name, for the audit trail")),
      dryRun: switchFlag("dry-run", "Print what would be erased, and write nothing")
    }
  },
  function* ({ by, dryRun, environment, reference, workspace }, { json }) {
    const workspaceId = yield* workspaceOf(workspace)
    const order = { workspaceId, reference, by, isDryRun: dryRun }
    const view = yield* eraseIn(Option.isSome(environment) ? [environment.value] : environments, order)
    yield* print(json, { data: view }, erasureText(view))
    if (view.in_use.length === 0) return
    yield* Console.error(
      `Left alone, because the customer or a request is under way: ${view.in_use.join(", ")}. Run the command again ` +
        "in an hour."
    )
    yield* endWith(1)
  }
)

interface Order {
  readonly workspaceId: string
  readonly reference: string
  readonly by: string
  readonly isDryRun: boolean
}

const eraseIn = Effect.fnUntraced(function* (of: ReadonlyArray<Environment>, { workspaceId, ...order }: Order) {
  const pointsman = yield* Pointsman
  const parts = yield* Effect.forEach(of, (environment) =>
    pointsman.erasePayments({ ...order, tenant: { workspaceId, environment } }).pipe(
      Effect.map(({ erased, inUse }) => ({ erased: erased.map((one) => erasedView(environment, one)), inUse })),
      Effect.catchTag("pointsman/ErasureRefused", ({ field, reason }) =>
        Effect.fail(new CommandFailure({ message: `--${field}: ${reason}. Nothing was erased.` }))
      )
    )
  )
  return {
    workspace_id: workspaceId,
    dry_run: order.isDryRun,
    payments: parts.flatMap(({ erased }) => erased),
    in_use: parts.flatMap(({ inUse }) => inUse)
  }
})

/** How many texts of each kind were erased. */
const erasedView = (environment: Environment, one: ErasedPayment) => ({
  payment_id: one.paymentId,
  environment,
  refund_reasons: one.refundReasons,
  return_urls: one.returnUrls,
  events: one.events,
  provider_messages: one.messages,
  stored_answers: one.answers
})

const erasureText = ({ dry_run: isDryRun, payments }: Effect.Success<ReturnType<typeof eraseIn>>): string | Text => {
  if (payments.length === 0) return `${isDryRun ? "Would be erased" : "Erased"}: nothing.`
  return paragraphs(
    `${isDryRun ? "Would be erased" : "Erased"}: the texts of ${counted(payments.length, "payment")}.`,
    table(
      ["PAYMENT", "ENVIRONMENT", "EVENTS", "REFUND REASONS", "RETURN URLS", "MESSAGES", "ANSWERS"],
      payments.map((one) => [
        one.payment_id,
        one.environment,
        one.events,
        one.refund_reasons,
        one.return_urls,
        one.provider_messages,
        one.stored_answers
      ])
    )
  )
}
