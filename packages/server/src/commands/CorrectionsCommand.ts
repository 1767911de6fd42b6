/** `pointsman corrections`: statements and refunds of operators that a second person approves or rejects. */
import {
  type Correction,
  type DecidedCorrection,
  openCorrection,
  type Payment,
  type Person,
  Pointsman
} from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Console, Effect } from "effect"
import { type Command, Flag } from "effect/cli"
import { CommandFailure, cardNumberFailure } from "./CommandFailure.ts"
import { argument, commandGroup } from "./CommandHelp.ts"
import { databaseCommand } from "./DatabaseCommand.ts"
import { checkSettings } from "./OpenDatabase.ts"
import { asOperator, operatorFlag } from "./OperatorSignIn.ts"
import { print } from "./Output.ts"
import { paymentView } from "./PaymentView.ts"
import { sentenceOf } from "./StatementFlags.ts"
import { facts, shortened, status, type Text, table } from "./Table.ts"
import { findPayment, notFound, oneTenant, wholeEnvironmentFlag, workspaceFlag } from "./Tenants.ts"
import { moneyText, printable } from "./Words.ts"

const paymentArgument = argument("payment", "The payment's id")

const correctionDocument = (payment: Payment, correction: Correction) => ({
  ...InProcess.correctionView(correction),
  payment: paymentView(payment)
})

const list = databaseCommand(
  {
    name: "list",
    short: "List proposed corrections",
    long: "List the corrections that wait for a second person, those that wait longest first.",
    examples: { "pointsman corrections list": "All workspaces" },
    settings: checkSettings,
    flags: { workspace: workspaceFlag, environment: wholeEnvironmentFlag("payments") }
  },
  function* ({ environment, workspace }, { json }) {
    const tenant = yield* oneTenant(workspace, environment)
    const found = (yield* (yield* Pointsman).proposals(tenant)).flatMap((payment) => {
      const correction = openCorrection(payment)
      return correction === undefined ? [] : [{ payment, correction }]
    })
    const data = found.map(({ correction, payment }) => correctionDocument(payment, correction))
    yield* print(json, { data }, found.length === 0 ? "" : listText(found))
    if (!json && found.length === 0) yield* Console.error("No corrections wait for a second person.")
  }
)

const listText = (found: ReadonlyArray<{ readonly payment: Payment; readonly correction: Correction }>): Text =>
  table(
    ["PAYMENT", "AMOUNT", "PROPOSED BY", "PROPOSED", shortened("STATEMENT"), "WORKSPACE"],
    found.map(({ correction, payment }) => {
      const { id, money, tenant } = payment
      const { proposed, proposed_by } = InProcess.correctionView(correction)
      return [
        id,
        moneyText(money.minorUnits, money.currency),
        proposed_by,
        proposed,
        proposalText(correction, money.currency),
        `${tenant.workspaceId} (${tenant.environment})`
      ]
    })
  )

const proposalText = ({ stated, target }: Correction, currency: string): string =>
  stated._tag === "NewRefund"
    ? `refund ${moneyText(target.amountMinor ?? 0, currency)}${stated.reason === null ? "" : `: ${stated.reason}`}`
    : sentenceOf(stated, currency)

const show = databaseCommand(
  {
    name: "show",
    short: "Show the corrections of a payment",
    long: "Show the corrections of one payment: the one that waits, and those that were decided.",
    examples: { "pointsman corrections show 01a1fe08-…": "One payment" },
    settings: checkSettings,
    flags: { payment: paymentArgument }
  },
  function* ({ payment: id }, { json }) {
    const { payment } = yield* findPayment(id)
    const corrections = payment.corrections ?? []
    const data = corrections.map((one) => correctionDocument(payment, one))
    yield* print(json, { data }, (screen) => corrections.map((one) => factsOf(payment, one)(screen)).join("\n\n"))
    if (!json && corrections.length === 0) yield* Console.error("The payment has no corrections.")
  }
)

