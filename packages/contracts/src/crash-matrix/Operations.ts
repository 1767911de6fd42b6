/** What is asked, and what the provider may do with it. */
import { type Caller, type Payment, type Pointsman, statusOf } from "@pointsman/core"
import type { MessageAbout } from "@pointsman/core/ports"
import { sampleRequest } from "@pointsman/core/testing"
import { Clock, Effect } from "effect"
import { hour } from "../simulator/Time.ts"
import type { Script, ScriptedProvider } from "./ScriptedProvider.ts"

export type OperationName = "create" | "complete" | "capture" | "void" | "refund" | "submitDispute" | "acceptDispute"

/** What a provider does: with the first request, and where another one may follow, with that. */
export interface Outcome {
  /** For people, and unique in its operation. */
  readonly name: string
  readonly script: Script
}

/** A success, as the client receives it. */
export interface Reply {
  /** The status of the payment, or of the dispute. */
  readonly says: string
  readonly paymentId: string
  readonly isReplay: boolean
}

/** Outcomes of one kind, which are shown side by side. */
export interface OutcomeGroup {
  readonly title: string
  readonly outcomes: ReadonlyArray<Outcome>
}

export interface Operation {
  readonly name: OperationName
  /** The state before, and the request; for people. */
  readonly about: string
  readonly groups: ReadonlyArray<OutcomeGroup>
  /** Whether it is asked on a page, which shows what is so now; else a repeated request receives the answer that it had. */
  readonly isOnPage?: boolean
  /** Makes what the operation is for, at a provider that executes; gives the payment's id, or `null` for none. */
  readonly given: (
    pointsman: Pointsman["Service"],
    caller: Caller,
    provider: Pick<ScriptedProvider, "approve" | "dispute">
  ) => Effect.Effect<string | null, unknown>
  /** The request, the same each time it is sent. */
  readonly ask: (
    pointsman: Pointsman["Service"],
    caller: Caller,
    paymentId: string | null
  ) => Effect.Effect<Reply, { readonly _tag: string }>
}

const idempotencyKey = "key-of-the-request"
const captureMinor = 1_500
const refundMinor = 500

const outcome = (name: string, ...script: Script): Outcome => ({ name, script })

const statesAnother: OutcomeGroup = {
  title: "The provider states another amount",
  outcomes: [outcome("more than was asked", "statesMore"), outcome("less than was asked", "statesLess")]
}

const answers = (confirmed: string, refused: string, ...more: ReadonlyArray<Outcome>): OutcomeGroup => ({
  title: "The provider answers",
  outcomes: [
    outcome(confirmed, "executed"),
    outcome(refused, "declined"),
    outcome("rejects the request", "rejected"),
    outcome("is not reached: nothing is sent", "notSent"),
    outcome(`accepts, and ${confirmed} later`, "accepted"),
    outcome("accepts, and refuses later", "acceptedAndRefused"),
    ...more
  ]
})

const silence: OutcomeGroup = {
  title: "The provider does not answer",
  outcomes: [
    outcome("executes it all the same", "executedInSilence"),
    outcome("never executes it", "lost"),
    outcome("executes it after the time-out", "late"),
    outcome("does not execute it, and cannot say so", "cannotSay")
  ]
}

const ofPayment = ({ isReplay, payment }: { readonly payment: Payment; readonly isReplay: boolean }): Reply => ({
  says: statusOf[payment.state],
  paymentId: payment.id,
  isReplay
})

const comeBack = "https://pay.example/hosted/token/return"

/** A payment whose customer approved it on the provider's page, and is not back yet. */
const approved: Operation["given"] = (pointsman, caller, provider) =>
  Effect.gen(function* () {
    const pages = { returnUrl: "https://shop.example/thanks", cancelUrl: "https://shop.example/cart" }
    const { payment } = yield* pointsman.create(caller, sampleRequest(pages))
    yield* pointsman.openCheckout(yield* pointsman.pageToken(payment.id), comeBack)
    provider.approve(payment.id)
    return payment.id
  })

const made = (captureMethod: "automatic" | "manual") => (pointsman: Pointsman["Service"], caller: Caller) =>
  Effect.map(pointsman.create(caller, sampleRequest({ details: { captureMethod } })), ({ payment }) => payment.id)

/** Between the reminders of three days and of one. */
const dueInMillis = 30 * hour

/** A captured payment whose provider states a dispute, with evidence that is kept. */
const disputed: Operation["given"] = (pointsman, caller, provider) =>
  Effect.gen(function* () {
    const { payment } = yield* pointsman.create(caller, sampleRequest())
    const at = yield* Clock.currentTimeMillis
    provider.dispute("du_1", dueInMillis)
    const about: MessageAbout = {
      _tag: "Dispute",
      charge: { providerRef: payment.providerRef ?? "" },
      disputeId: "du_1",
      verdict: "opened",
      dueBy: at + dueInMillis
    }
    yield* pointsman.recordMessage({
      connectionId: payment.connectionId ?? "",
      tenant: caller.tenant,
      receivedAt: at,
      body: "{}",
      message: { id: "msg_1", at, about },
      reason: null
    })
    const { items } = yield* pointsman.disputes(caller.tenant, { limit: 1 })
    const disputeId = items[0]?.id ?? ""
    yield* pointsman.keepEvidence(caller, { disputeId, texts: { summary: "It arrived." }, files: [] })
    return payment.id
  })

