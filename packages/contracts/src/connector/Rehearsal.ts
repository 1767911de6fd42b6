/**
 * Brings a situation about and hands back what the connector said. Over a wire that is one call. The simulator keeps
 * a record, so there the situation is reached as in life: a capture comes after its charge, a lookup after what it
 * looks for.
 */
import {
  type Connector,
  money,
  NotSent,
  type Simulation,
  type TransportAnswer,
  type TransportRequest,
  Unanswered
} from "@pointsman/core/connector"
import { Effect, Exit, Result } from "effect"
import {
  type ConnectorUnderTest,
  type Operation,
  outcomes,
  type Played,
  type Situation,
  type SituationName
} from "./ConnectorUnderTest.ts"
import { asksOf, type PaymentRequests, paymentRequests } from "./OwnTests.ts"
import { scriptedTransport } from "./ScriptedTransport.ts"

const operations = Object.keys(outcomes) as ReadonlyArray<Operation>

export const operationOf = (name: SituationName): Operation => {
  const found = operations.find((operation) => Object.hasOwn(outcomes[operation], name))
  if (found === undefined) throw new Error(`no operation has the situation ${name}`)
  return found
}

export const outcomeOf = (name: SituationName): string =>
  (outcomes[operationOf(name)] as Readonly<Record<string, string>>)[name] ?? ""

/** Token of the stored credential that every charge of the suite carries; a secret like those of the credentials. */
export const instrumentOf = ({ instrument }: ConnectorUnderTest): string =>
  instrument ?? "tok_instrument_of_the_contract"

/** Where every checkout of the suite is to send its customer afterwards. */
export const returnUrl = "https://pointsman.example/hosted/token-of-the-contract/return"

/** Of one call, in milliseconds: the connector must pass it on to the transport. */
export const timeoutMillis = 12_345

let drawn = 0

/** With ids of its own, so that a simulator that keeps a record takes it for new. */
export const situation = (name: SituationName, more: Partial<Situation> = {}): Situation => ({
  name,
  operation: operationOf(name),
  ...newIds(),
  kind: "capture",
  money: money(1234, "EUR"),
  decline: name.endsWith("declined") ? { category: "insufficient_funds", soft: false } : null,
  providerRef: "prv_charge/1 ä",
  providerRefundId: "prv_refund_1",
  checkout: {
    reference: "prv_checkout_1",
    url: "https://pay.provider.example/c/prv_checkout_1?x=1&y=%20#z",
    expiresAt: Date.UTC(2026, 10, 21, 12, 0, 0, 500)
  },
  rejection: { code: "busy", message: "Try another time." },
  ...more
})

/** What the connector's operation can come into: only where its checkouts wait for a further step can one be approved. */
export const situationsFor = (subject: ConnectorUnderTest, operation: Operation): ReadonlyArray<SituationName> => {
  const all = Object.keys(outcomes[operation]) as ReadonlyArray<SituationName>
  const completes = operationsOf(subject).includes("completeCheckout")
  return completes ? all : all.filter((name) => name !== "lookup approved")
}

/** Every situation of this name: that of an operation's lookup is asked of each kind that the connector has. */
export const eachSituation = (subject: ConnectorUnderTest, name: SituationName): ReadonlyArray<Situation> =>
  operationOf(name) === "lookUpOperation"
    ? operationsOf(subject)
        .filter((kind) => kind === "capture" || kind === "void")
        .filter((kind) => kind === "capture" || subject.cannotBeAsked?.voids !== true)
        .map((kind) => situation(name, { kind }))
    : [situation(name)]

export interface Rehearsal {
  readonly exit: Exit.Exit<unknown, NotSent | Unanswered>
  /** Of the call that the situation is about, and of those before it. */
  readonly requests: ReadonlyArray<TransportRequest>
  /** Our attempt, operation or refund id of the call. */
  readonly id: string
  /** The reference that the provider gave in an earlier call of this rehearsal. */
  readonly givenRef: string | null
}

/** What the transport says in the situations that it alone decides. */
const transportFault = (name: SituationName): Effect.Effect<never, NotSent | Unanswered> | undefined => {
  if (name.endsWith("not sent")) return Effect.fail(new NotSent({ reason: "refused by the script" }))
  if (name.endsWith("unanswered")) return Effect.fail(new Unanswered({ reason: "silence by the script" }))
  return undefined
}

/** The situation as the subject plays it, or `undefined` where it says that it cannot. */
export const playedBy = (subject: ConnectorUnderTest, of: Situation): Played | "transport" | undefined =>
  subject.wire !== undefined && transportFault(of.name) !== undefined ? "transport" : subject.play(of)

/** Connects with the subject's working credentials. A refusal is a defect: the suite is useless without. */
export const connect = (
  subject: ConnectorUnderTest,
  transport: Parameters<ConnectorUnderTest["definition"]["connect"]>[1]
): Connector => {
  const [environment = "sandbox"] = subject.definition.environments
  return Result.getOrThrowWith(
    subject.definition.connect(
      { connectionId: "connection_of_the_contract", environment, credentials: subject.credentials, timeoutMillis },
      transport
    ),
    (reason) => new Error(`the working credentials were refused: ${reason}`)
  )
}

