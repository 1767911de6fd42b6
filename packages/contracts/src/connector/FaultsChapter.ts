/** Malformed responses. A request whose response is not understood may have been executed, so it is `Unanswered`. */

import { assert, describe, it } from "@effect/vitest"
import type { TransportAnswer } from "@pointsman/core/connector"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { itRuns } from "../vitest.ts"
import { assertFailsWith, assertRequests, endOf } from "./AnswersChapter.ts"
import type { ConnectorUnderTest, Operation, SituationName, Wire } from "./ConnectorUnderTest.ts"
import { askingOperationsOf, rehearseOver, situation, timeoutMillis } from "./Rehearsal.ts"

/** The plain success of each operation: of these, the first that the provider can come to. */
const successes = {
  charge: ["charge captured", "charge authorized"],
  openCheckout: ["checkout opened"],
  completeCheckout: ["completion captured", "completion authorized"],
  capture: ["capture captured", "capture pending"],
  void: ["void canceled", "void pending"],
  refund: ["refund succeeded", "refund pending"],
  lookUpCharge: ["lookup captured", "lookup pending", "lookup not found yet"],
  lookUpOperation: ["operation lookup confirmed", "operation lookup pending"],
  lookUpRefund: ["refund lookup succeeded", "refund lookup pending"]
} as const satisfies Record<Operation, ReadonlyArray<SituationName>>

export const successOf = ({ lacks }: ConnectorUnderTest, operation: Operation): SituationName => {
  const [plain, ...others] = successes[operation]
  return [plain, ...others].find((name) => lacks?.includes(name) !== true) ?? plain
}

export const faultsChapter = (subject: ConnectorUnderTest, wire: Wire): void => {
  describe("malformed responses", () => {
    for (const operation of askingOperationsOf(subject)) {
      const of = situation(successOf(subject, operation))
      const played = subject.play(of)
      if (played === undefined || !("answer" in played)) {
        it(`${operation}: plays its success`, () =>
          assert.fail(`"${of.name}" is missing: return a response from \`play\`; the suite then corrupts it`))
        continue
      }
      const success = played.answer
      for (const [what, answer] of faults(subject, success, wire, operation)) {
        itRuns(`${what} to ${operation} is Unanswered`, function* () {
          const rehearsal = yield* rehearseOver(subject, of, Effect.succeed(answer))
          assertFailsWith("Unanswered", rehearsal)
          assertRequests(rehearsal, 1)
        })
      }
      itRuns(`an answer to ${operation} at the last moment counts, after one request`, function* () {
        const late = Effect.delay(Effect.succeed(success), timeoutMillis - 1)
        const running = yield* Effect.forkChild(rehearseOver(subject, of, late))
        yield* TestClock.adjust(timeoutMillis)
        const rehearsal = yield* Fiber.join(running)
        assert.isTrue(
          Exit.isSuccess(rehearsal.exit),
          `the time-out is the transport's, and the connector has none of its own; it ${endOf(rehearsal)}`
        )
        assertRequests(rehearsal, 1)
      })
      if (isBodiless(wire, operation)) continue
      it(`an unknown status and a missing reference of ${operation} differ only in that`, () => {
        for (const name of ["unknownStatus", "withoutReference"] as const) {
          const spoiled = wire[name](operation, of)
          assert.strictEqual(
            spoiled.status,
            success.status,
            `wire.${name}: the status of the success that \`play\` gives`
          )
          assert.notStrictEqual(spoiled.body, success.body, `wire.${name}: another body than that of the success`)
        }
      })
    }
  })
}

const isBodiless = ({ withoutBody }: Wire, operation: Operation): boolean => withoutBody?.includes(operation) === true

/** Where no customer can be sent, or must not be. */
const unusableAddresses = [
  "",
  "/pay/1",
  "pay.provider.example/1",
  "ftp://provider.example/1",
  "https://",
  "javascript:alert(1)"
]

/**
 * A 404 that is not the provider's own word that it never received what is looked up: a gateway or a wrong path answers
 * so. Taken for that word, money that was moved would be given up, and moved again.
 */
const foreignNotFounds: ReadonlyArray<readonly [what: string, body: string | undefined]> = [
  ["no body", ""],
  ["a page", "<html><title>404 Not Found</title></html>"],
  ["an empty object", "{}"],
  ["null", "null"],
  ["a gateway's JSON", '{"message":"no Route matched with those values"}'],
  ["a framework's JSON", '{"statusCode":404,"message":"Cannot GET /","error":"Not Found"}'],
  ["the body of a success", undefined]
]

/** Every way to spoil a success, whatever was asked. */
export const malformed = (success: TransportAnswer): ReadonlyArray<readonly [string, TransportAnswer]> => {
  const withBody = (body: string): TransportAnswer => ({ ...success, body })
  return [
    ...[500, 501, 502, 503, 504, 599].map(
      (status) => [`status ${status} with the body of a success`, { ...success, status }] as const
    ),
    ["status 500 with a page", { ...withBody("<html>Internal Server Error</html>"), status: 500 }],
    ["status 302 with the body of a success", { ...success, status: 302 }],
    ["no body", withBody("")],
    ["a page", withBody("<!doctype html><title>It works!</title>")],
    ["a body cut in half", withBody(success.body.slice(0, success.body.length / 2))],
    ["an empty object", withBody("{}")],
    ["an empty list", withBody("[]")],
    ["null", withBody("null")],
    ["a number", withBody("42")],
    ["a text", withBody('"captured"')]
  ]
}

/** Every 404 that is not the provider's own word. */
export const foreign = (success: TransportAnswer): ReadonlyArray<readonly [string, TransportAnswer]> =>
  foreignNotFounds.map(
    ([what, body]) => [`status 404 with ${what}`, { ...success, body: body ?? success.body, status: 404 }] as const
  )

/** Every way to spoil a success of the operation. */
export const faults = (
  subject: ConnectorUnderTest,
  success: TransportAnswer,
  wire: Wire,
  operation: Operation
): ReadonlyArray<readonly [string, TransportAnswer]> => {
  const of = situation(successOf(subject, operation))
  // Where there is nothing to read, only another status can be wrong.
  if (isBodiless(wire, operation)) return malformed(success).filter(([, { status }]) => status !== success.status)
  return [
    ...malformed(success),
    ...(operation === "openCheckout" && wire.checkout !== undefined
      ? unusableAddresses.map(
          (address) =>
            [`the address ${JSON.stringify(address)}`, wire.checkout?.leadingTo(address, of) ?? success] as const
        )
      : []),
    ...(operation.startsWith("lookUp") ? foreign(success) : []),
    ["an unknown status", wire.unknownStatus(operation, of)],
    ["a success without a reference", wire.withoutReference(operation, of)]
  ]
}