const answering =
  (kind: "submit" | "accept"): Operation["ask"] =>
  (pointsman, caller) =>
    Effect.gen(function* () {
      const { items } = yield* pointsman.disputes(caller.tenant, { limit: 1 })
      const order = { disputeId: items[0]?.id ?? "", kind, idempotencyKey }
      const { dispute, isReplay } = yield* pointsman.submitDispute(caller, order)
      return { says: dispute.status, paymentId: dispute.paymentId, isReplay }
    })

export const operations: ReadonlyArray<Operation> = [
  {
    name: "create",
    about: "19.99 EUR, to be captured at once; a second connection may take it after the first (mode `failover`).",
    given: () => Effect.succeed(null),
    ask: (pointsman, caller) => Effect.map(pointsman.create(caller, sampleRequest({ idempotencyKey })), ofPayment),
    groups: [
      {
        title: "The first provider decides",
        outcomes: [
          outcome("captures", "executed"),
          outcome("declines", "declined"),
          outcome("accepts, and captures later", "accepted"),
          outcome("accepts, and declines later", "acceptedAndRefused"),
          outcome("cancels", "opposite")
        ]
      },
      silence,
      statesAnother,
      {
        title: "The first provider softly declines, and the second one",
        outcomes: [
          outcome("captures after a soft decline", "softDeclined", "executed"),
          outcome("declines too", "softDeclined", "declined"),
          outcome("accepts after a soft decline, and captures later", "softDeclined", "accepted"),
          outcome("executes without an answer", "softDeclined", "executedInSilence"),
          outcome("is not reached", "softDeclined", "notSent")
        ]
      },
      {
        title: "The first provider rejects the request, and the second one",
        outcomes: [
          outcome("captures after a rejection", "rejected", "executed"),
          outcome("rejects it too", "rejected", "rejected"),
          outcome("softly declines", "rejected", "softDeclined"),
          outcome("captures after the time-out", "rejected", "late"),
          outcome("never executes, without an answer", "rejected", "lost")
        ]
      },
      {
        title: "The first provider is not reached, and the second one",
        outcomes: [
          outcome("captures", "notSent", "executed"),
          outcome("is not reached either", "notSent", "notSent"),
          outcome("states more than was asked", "notSent", "statesMore"),
          outcome("does not execute, and cannot say so", "notSent", "cannotSay")
        ]
      }
    ]
  },
  {
    name: "complete",
    about:
      "19.99 EUR on a provider's page that takes nothing by itself. The customer approved it there; their return is the " +
      "request, and the step that takes the money is what the provider is asked for.",
    isOnPage: true,
    given: approved,
    ask: (pointsman, _, paymentId) =>
      Effect.gen(function* () {
        const token = yield* pointsman.pageToken(paymentId ?? "")
        const { payment } = yield* pointsman.returnFromCheckout(token)
        return ofPayment({ payment, isReplay: false })
      }),
    groups: [
      answers("captures", "declines", outcome("cancels", "opposite")),
      {
        title: "The provider does not answer",
        outcomes: [
          outcome("executes it all the same", "executedInSilence"),
          outcome("does not execute it, and executes the next one", "lost", "executed"),
          outcome("never executes it", "lost"),
          outcome("executes it after the time-out", "late"),
          outcome("does not execute it, and cannot say so", "cannotSay")
        ]
      },
      statesAnother
    ]
  },
  {
    name: "capture",
    about: "15.00 of an authorization of 19.99 EUR.",
    given: made("manual"),
    ask: (pointsman, caller, paymentId) =>
      Effect.map(
        pointsman.capture(caller, { paymentId: paymentId ?? "", amountMinor: captureMinor, idempotencyKey }),
        ofPayment
      ),
    groups: [
      answers("captures", "declines"),
      silence,
      {
        title: "The provider states something else",
        outcomes: [
          outcome("a capture of more than was asked", "statesMore"),
          outcome("a capture of less than was asked", "statesLess"),
          outcome("that the authorization is cancelled", "opposite")
        ]
      }
    ]
  },
  {
    name: "void",
    about: "An authorization of 19.99 EUR.",
    given: made("manual"),
    ask: (pointsman, caller, paymentId) =>
      Effect.map(pointsman.void(caller, { paymentId: paymentId ?? "", idempotencyKey }), ofPayment),
    groups: [
      answers("cancels", "declines"),
      silence,
      { title: "The provider states something else", outcomes: [outcome("that the money was captured", "opposite")] }
    ]
  },
  {
    name: "refund",
    about: "5.00 of a payment of 19.99 EUR that is captured.",
    given: made("automatic"),
    ask: (pointsman, caller, paymentId) =>
      Effect.map(
        pointsman.refund(caller, {
          paymentId: paymentId ?? "",
          amountMinor: refundMinor,
          reason: null,
          idempotencyKey
        }),
        ofPayment
      ),
    groups: [answers("refunds", "says that it failed"), silence, statesAnother]
  },
  {
    name: "submitDispute",
    about: "The evidence that is kept for a dispute of 19.99 EUR, 30 hours before the deadline.",
    given: disputed,
    ask: answering("submit"),
    groups: [answers("takes the evidence", "says that it failed"), silence]
  },
  {
    name: "acceptDispute",
    about: "The acceptance of a dispute of 19.99 EUR, 30 hours before the deadline.",
    given: disputed,
    ask: answering("accept"),
    groups: [answers("closes it", "says that it failed"), silence]
  }
]