/** Plays the situation as the subject says. */
export const rehearse = Effect.fnUntraced(function* (
  subject: ConnectorUnderTest,
  of: Situation
): Effect.fn.Return<Rehearsal> {
  const played = playedBy(subject, of)
  if (played === undefined) return yield* Effect.die(new Error(`${of.name}: the connector under test does not play it`))
  if (played === "transport") return yield* rehearseOver(subject, of, transportFault(of.name) ?? Effect.never)
  if ("answer" in played) return yield* rehearseOver(subject, of, Effect.succeed(played.answer))
  return yield* simulate(subject, of, played.simulation)
})

/** Plays one call over the wire, with this for an answer. */
export const rehearseOver = Effect.fnUntraced(function* (
  subject: ConnectorUnderTest,
  of: Situation,
  answer: Effect.Effect<TransportAnswer, NotSent | Unanswered>
): Effect.fn.Return<Rehearsal> {
  const { transport, requests } = scriptedTransport([answer])
  const operation = operationOf(of.name)
  const exit = yield* Effect.exit(
    asksOf(requestsOf(subject, of, of.providerRef, null))[operation](connect(subject, transport))
  )
  return { exit, requests, id: idOf(operation, of), givenRef: null }
})

const simulate = Effect.fnUntraced(function* (
  subject: ConnectorUnderTest,
  of: Situation,
  simulation: Simulation
): Effect.fn.Return<Rehearsal> {
  const { transport, requests } = scriptedTransport([])
  const connector = connect(subject, transport)
  const operation = operationOf(of.name)
  let givenRef: string | null = null
  const ask = (asked: Operation, providerRef: string) =>
    Effect.exit(asksOf(requestsOf(subject, of, providerRef, simulation))[asked](connector))
  if (operation !== "charge" && operation !== "openCheckout") {
    // A lookup may be for a charge that was never answered.
    const charged = yield* ask("charge", "")
    givenRef = Exit.isSuccess(charged) ? referenceOf(charged.value) : null
  }
  if (operation === "lookUpRefund") yield* ask("refund", givenRef ?? "")
  if (operation === "lookUpOperation") yield* ask(of.kind, givenRef ?? "")
  const exit = yield* ask(operation, givenRef ?? "")
  return { exit, requests, id: idOf(operation, of), givenRef }
})

const referenceOf = (answer: unknown): string | null =>
  typeof answer === "object" && answer !== null && "providerRef" in answer && typeof answer.providerRef === "string"
    ? answer.providerRef
    : null

type Ids = Pick<Situation, "attemptId" | "operationId" | "refundId">

const newIds = (): Ids => {
  drawn += 1
  return { attemptId: `att_${drawn}`, operationId: `op_${drawn}`, refundId: `rf_${drawn}` }
}

const ofAttempt: ReadonlySet<Operation> = new Set(["charge", "openCheckout", "completeCheckout", "lookUpCharge"])

const idOf = (operation: Operation, ids: Ids): string => {
  if (ofAttempt.has(operation)) return ids.attemptId
  return operation === "refund" || operation === "lookUpRefund" ? ids.refundId : ids.operationId
}

const requestsOf = (
  subject: ConnectorUnderTest,
  of: Situation,
  providerRef: string,
  simulation: Simulation | null
): PaymentRequests => {
  const { attemptId, checkout, kind, money, operationId: captureId, refundId } = of
  const instrument = instrumentOf(subject)
  const requests = paymentRequests({ attemptId, captureId, refundId, providerRef, instrument, money })
  const details = { paymentId: `payment of ${attemptId}`, capture: !isHeld(of.name) }
  const looking = { sentAt: 0, simulation }
  const checkoutReference = subject.cannotBeAsked?.directCharges === true ? checkout.reference : null
  return {
    charge: { ...requests.charge, ...details, simulation },
    openCheckout: { ...requests.openCheckout, ...details, returnUrl },
    completeCheckout: {
      ...requests.completeCheckout,
      ...{ capture: details.capture, checkoutReference: checkout.reference }
    },
    capture: { ...requests.capture, simulation },
    void: { ...requests.void, simulation },
    refund: { ...requests.refund, reason: "requested", simulation },
    lookUpCharge: { ...requests.lookUpCharge, ...looking, checkoutReference },
    lookUpOperation: { ...requests.lookUpOperation, ...looking, kind },
    lookUpRefund: { ...requests.lookUpRefund, ...looking }
  }
}

/** The charge of the situation only holds the money. */
const isHeld = (name: SituationName): boolean =>
  name === "charge authorized" ||
  name === "lookup authorized" ||
  name === "completion authorized" ||
  operationOf(name) === "capture" ||
  operationOf(name) === "void" ||
  operationOf(name) === "lookUpOperation"

/** The operations that the connector has. */
export const operationsOf = (subject: ConnectorUnderTest): ReadonlyArray<Operation> => {
  const connector = connect(subject, scriptedTransport([]).transport)
  return operations.filter((operation) => connector[operation] !== undefined)
}

/** Those of them that ask the provider. */
export const askingOperationsOf = (subject: ConnectorUnderTest): ReadonlyArray<Operation> =>
  operationsOf(subject).filter(
    (operation) => !(operation === "lookUpRefund" && subject.cannotBeAsked?.refunds === true)
  )
