/** Each situation, and the one answer that it must come out as. */

import { assert, describe, it } from "@effect/vitest"
import {
  type Connector,
  categoryOfDecline,
  type DeclineCode,
  declineCategories,
  declineCodes,
  type Money,
  type NotSent,
  type Unanswered
} from "@pointsman/core/connector"
import { Cause, Effect, Exit, Option } from "effect"
import { itRuns } from "../vitest.ts"
import type { ConnectorUnderTest, Situation } from "./ConnectorUnderTest.ts"
import {
  askingOperationsOf,
  connect,
  eachSituation,
  operationOf,
  outcomeOf,
  playedBy,
  type Rehearsal,
  rehearse,
  situation,
  situationsFor
} from "./Rehearsal.ts"
import { scriptedTransport } from "./ScriptedTransport.ts"

/** Those that the test neither plays nor excludes by `lacks`, in the order in which they are worked on. */
export const openSituations = (subject: ConnectorUnderTest): ReadonlyArray<Situation> =>
  askingOperationsOf(subject)
    .flatMap((operation) => situationsFor(subject, operation))
    .filter((name) => subject.lacks?.includes(name) !== true)
    .flatMap((name) => eachSituation(subject, name))
    .filter((of) => playedBy(subject, of) === undefined)

/** Of the open situations, the first one fails and says what to do; the others are listed. */
const stillOpen = (open: ReadonlyArray<Situation>): void => {
  for (const [index, of] of open.entries()) {
    const name = `${of.name}${kindOf(of)}`
    if (index > 0) it.todo(name)
    else {
      it(`next: ${name}`, () =>
        assert.fail(
          `"${of.name}" is missing: return the provider's response from \`play\`, or name it in \`lacks\` where the ` +
            `provider has no such case. ${followingIn(open.slice(1))}`
        ))
    }
  }
}

const followingIn = (later: ReadonlyArray<Situation>): string => {
  const byOperation = [...Map.groupBy(later, ({ name }) => operationOf(name))]
  const counts = byOperation.map(([operation, { length }]) => `${operation} ${length}`)
  const situations = later.length === 0 ? "" : `${later.length} more situations (${counts.join(", ")}), and then `
  return `It is followed by ${situations}the other parts of the suite`
}

export const answersChapter = (subject: ConnectorUnderTest): void => {
  const open = openSituations(subject)
  describe("answers", () => {
    nothingIsAsked(subject)
    for (const operation of askingOperationsOf(subject)) {
      const names = situationsFor(subject, operation)
      // Its method is hardly written either.
      const isLater = open.length > 0 && names.every((name) => subject.play(situation(name)) === undefined)
      for (const name of names) {
        const isLacking = subject.lacks?.includes(name) ?? false
        for (const of of eachSituation(subject, name)) {
          const isPlayed = playedBy(subject, of) !== undefined
          if (isLacking) {
            it(`${name}${kindOf(of)}: the test says why the provider has none`, () => {
              assert.isFalse(isPlayed, `"${name}" is played, and named in \`lacks\`: it can only be one of them`)
            })
          } else if (isPlayed) {
            if (isLater) it.todo(`${name}${kindOf(of)}`)
            else answersTo(subject, of)
          }
        }
      }
    }
    const declines = declineCategories
      .flatMap((category) => [true, false].map((soft) => situation("charge declined", { decline: { category, soft } })))
      .filter((of) => playedBy(subject, of) !== undefined)
    for (const of of declines) answersTo(subject, of)
    stillOpen(open)
    if (open.length > 0) return
    it("plays at least one hard and one soft decline, and a success", () => {
      for (const soft of [true, false]) {
        assert.isTrue(
          declines.some(({ decline }) => decline?.soft === soft),
          `no ${soft ? "soft" : "hard"} decline is played: let \`play\` answer "charge declined" with one of the provider's ` +
            `codes where \`situation.decline.soft\` is ${soft} (${soft ? "another connection may be tried" : "no other connection is tried"})`
        )
      }
      assert.isTrue(
        [situation("charge authorized"), situation("charge captured")].some(
          (of) => playedBy(subject, of) !== undefined
        ),
        'no success is played: "charge captured" or "charge authorized"'
      )
    })
  })
}

