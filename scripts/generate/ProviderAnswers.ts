/**
 * The snapshot of each connector: what its provider may answer, and what each answer becomes, by giving it to the
 * connector. The rows are beside its tests, and so is the snapshot.
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
import { lines } from "./Snapshot.ts"

type Operation = keyof typeof operationNames

/** The operation, what the provider says, its answers, the page that says so, and the request where it is another one. */
type Row = readonly [Operation, string, ReadonlyArray<TransportAnswer>, string, unknown?]

interface Answering {
  readonly rows: ReadonlyArray<Row>
  readonly requests: Readonly<Partial<Record<Operation, unknown>>>
  readonly connect: (...script: ReadonlyArray<TransportAnswer>) => Connector
}

/** By its folder. A connector is one more entry here. */
const connectors: Readonly<Record<string, Answering>> = { stripe, adyen, checkout, mollie, paypal }

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
      return `${_tag} ${answered["category"]}, ${answered["soft"] === true ? "soft" : "hard"}`
    case "Rejected":
      return `${_tag} ${(answered as unknown as Rejected).code}`
    case "OperationFailed":
      return `${_tag}, ${answered["isFinal"] === true ? "final" : "for now"}`
    default:
      return `${_tag}${amountOf(answered["stated"] ?? moneyOf(answered["capture"]))}`
  }
}

const failureWords = (failure: NotSent | Unanswered): string => {
  if (failure._tag === "pointsman/NotSent") return "not sent"
  if (failure.ofAnother !== undefined) return `unknown; settles ${failure.ofAnother.attemptId}`
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
      return [operationNames[operation], says.replaceAll("`", ""), becomes, page]
    })
  )

/** By their paths. */
export const providerAnswers = (): Promise<ReadonlyArray<readonly [path: string, text: string]>> =>
  Promise.all(
    Object.entries(connectors).map(
      async ([folder, connector]) =>
        [
          `packages/connectors/${folder}/test/provider-answers.snap.txt`,
          `${[
            "# What each answer of the provider becomes. `npm run generate` writes this file from ProviderAnswers.ts.",
            "unknown: the provider may have executed the request, and no other connection is tried. Amounts are in minor units.",
            lines(["Operation", "Answer", "It becomes", "Source"], await rowsOf(connector))
          ].join("\n\n")}\n`
        ] as const
    )
  )
