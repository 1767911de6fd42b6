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
import { Argument, Command, Flag } from "effect/cli"
import { CommandFailure, cardNumberFailure } from "./CommandFailure.ts"
import { checkSettings, onDatabase } from "./OpenDatabase.ts"
import { asOperator, operatorFlag } from "./OperatorSignIn.ts"
import { jsonFlag, print } from "./Output.ts"
import { paymentView } from "./PaymentView.ts"
import { settingFlags, textsOf } from "./SettingFlags.ts"
import { sentenceOf } from "./StatementFlags.ts"
import { facts, shortened, status, type Text, table } from "./Table.ts"
import { findPayment, notFound, oneTenant, wholeEnvironmentFlag, workspaceFlag } from "./Tenants.ts"
import { moneyText, printable } from "./Words.ts"

const paymentArgument = Argument.String("payment").pipe(Argument.withDescription("The payment's id"))

const correctionDocument = (payment: Payment, correction: Correction) => ({
  ...InProcess.correctionView(correction),
  payment: paymentView(payment)
})

const list = Command.make(
  "list",
  {
    workspace: workspaceFlag,
    environment: wholeEnvironmentFlag("payments"),
    json: jsonFlag,
    ...settingFlags(checkSettings)
  },
  Effect.fnUntraced(function* ({ environment, json, workspace, ...texts }) {
    yield* onDatabase(
      textsOf(texts),
      Effect.fnUntraced(function* () {
        const tenant = yield* oneTenant(workspace, environment)
        const found = (yield* (yield* Pointsman).proposals(tenant)).flatMap((payment) => {
          const correction = openCorrection(payment)
          return correction === undefined ? [] : [{ payment, correction }]
        })
        const data = found.map(({ correction, payment }) => correctionDocument(payment, correction))
        yield* print(json, { data }, found.length === 0 ? "" : listText(found))
        if (!json && found.length === 0) yield* Console.error("No corrections wait for a second person.")
      })
    )
  })
).pipe(
  Command.withDescription("List the corrections that wait for a second person, those that wait longest first."),
  Command.withShortDescription("List proposed corrections"),
  Command.withExamples([{ command: "pointsman corrections list", description: "All workspaces" }])
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

const show = Command.make(
  "show",
  { payment: paymentArgument, json: jsonFlag, ...settingFlags(checkSettings) },
  Effect.fnUntraced(function* ({ json, payment: id, ...texts }) {
    yield* onDatabase(
      textsOf(texts),
      Effect.fnUntraced(function* () {
        const { payment } = yield* findPayment(id)
        const corrections = payment.corrections ?? []
        const data = corrections.map((one) => correctionDocument(payment, one))
        yield* print(json, { data }, (screen) => corrections.map((one) => factsOf(payment, one)(screen)).join("\n\n"))
        if (!json && corrections.length === 0) yield* Console.error("The payment has no corrections.")
      })
    )
  })
).pipe(
  Command.withDescription("Show the corrections of one payment: the one that waits, and those that were decided."),
  Command.withShortDescription("Show the corrections of a payment"),
  Command.withExamples([{ command: "pointsman corrections show 01a1fe08-…", description: "One payment" }])
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

interface Decision {
  readonly name: "approve" | "reject" | "withdraw"
  readonly short: string
  readonly does: string
  readonly example: string
}

/** `reason`: of a rejection; `undefined` for the other decisions, which have none. */
const decide = Effect.fnUntraced(function* (
  { name }: Decision,
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

const common = { payment: paymentArgument, operator: operatorFlag, json: jsonFlag }

const described = ({ does, example, name, short }: Decision) =>
  [
    Command.withDescription(does),
    Command.withExamples([{ command: `pointsman corrections ${name} ${example}`, description: short }])
  ] as const

const approval: Decision = {
  name: "approve",
  short: "Approve a correction",
  does: "Approve what another operator proposed: it is re-checked against the current payment, then recorded. A refund is sent.",
  example: "01a1fe08-… --operator ann@acme.example"
}
const withdrawal: Decision = {
  name: "withdraw",
  short: "Withdraw your own correction",
  does: "Withdraw your own proposal.",
  example: "01a1fe08-… --operator jo@acme.example"
}
const rejection: Decision = {
  name: "reject",
  short: "Reject a correction",
  does: "Reject what another operator proposed; nothing else of the payment changes.",
  example: '01a1fe08-… --operator ann@acme.example --reason "another amount at the provider"'
}

const settings = settingFlags([...checkSettings, "webhookScheduleMillis"])

const withoutReason = (decision: Decision) => {
  const [description, examples] = described(decision)
  return Command.make(
    decision.name,
    { ...common, ...settings },
    Effect.fnUntraced(function* ({ json, operator, payment, ...texts }) {
      yield* onDatabase(textsOf(texts), () => decide(decision, payment, { login: operator, json, reason: "" }))
    })
  ).pipe(description, examples, Command.withShortDescription(decision.short))
}

const [rejectDescription, rejectExamples] = described(rejection)
const reject = Command.make(
  rejection.name,
  {
    ...common,
    reason: Flag.String("reason").pipe(Flag.withMetavar("text"), Flag.withDescription("Why, for people")),
    ...settings
  },
  Effect.fnUntraced(function* ({ json, operator, payment, reason, ...texts }) {
    yield* onDatabase(textsOf(texts), () => decide(rejection, payment, { login: operator, json, reason }))
  })
).pipe(rejectDescription, rejectExamples, Command.withShortDescription(rejection.short))

export const correctionsCommand = Command.make("corrections").pipe(
  Command.withDescription(
    "List and decide corrections: statements and refunds of operators that need a second person."
  ),
  Command.withShortDescription("Approve or reject corrections"),
  Command.withSubcommands([list, show, withoutReason(approval), reject, withoutReason(withdrawal)])
)