/** What the provider has no lookup for: silence is no word that nothing happened. */
const nothingIsAsked = (subject: ConnectorUnderTest): void => {
  const of = {
    money: situation("lookup not found yet").money,
    providerRef: "prv_charge_1",
    sentAt: 0,
    simulation: null
  }
  const looking = (what: string, look: (connector: Connector) => Effect.Effect<unknown, NotSent | Unanswered>) =>
    itRuns(`a lookup of ${what}, if missing, sends and knows nothing`, function* () {
      const { requests, transport } = scriptedTransport([])
      const found = yield* look(connect(subject, transport))
      assert.deepStrictEqual(found, { _tag: "NotFound", conclusive: false })
      assert.isEmpty(requests)
    })
  const { directCharges, refunds, voids } = subject.cannotBeAsked ?? {}
  if (voids === true) {
    itRuns("a lookup of a void, which the provider lacks, is unsupported and sends nothing", function* () {
      const { requests, transport } = scriptedTransport([])
      const request = { ...of, operationId: "op_1", kind: "void", attemptId: "att_1" } as const
      const lookUp = connect(subject, transport).lookUpOperation?.(request) ?? Effect.die("no lookup of operations")
      const failure = yield* Effect.flip(lookUp)
      assert.deepInclude(failure, { _tag: "pointsman/Unanswered", isUnsupported: true })
      assert.isEmpty(requests)
    })
  }
  if (directCharges === true) {
    looking("a direct charge", (connector) =>
      connector.lookUpCharge({ ...of, attemptId: "att_1", checkoutReference: null })
    )
  }
  if (refunds === true) {
    for (const providerRefundId of [null, "prv_refund_1"]) {
      looking(
        `a refund ${providerRefundId ?? "without a reference"}`,
        (connector) =>
          connector.lookUpRefund?.({ ...of, refundId: "rf_1", providerRefundId }) ?? Effect.die("no lookup of refunds")
      )
    }
  }
}

const answersTo = (subject: ConnectorUnderTest, of: Situation): void => {
  const kind = of.decline === null ? "" : ` (${of.decline.category}, ${of.decline.soft ? "soft" : "hard"})`
  const expected = outcomeOf(of.name)
  itRuns(`${of.name}${kind}${kindOf(of)} is ${expected}`, function* () {
    const rehearsal = yield* rehearse(subject, of)
    assertRequests(rehearsal, subject.wire === undefined ? 0 : 1)
    assertOutcome(subject, of, rehearsal)
  })
}

/** Which operation is looked up, for the name of a test. */
export const kindOf = ({ kind, name }: Situation): string => (name.startsWith("operation lookup") ? ` (${kind})` : "")

const assertOutcome = (subject: ConnectorUnderTest, of: Situation, rehearsal: Rehearsal): void => {
  const expected = outcomeOf(of.name)
  if (expected === "NotSent" || expected === "Unanswered") {
    assertFailsWith(expected, rehearsal)
    return
  }
  if (Exit.isFailure(rehearsal.exit)) {
    assert.fail(`expected ${expected}, and the connector ${endOf(rehearsal)}`)
  }
  const answer: unknown = rehearsal.exit.value
  if (expected === "NotFound") {
    assert.deepStrictEqual(
      answer,
      { _tag: "NotFound", conclusive: !of.name.endsWith("yet") },
      "`conclusive`: whether it is the provider's word that it will never be executed"
    )
  } else if (expected.startsWith("Found ")) {
    assert.strictEqual(textOf(answer, "_tag"), "Found", `a lookup that finds it; the connector ${endOf(rehearsal)}`)
    assert.deepStrictEqual(Object.keys(answer as object).sort(), ["_tag", "state"])
    assertState(subject, of, rehearsal, expected.slice("Found ".length), (answer as { readonly state: unknown }).state)
  } else {
    assertState(subject, of, rehearsal, expected, answer)
  }
}

export const assertFailsWith = (tag: "NotSent" | "Unanswered", { exit }: Pick<Rehearsal, "exit">): void => {
  assert.isTrue(
    Exit.isFailure(exit),
    `expected ${tag}, and the connector ${endOf({ exit })}: what is not understood may have been executed, and is no answer`
  )
  if (Exit.isSuccess(exit)) return
  const error = Option.getOrThrowWith(
    Cause.findErrorOption(exit.cause),
    () => new Error(`expected ${tag}, got a defect: ${Cause.pretty(exit.cause)}`)
  )
  assert.strictEqual(error._tag, `pointsman/${tag}`, `the connector ${endOf({ exit })}`)
  assert.isNotEmpty(error.reason, "`reason` tells the operator why")
}

/** How the call ended, as one line of a message. */
export const endOf = ({ exit }: Pick<Rehearsal, "exit">): string => {
  if (Exit.isSuccess(exit)) return `answered ${JSON.stringify(exit.value)}`
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  return error === undefined
    ? `died: ${Cause.pretty(exit.cause)}`
    : `failed with ${error._tag.replace("pointsman/", "")}: ${error.reason}`
}

/** One operation is one request: a second one may execute it a second time. */
export const assertRequests = (rehearsal: Pick<Rehearsal, "exit" | "requests">, expected: number): void =>
  assert.strictEqual(
    rehearsal.requests.length,
    expected,
    `requests that were sent: ${rehearsal.requests.length} in place of ${expected}; the connector ${endOf(rehearsal)}`
  )

