/**
 * The connector `sandbox`: the built-in simulator behind the same port as every provider.
 *
 * It plays what the payment's `simulate` asks for and never touches the transport, so that a sandbox works on a
 * machine without a network. It is refused in production.
 */
import {
  type Connector,
  type ConnectorDefinition,
  type DisputeRequest,
  type NamedMethods,
  paymentMethodNames,
  type SubmissionKind,
  Unanswered
} from "@pointsman/core/connector"
import { Clock, Effect, Redacted, Result } from "effect"
import * as Disputes from "./Disputes.ts"
import type { SandboxRecords, SandboxRecordsError } from "./SandboxRecords.ts"
import * as Simulator from "./Simulator.ts"

const everyMethod: NamedMethods = Object.fromEntries(paymentMethodNames.map((name) => [name, {}]))

/** The definition of the connector `sandbox`, over a record that the caller opened. */
export const make = (records: SandboxRecords["Service"]): ConnectorDefinition => ({
  name: "sandbox",
  environments: ["sandbox"],
  credentials: {},
  redact: Redacted.make,
  supports: { paymentMethods: everyMethod },
  connect: ({ connectionId, environment, credentials }) => {
    if (environment !== "sandbox") {
      return Result.fail(`environment: the simulator works only in sandbox, not in ${environment}`)
    }
    const wrong = credentialsFault(credentials)
    return wrong === undefined ? Result.succeed(connector(records, connectionId)) : Result.fail(wrong)
  }
})

const connector = (records: SandboxRecords["Service"], connectionId: string): Connector => {
  // A reference that is not the simulator's own names no charge: it is looked up, and not found.
  const attemptOf = (providerRef: string) => Simulator.attemptOf(providerRef) ?? ""
  const answerDispute = (kind: SubmissionKind, request: DisputeRequest) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      answerOf(
        records.playCharge(connectionId, attemptOf(request.providerRef ?? ""), (record) =>
          Disputes.answerDispute(record, kind, request, now)
        )
      )
    )
  return {
    charge: (request) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        answerOf(
          records.playCharge(connectionId, request.attemptId, (record) =>
            Simulator.charge(record, connectionId, request, now)
          )
        )
      ),
    lookUpCharge: (request) =>
      answerOf(
        records.playCharge(connectionId, request.attemptId, (record) => Simulator.lookUpCharge(record, request))
      ),
    capture: (request) =>
      answerOf(
        records.playCharge(connectionId, attemptOf(request.providerRef), (record) => Simulator.capture(record, request))
      ),
    void: (request) =>
      answerOf(
        records.playCharge(connectionId, attemptOf(request.providerRef), (record) => Simulator.void(record, request))
      ),
    refund: (request) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        answerOf(
          records.playCharge(connectionId, attemptOf(request.providerRef), (record) =>
            Simulator.refund(record, request, now)
          )
        )
      ),
    lookUpOperation: (request) =>
      answerOf(
        records.playCharge(connectionId, request.attemptId, (record) => Simulator.lookUpOperation(record, request))
      ),
    lookUpRefund: (request) =>
      answerOf(records.playRefund(connectionId, request.refundId, (record) => Simulator.lookUpRefund(record, request))),
    submitDispute: (request) => answerDispute("submit", request),
    acceptDispute: (request) => answerDispute("accept", request),
    lookUpDispute: (request) =>
      answerOf(
        records.playCharge(connectionId, attemptOf(request.providerRef ?? ""), (record) =>
          Disputes.lookUpAnswer(record, request)
        )
      ),
    listCharges: (request) =>
      answerOf(Effect.map(records.chargesOf(connectionId), (all) => Simulator.listCharges(all, request))),
    listRefunds: (request) =>
      answerOf(Effect.map(records.chargesOf(connectionId), (all) => Simulator.listRefunds(all, request))),
    listDisputes: (request) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        answerOf(Effect.map(records.chargesOf(connectionId), (all) => Disputes.listDisputes(all, request, now)))
      ),
    account: () => answerOf(Effect.map(records.account, (id) => ({ id, mode: "test" })))
  }
}

/**
 * A record that fails counts as no answer, never as "nothing happened": its failure may have been the commit's.
 * The cause stays with the error for the log; the reason names no path.
 */
const answerOf = <A>(played: Effect.Effect<A | null, SandboxRecordsError>): Effect.Effect<A, Unanswered> =>
  Effect.matchEffect(played, {
    onFailure: (cause) => Effect.fail(new Unanswered({ reason: "the simulator's record failed", cause })),
    onSuccess: (answer) =>
      answer === null
        ? Effect.fail(new Unanswered({ reason: "the simulator was instructed not to respond" }))
        : Effect.succeed(answer)
  })

/** Refused and not ignored: credentials of another provider here mean that `connector` was forgotten. */
const credentialsFault = (credentials: unknown): string | undefined => {
  if (credentials === null || credentials === undefined) return undefined
  if (typeof credentials !== "object" || Array.isArray(credentials)) return "credentials: expected {} or no value"
  const [field] = Object.keys(credentials)
  return field === undefined ? undefined : `credentials.${field}: expected {}; the simulator has no credentials`
}
