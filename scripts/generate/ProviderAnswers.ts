/** The page of what each provider's answers become: by giving each of them to its connector. */
import type { ProviderAnswer, ProviderAnswers } from "@pointsman/contracts/connector"
import { type Connector, type Money, money, NotSent, type Unanswered } from "@pointsman/core/connector"
import { Effect, Redacted, Result } from "effect"
import { providerAnswers as adyen } from "../../packages/connectors/adyen/test/ProviderAnswers.ts"
import { providerAnswers as mollie } from "../../packages/connectors/mollie/test/ProviderAnswers.ts"
import { providerAnswers as stripe } from "../../packages/connectors/stripe/test/ProviderAnswers.ts"
import { table } from "./Markdown.ts"

/** A connector of this repository is one more entry here. */
const providers: ReadonlyArray<ProviderAnswers> = [stripe, adyen, mollie]

const asked = money(1234, "EUR")

export const providerAnswersPage = (notice: string): string =>
  [
    notice,
    "# What providers' answers become",
    "Each row is an answer in the provider's own form, given to the connector: the last column shows what the connector returns. " +
      "Amounts were requested as 12.34 EUR. What the result means for a payment is in " +
      "[what a statement means](evidence.md) and [what follows an attempt](next-steps.md).",
    "`Rejected` and a soft decline guarantee that no money moved, so that another connection may be tried. `unknown` leaves the " +
      'payment `UNKNOWN` until a lookup, a message or an operator settles it; after `unknown, key used`, "never received" does ' +
      "not settle it either.",
    ...providers.flatMap(sectionOf)
  ].join("\n\n")

const sectionOf = (provider: ProviderAnswers): ReadonlyArray<string> => [
  `## ${provider.title}`,
  table(
    ["Operation", "The provider says", "Becomes", "Described"],
    provider.rows.map((row) => [names[row.operation], row.says, becomes(provider, row), `[page](${row.page})`])
  )
]

const names: Readonly<Record<ProviderAnswer["operation"], string>> = {
  charge: "charge",
  openCheckout: "hosted checkout",
  capture: "capture",
  void: "void",
  refund: "refund",
  lookUpCharge: "lookup of a charge",
  lookUpOperation: "lookup of a capture",
  lookUpRefund: "lookup of a refund",
  hints: "lookup after a hint"
}

const becomes = (provider: ProviderAnswers, { answer, operation }: ProviderAnswer): string => {
  const account = { connectionId: "main", environment: "sandbox", timeoutMillis: 1_000 } as const
  const transport = { send: () => Effect.succeed(answer) }
  const connector = Result.getOrThrow(
    provider.definition.connect({ ...account, credentials: provider.credentials }, transport)
  )
  return Effect.runSync(
    Effect.match(call(connector, operation, provider), { onSuccess: wordsOf, onFailure: wordsOfFailure })
  )
}

const call = (
  connector: Connector,
  operation: ProviderAnswer["operation"],
  { instrument, providerRef, title }: ProviderAnswers
): Effect.Effect<unknown, NotSent | Unanswered> => {
  const missing = Effect.die(new Error(`${title} has no ${operation}`))
  const ids = { attemptId: "att_1", operationId: "op_1", refundId: "rf_1", providerRef, money: asked, simulation: null }
  const details = {
    ...{
      attemptId: "att_1",
      attemptNumber: 1,
      paymentId: "payment_1",
      money: asked,
      country: "NL",
      method: "card" as const
    },
    ...{ cardBrand: null, initiator: "mit" as const, capture: true, reference: null }
  }
  switch (operation) {
    case "charge":
      return connector.charge({ ...details, instrument: Redacted.make(instrument), simulation: null })
    case "openCheckout":
      return connector.openCheckout?.({ ...details, returnUrl: "https://shop.example/return" }) ?? missing
    case "capture":
      return connector.capture?.(ids) ?? missing
    case "void":
      return connector.void?.(ids) ?? missing
    case "refund":
      return connector.refund?.({ ...ids, reason: null }) ?? missing
    case "lookUpCharge":
      return connector.lookUpCharge({ ...ids, providerRef: null, checkoutReference: null, sentAt: 0 })
    case "lookUpOperation":
      return connector.lookUpOperation?.({ ...ids, kind: "capture", sentAt: 0 }) ?? missing
    case "lookUpRefund":
      return connector.lookUpRefund?.({ ...ids, providerRefundId: null, sentAt: 0 }) ?? missing
    case "hints":
      return Effect.map(connector.hints?.lookUp(providerRef) ?? missing, (messages) =>
        messages.map(({ message: { about } }) =>
          "state" in about && about.state !== null ? about.state(asked) : { _tag: about._tag }
        )
      )
  }
}

interface Fields {
  readonly _tag?: string
  readonly state?: unknown
  readonly conclusive?: boolean
  readonly stated?: Money
  readonly category?: string
  readonly soft?: boolean
  readonly isFinal?: boolean
}

const wordsOf = (answer: unknown): string => {
  if (Array.isArray(answer)) return answer.length === 0 ? "nothing" : answer.map(wordsOf).join(", ")
  const { _tag = "", category, conclusive, isFinal, soft, state, stated } = answer as Fields
  switch (_tag) {
    case "Found":
      return wordsOf(state)
    case "NotFound":
      return conclusive === true ? "never received" : "not found, which settles nothing"
    case "Declined":
      return `\`Declined\`, \`${category}\`, ${soft === true ? "soft" : "hard"}`
    case "OperationFailed":
      return `\`OperationFailed\`${isFinal === true ? ", final" : ""}`
    default:
      return `\`${_tag}\`${stated === undefined ? "" : `, ${(stated.minorUnits / 100).toFixed(2)} ${stated.currency}`}`
  }
}

const wordsOfFailure = (failure: NotSent | Unanswered): string => {
  if (failure instanceof NotSent) return "`NotSent`"
  if (failure.isKeyUsed === true) return "unknown, key used"
  return failure.ofAnother === undefined ? "unknown" : "unknown; settles the other attempt"
}