const factsOf = (payment: Payment, correction: Correction): Text => {
  const view = InProcess.correctionView(correction)
  return facts([
    ["Correction", view.id],
    ["State", status(view.state)],
    ["Statement", proposalText(correction, payment.money.currency)],
    ["Evidence", view.evidence || null],
    ["File", view.file_sha256],
    ["Case", view.evidence_reference],
    ["Proposed", `${view.proposed} by ${view.proposed_by}`],
    ["Decided", view.decided === null ? null : `${view.decided} by ${view.decided_by}`],
    ["Reason", view.reason]
  ])
}

type DecisionName = "approve" | "reject" | "withdraw"

/** `reason`: of a rejection; `undefined` for the other decisions, which have none. */
const decide = Effect.fnUntraced(function* (
  name: DecisionName,
  id: string,
  { login, json, reason }: { readonly login: string; readonly json: boolean; readonly reason: string }
) {
  const { payment } = yield* findPayment(id)
  const correctionId = (openCorrection(payment) ?? payment.corrections?.at(-1))?.id
  if (correctionId === undefined) return yield* new CommandFailure({ message: "The payment has no correction." })
  const pointsman = yield* Pointsman
  const { correction, payment: after }: DecidedCorrection = yield* asOperator(login, (operator) => {
    const by: Person = { of: "operators", id: operator.id, name: operator.displayName }
    const order = { tenant: payment.tenant, paymentId: payment.id, correctionId, by }
    switch (name) {
      case "approve":
        return pointsman.approveCorrection(order)
      case "reject":
        return pointsman.rejectCorrection({ ...order, reason })
      case "withdraw":
        return pointsman.withdrawCorrection(order)
    }
  }).pipe(
    Effect.catchTags({
      "pointsman/CardNumberFound": (found) => Effect.fail(cardNumberFailure(found, { reason: "--reason" })),
      "pointsman/PaymentNotFound": () => Effect.fail(notFound(id)),
      "pointsman/CorrectionNotFound": () => new CommandFailure({ message: "The payment has no such correction." }),
      "pointsman/CorrectionRefused": ({ field, reason }) =>
        new CommandFailure({
          message: `Nothing was changed: ${field === "reason" ? "--reason: " : ""}${printable(reason)}.`
        })
    })
  )
  const document = correctionDocument(after, correction)
  const because = document.reason === null ? "" : `: ${printable(document.reason)}`
  yield* print(
    json,
    { data: document },
    `The correction is ${correction.state}${because}. The payment is ${document.payment.status}.`
  )
})

interface Decision {
  readonly name: DecisionName
  readonly short: string
  readonly long: string
  readonly example: string
}

const decision = <Own extends Command.Command.Config>(
  { example, name, ...help }: Decision,
  flags: Own,
  reasonOf: (own: Command.Command.Config.InferValue<Own>) => string
) =>
  databaseCommand(
    {
      ...{ ...help, name, examples: { [`pointsman corrections ${name} ${example}`]: help.short } },
      settings: [...checkSettings, "webhookScheduleMillis"],
      flags: { payment: paymentArgument, operator: operatorFlag, of: flags }
    },
    function* ({ of, operator, payment }, { json }) {
      yield* decide(name, payment, { login: operator, json, reason: reasonOf(of) })
    }
  )

const noReason = () => ""

const approve = decision(
  {
    name: "approve",
    short: "Approve a correction",
    long: "Approve what another operator proposed: it is re-checked against the current payment, then recorded. A refund is sent.",
    example: "01a1fe08-… --operator ann@acme.example"
  },
  {},
  noReason
)

const reject = decision(
  {
    name: "reject",
    short: "Reject a correction",
    long: "Reject what another operator proposed; nothing else of the payment changes.",
    example: '01a1fe08-… --operator ann@acme.example --reason "another amount at the provider"'
  },
  { reason: Flag.String("reason").pipe(Flag.withMetavar("text"), Flag.withDescription("Why, for people")) },
  ({ reason }) => reason
)

const withdraw = decision(
  {
    name: "withdraw",
    short: "Withdraw your own correction",
    long: "Withdraw your own proposal.",
    example: "01a1fe08-… --operator jo@acme.example"
  },
  {},
  noReason
)

export const correctionsCommand = commandGroup(
  "corrections",
  {
    short: "Approve or reject corrections",
    long: "List and decide corrections: statements and refunds of operators that need a second person."
  },
  [list, show, approve, reject, withdraw]
)