const assertState = (
  subject: ConnectorUnderTest,
  of: Situation,
  { givenRef }: Rehearsal,
  tag: string,
  state: unknown
): void => {
  const hasWire = subject.wire !== undefined
  const fields = { ...(state as Record<string, unknown>) }
  const take = (name: string): unknown => {
    const value = fields[name]
    delete fields[name]
    return value
  }
  assert.strictEqual(take("_tag"), tag, `what the provider's answer to "${of.name}" means`)
  switch (tag) {
    case "Rejected": {
      const [code, message] = [take("code"), take("message")]
      if (hasWire) assert.deepStrictEqual({ code, message }, of.rejection, "the provider's own code and message")
      assertText(code, "code")
      assertText(message, "message")
      break
    }
    case "CheckoutOpened": {
      const opened = { reference: take("reference"), url: take("url"), expiresAt: take("expiresAt") }
      if (hasWire) {
        const { checkout } = of
        // A provider may name no end, or name it in whole seconds.
        const ends = [checkout.expiresAt, Math.floor(checkout.expiresAt / 1000) * 1000, null]
        const expiresAt = ends.find((end) => end === opened.expiresAt)
        assert.deepStrictEqual(opened, { ...checkout, expiresAt })
      }
      assertText(opened.reference, "reference")
      assertText(opened.url, "url")
      break
    }
    case "Succeeded":
    case "RefundPending":
    case "RefundFailed": {
      const providerRefundId = take("providerRefundId")
      if (hasWire) {
        assert.strictEqual(providerRefundId, of.providerRefundId, "providerRefundId: exactly as in the response")
      }
      assertText(providerRefundId, "providerRefundId")
      if (tag === "RefundFailed") assert.isTrue(["string", "object"].includes(typeof take("reason")))
      break
    }
    case "OperationConfirmed": {
      const captureId = take("captureId")
      if (captureId !== undefined) assertText(captureId, "captureId")
      break
    }
    case "OperationPending":
      break
    case "OperationFailed": {
      assert.strictEqual(
        take("isFinal"),
        !of.name.endsWith("for now"),
        "isFinal: `false` where the provider will, or may, try again by itself"
      )
      const reason = take("reason")
      if (reason !== null) assertText(reason, "reason")
      break
    }
    default: {
      const providerRef = take("providerRef")
      // A provider may give a charge that it did not take no reference.
      const isOptional = tag === "Declined" || tag === "NeedsCustomer" || tag === "Canceled"
      if (!(isOptional && providerRef === null)) {
        assertText(providerRef, "providerRef")
        if (hasWire) assert.strictEqual(providerRef, of.providerRef, "providerRef: exactly as in the response")
        else if (givenRef !== null) assert.strictEqual(providerRef, givenRef)
      }
      if (tag === "Declined") {
        assert.deepStrictEqual(
          { category: take("category"), soft: take("soft") },
          of.decline,
          "the category and softness of the code that `play` gave"
        )
        assertText(take("code"), "code")
        const normalized = take("normalized")
        if (normalized !== undefined) assertNormalized(normalized, of.decline)
      }
    }
  }
  if (tag === "Captured") assertCapture(take("capture"), of.money)
  if (tag in mayState) assertStated(take("stated"), of.money)
  assert.deepStrictEqual(fields, {}, "the answer has nothing besides")
}

/** After these the money may be taken: no other connection may be asked. */
const uncertain: ReadonlySet<unknown> = new Set<DeclineCode>(["response_late", "result_uncertain"])

/** The merchant's decline code must contradict neither its category nor its softness. */
export const assertNormalized = (normalized: unknown, decline: Situation["decline"]): void => {
  const code = declineCodes.find((known) => known === normalized)
  assert.isDefined(code, `normalized: one of ${declineCodes.join(", ")}`)
  assert.strictEqual(categoryOfDecline(code as DeclineCode), decline?.category, "normalized: a code of the category")
  if (uncertain.has(code)) assert.isFalse(decline?.soft, `soft: false after ${code}, because the money may be taken`)
}

const mayState = {
  Authorized: true,
  Captured: true,
  Pending: true,
  OperationConfirmed: true,
  OperationFailed: true,
  Succeeded: true,
  RefundPending: true
}

const assertText = (value: unknown, field: string): void => {
  assert.isString(value, field)
  assert.isNotEmpty(value, field)
}

const assertStated = (stated: unknown, money: Money): void => {
  if (stated !== undefined) {
    assert.deepStrictEqual(stated, money, "stated: the amount in minor units and the currency of the answer")
  }
}

const assertCapture = (capture: unknown, money: Money): void => {
  if (capture === undefined) return
  assertText(textOf(capture, "id"), "capture.id")
  assert.deepStrictEqual(textOf(capture, "money"), money, "capture.money: what the capture took")
}

const textOf = (value: unknown, field: string): unknown => (value as Record<string, unknown> | null)?.[field]
