/**
 * The page of what a provider may answer, and what each answer becomes: by giving it to the connector. The rows are beside
 * the tests of each connector.
 */
import {
  type Connector,
  type HintedMessage,
  money,
  type NotSent,
  type Rejected,
  type TransportAnswer,
  type Unanswered
} from "@pointsman/core/connector"
import { Effect, Result } from "effect"
import { providerAnswers as adyen } from "../../packages/connectors/adyen/test/ProviderAnswers.ts"
import { providerAnswers as checkout } from "../../packages/connectors/checkout/test/ProviderAnswers.ts"
import { providerAnswers as mollie } from "../../packages/connectors/mollie/test/ProviderAnswers.ts"
import { providerAnswers as paypal } from "../../packages/connectors/paypal/test/ProviderAnswers.ts"
import { providerAnswers as stripe } from "../../packages/connectors/stripe/test/ProviderAnswers.ts"
import { code, table } from "./Markdown.ts"

export const providerAnswersPath = "docs/reference/provider-answers.md"

type Operation = keyof typeof operationNames

/** The operation, what the provider says, its answers, the page that says so, and the request where it is another one. */
type Row = readonly [Operation, string, ReadonlyArray<TransportAnswer>, string, unknown?]

interface Answering {
  readonly title: string
  readonly readme: string
  readonly rows: ReadonlyArray<Row>
  readonly requests: Readonly<Partial<Record<Operation, unknown>>>
  readonly connect: (...script: ReadonlyArray<TransportAnswer>) => Connector
}

const readme = (name: string) => `../../packages/connectors/${name}/README.md`

/** A connector is one more entry here. */
const connectors: ReadonlyArray<Answering> = [
  { title: "Stripe", readme: readme("stripe"), ...stripe },
  { title: "Adyen", readme: readme("adyen"), ...adyen },
  { title: "Checkout.com", readme: readme("checkout"), ...checkout },
  { title: "Mollie", readme: readme("mollie"), ...mollie },
  { title: "PayPal", readme: readme("paypal"), ...paypal }
]

const operationNames = {
  charge: "charge",
  openCheckout: "hosted checkout",
  completeCheckout: "completion of a hosted checkout",
  capture: "capture",
  void: "void",
  refund: "refund",
  lookUpCharge: "lookup of a charge",
  lookUpOperation: "lookup of an operation",
  lookUpRefund: "lookup of a refund",
  hints: "lookup after a hint"
} as const

type Answered = { readonly _tag: string } & Readonly<Record<string, unknown>>

const moneyOf = (capture: unknown): unknown => (capture as { readonly money?: unknown } | undefined)?.money

const amountOf = (stated: unknown): string => {
  const { currency, minorUnits } = (stated ?? {}) as { readonly currency?: string; readonly minorUnits?: number }
  return minorUnits === undefined ? "" : ` ${minorUnits} ${currency}`
}

/** What it becomes, in the words of the port. */
const words = (answered: Answered): string => {
  const { _tag } = answered
  switch (_tag) {
    case "Found":
      return words(answered["state"] as Answered)
    case "NotFound":
      return answered["conclusive"] === true ? "never received" : "not found, which settles nothing"
    case "Declined":
      return `${code(_tag)} ${answered["category"]}, ${answered["soft"] === true ? "soft" : "hard"}`
    case "Rejected":
      return `${code(_tag)} ${code((answered as unknown as Rejected).code)}`
    case "OperationFailed":
      return `${code(_tag)}, ${answered["isFinal"] === true ? "final" : "for now"}`
    default:
      return `${code(_tag)}${amountOf(answered["stated"] ?? moneyOf(answered["capture"]))}`
  }
}

const failureWords = (failure: NotSent | Unanswered): string => {
  if (failure._tag === "pointsman/NotSent") return "not sent"
  if (failure.ofAnother !== undefined) return `unknown; settles ${code(failure.ofAnother.attemptId)}`
  return failure.isKeyUsed === true ? "unknown, and the key was used before" : "unknown"
}

type Method = (request: unknown) => Effect.Effect<Answered, NotSent | Unanswered>

const methodOf = (connector: Connector, operation: Operation): Method | undefined => {
  if (operation !== "hints") return connector[operation] as Method | undefined
  const { hints } = connector
  return hints && ((id) => Effect.map(hints.lookUp(id as string), hinted))
}

/** What a lookup after a hint states. */
const hinted = (messages: ReadonlyArray<HintedMessage>): Answered => {
  const [{ about } = { about: undefined }] = messages.map(({ message }) => message)
  if (about === undefined) return { _tag: "nothing" }
  return "state" in about && about.state !== null ? { ...about.state(money(1234, "EUR")) } : { _tag: about._tag }
}

/** One connector's rows, in its own order. */
const rowsOf = async ({ connect, requests, rows }: Answering): Promise<ReadonlyArray<ReadonlyArray<string>>> =>
  Promise.all(
    rows.map(async ([operation, says, script, page, request]) => {
      const method = methodOf(connect(...script), operation)
      if (method === undefined) throw new Error(`the connector has no ${operation}`)
      const end = await Effect.runPromise(Effect.result(method(request ?? requests[operation])))
      const becomes = Result.isSuccess(end) ? words(end.success) : failureWords(end.failure)
      return [operationNames[operation], says, becomes, `[page](${page.replaceAll("(", "%28").replaceAll(")", "%29")})`]
    })
  )

export const providerAnswersPage = async (): Promise<string> => {
  const parts = await Promise.all(
    connectors.map(async (connector) => [
      `## ${connector.title}`,
      `[The connector](${connector.readme}).`,
      table(["Operation", `${connector.title} answers`, "It becomes", "Source"], await rowsOf(connector))
    ])
  )
  return `${[
    "<!-- Generated from packages/connectors/*/test/ProviderAnswers.ts by `npm run generate`. Change the rows, not this page. -->",
    "# What a provider's answer becomes",
    "Each row gives one answer of the provider to its connector, and shows what comes out. Amounts are in minor units. " +
      '"Unknown" means that the provider may have executed the request: no other connection is tried. ' +
      "What the result does to a payment is in [what a provider's statement means](evidence.md).",
    ...parts.flat()
  ].join("\n\n")}\n`
}
