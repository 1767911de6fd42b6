/** How the tests that a connector has besides the suite read its messages and reports, and how its provider knows our ids. */
import { assert } from "@effect/vitest"
import {
  type Connector,
  type ConnectorDefinition,
  type ListRequest,
  money,
  type NotSent,
  type ProviderMessage,
  type ReportEntry,
  type TransportRequest,
  Unanswered
} from "@pointsman/core/connector"
import { Effect, Redacted, Result, Schema } from "effect"
import type { SignedMessage } from "./ConnectorUnderTest.ts"
import { allPages, noMethod } from "./OwnTests.ts"

/** A message as it comes in. */
export const readBy = ({ readMessage }: Connector, raw: SignedMessage, secret: string, receivedAt: number) =>
  Effect.result(readMessage?.({ ...raw, secret: Redacted.make(secret), receivedAt }) ?? noMethod)

/** The same message, read again of what is kept of it. */
export const readKept = ({ keptOfMessage, readStored }: Connector, text: string, secret = "") => {
  const body = new TextEncoder().encode(keptOfMessage?.(text) ?? text)
  return Effect.result(readStored?.({ body, secret: Redacted.make(secret) }) ?? noMethod)
}

/** What a message tells, with its state for a request of 12.34 EUR. */
export const toldOf = ({ about }: Pick<ProviderMessage, "about">): unknown =>
  "state" in about && about.state !== null ? { ...about, state: about.state(money(1234, "EUR")) } : about

/** Why the result of a call is unknown. */
export const unknownBecause = Effect.fnUntraced(function* (asked: Effect.Effect<unknown, NotSent | Unanswered>) {
  const failure = yield* Effect.flip(asked)
  assert.instanceOf(failure, Unanswered)
  return failure.reason
})

/** A report in a window: one page of it, all entries, and all of them as rows. */
export const reportIn = (name: string, window: Omit<ListRequest, "cursor">) => {
  const page = ({ reports }: Connector, cursor: string | null = null) =>
    reports?.find((report) => report.name === name)?.list({ ...window, cursor }) ?? noMethod
  const entries = (connector: Connector) =>
    Effect.map(
      allPages((cursor) => page(connector, cursor)),
      (pages) => pages.flatMap((one) => one.entries)
    )
  const rows = (connector: Connector) =>
    Effect.map(entries(connector), (all) =>
      all.map((entry) => (entry._tag === "Row" ? entry.row : assert.fail(JSON.stringify(entry))))
    )
  return { page, entries, rows }
}

/** Of two entries, the second alone cannot be read, at this field. */
export const assertSecondUnreadable = ([fine, wrong]: ReadonlyArray<ReportEntry>, field: string): void => {
  assert.strictEqual(fine?._tag, "Row")
  assert(wrong?._tag === "Unreadable")
  assert.deepStrictEqual([wrong.unreadable.row, wrong.unreadable.field], [2, field])
}

/** In the answers of a test, in place of our id. */
export const ourId = "our_id_here"

/** The connector at a provider that gives our ids back: that of the request, or else the one that is looked up. */
export const givingBack = (
  definition: ConnectorDefinition,
  idOf: (request: TransportRequest) => string | undefined
): ConnectorDefinition => ({
  ...definition,
  connect: (account, transport) => {
    let lookedUp = ""
    const noting =
      <Request, A>(idOf: (request: Request) => string, lookUp: (request: Request) => A) =>
      (request: Request): A => {
        lookedUp = idOf(request)
        return lookUp(request)
      }
    const connected = definition.connect(account, {
      send: (request) =>
        Effect.map(transport.send(request), (given) => ({
          ...given,
          body: given.body.replaceAll(ourId, idOf(request) ?? lookedUp)
        }))
    })
    return Result.map(connected, ({ lookUpCharge, lookUpOperation, lookUpRefund, ...connector }) => ({
      ...connector,
      lookUpCharge: noting(({ attemptId }) => attemptId, lookUpCharge),
      ...(lookUpOperation && { lookUpOperation: noting(({ operationId }) => operationId, lookUpOperation) }),
      ...(lookUpRefund && { lookUpRefund: noting(({ refundId }) => refundId, lookUpRefund) })
    }))
  }
})

/** What of a value is not as described; a field that is not described is a fault too. */
export const faultOf = (schema: Schema.Decoder<unknown>, value: unknown): string | undefined => {
  const read = Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })(value)
  return Result.isFailure(read) ? read.failure.message : undefined
}
