/** Disputes: their records, the evidence that is kept and sent once, and submissions without an answer. */
import { assert, describe } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { Audit, Ledger, StorageError, Unanswered } from "@pointsman/core/ports"
import type { CommitFault } from "@pointsman/core/testing"
import { Effect, Fiber, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { answer, begin, day, disputed, disputeEvents, keep, opened, pdf, read, state } from "./support/Disputes.ts"
import { itHere, itIn } from "./support/ItIn.ts"
import { created } from "./support/Operations.ts"
import { stored } from "./support/Pages.ts"
import { caller, runOut, tenant, type World, world } from "./support/World.ts"

const minute = 60_000
const checkDue = Effect.flatMap(Pointsman, (pointsman) => pointsman.checkDue)

/** A dispute for which evidence is kept. */
const withEvidence = Effect.tap(
  Effect.suspend(() => disputed()),
  ({ dispute }) => keep(dispute.id)
)

describe("a dispute as its provider states it", () => {
  itHere("a message that states a dispute is recorded in the commit of the payment's move", function* (own) {
    const { dispute, payment } = yield* disputed()
    assert.strictEqual((yield* stored(payment)).state, "ChargedBack")
    const { evidenceDueBy, money, paymentId, providerReason, reason, status } = dispute
    assert.deepStrictEqual(
      { evidenceDueBy, money, paymentId, providerReason, reason, status },
      { evidenceDueBy: begin + 10 * day, paymentId: payment.id, status: "needs_response", ...opened }
    )
    assert.deepStrictEqual(yield* disputeEvents(payment.id), ["dispute.opened"])
    const commits = own.ledger.changes.filter(({ disputes }) => disputes !== undefined)
    assert.deepStrictEqual(
      commits.map(({ payment: { after } }) => after.state),
      ["ChargedBack"]
    )
  })

  itHere("an inquiry is a warning, and the payment stays as it is", function* () {
    const { dispute, payment } = yield* disputed({ verdict: null })
    assert.strictEqual(dispute.status, "warning")
    assert.strictEqual((yield* stored(payment)).state, "Captured")
    yield* state(payment.providerRef, { verdict: "opened" }, begin + 1)
    assert.strictEqual((yield* read(dispute.id)).status, "needs_response")
    assert.strictEqual((yield* stored(payment)).state, "ChargedBack")
    assert.deepStrictEqual(yield* disputeEvents(payment.id), ["dispute.opened", "dispute.updated"])
  })

  const won = (at: number) => [{ verdict: "won" }, at] as const
  const lost = (at: number) => [{ verdict: "lost" }, at] as const
  const opens = (at: number) => [{ verdict: "opened" }, at] as const
  const review = (at: number) => [{ verdict: "opened", status: "under_review" }, at] as const
  for (const [title, messages, wanted, events] of [
    ["an end and a late opening", [won(5), opens(4)], "won", ["won"]],
    ["an end that is dated before the opening", [won(-5)], "needs_response", []],
    ["an end that is dated as the opening", [won(0)], "won", ["won"]],
    ["an end, and an opening that is dated after it", [won(5), opens(6)], "needs_response", ["won", "opened"]],
    ["two ends, the earlier one last", [lost(6), won(5)], "lost", ["lost"]],
    ["two ends in their order", [won(5), lost(6)], "lost", ["won", "lost"]],
    ["the same twice", [lost(6), lost(6)], "lost", ["lost"]],
    ["a review and a late opening", [review(5), opens(5)], "under_review", ["updated"]],
    ["a review, and evidence that is asked for again", [review(5), opens(6)], "needs_response", ["updated", "updated"]]
  ] as const) {
    itHere(`${title} makes the dispute ${wanted}, and each move has one event`, function* () {
      const { dispute, payment } = yield* disputed()
      for (const [said, at] of messages) yield* state(payment.providerRef, said, begin + at)
      assert.strictEqual((yield* read(dispute.id)).status, wanted)
      assert.deepStrictEqual(yield* disputeEvents(payment.id), [
        "dispute.opened",
        ...events.map((event) => `dispute.${event}`)
      ])
    })
  }

  itHere("an invalid amount is none; an older statement does not take a deadline back", function* () {
    const { dispute, payment } = yield* disputed({ money: { minorUnits: Number.NaN, currency: "EUR" } })
    assert.isNull(dispute.money)
    yield* state(payment.providerRef, { dueBy: begin + 12 * day }, begin + 5)
    yield* state(payment.providerRef, { dueBy: begin + 10 * day }, begin + 4)
    assert.strictEqual((yield* read(dispute.id)).evidenceDueBy, begin + 12 * day)
    assert.deepStrictEqual(yield* disputeEvents(payment.id), ["dispute.opened", "dispute.updated"])
  })
})

describe("evidence", () => {
  itHere("the provider has submitted texts and a file once, and nothing is kept", function* (own) {
    const { dispute, payment } = yield* disputed()
    const kept = yield* keep(dispute.id)
    assert.deepStrictEqual(kept.evidence?.texts, ["summary"])
    const sealed = (yield* Ledger).evidence(tenant, payment.id, dispute.id)
    assert.isTrue(Option.isSome(yield* sealed))
    assert.strictEqual(yield* answer(dispute.id), "under_review")
    const [submission] = own.provider.submissions
    assert.deepStrictEqual(submission?.texts, { summary: "It arrived." })
    assert.deepStrictEqual(submission?.files, [{ name: "receipt", type: "application/pdf", bytes: pdf }])
    assert.strictEqual(submission?.disputeId, "du_1")
    const after = yield* read(dispute.id)
    assert.deepStrictEqual([after.evidence, after.evidenceSubmittedAt], [null, begin])
    assert.isTrue(Option.isNone(yield* sealed))
    assert.deepStrictEqual(yield* disputeEvents(payment.id), ["dispute.opened", "dispute.submitted"])
    assert.strictEqual(yield* answer(dispute.id), "under_review")
    assert.strictEqual(yield* answer(dispute.id, "another-key"), "DisputeClosed")
    assert.lengthOf(own.provider.submissions, 1)
  })

  for (const [title, keyOf] of [
    ["one key", () => "key-12345"],
    ["keys of their own", (at: number) => `key-${at}-own`],
    ["no key", () => null]
  ] as const) {
    itIn(`64 submissions at once with ${title} ask the provider once`, world({ yieldBetween: true }), function* (own) {
      const { dispute, payment } = yield* withEvidence
      own.provider.onSubmitDispute = () => Effect.as(Effect.sleep(50), { _tag: "SubmissionDone" })
      const all = Array.from({ length: 64 }, (_, at) => answer(dispute.id, keyOf(at)))
      const fiber = yield* Effect.forkChild(Effect.all(all, { concurrency: "unbounded" }))
      const answers = yield* runOut(fiber)
      assert.lengthOf(own.provider.submissions, 1)
      assert.strictEqual(answers.filter((one) => one === "under_review").length, 1)
      const possible = ["under_review", "DisputePending", "DisputeClosed", "TakenByAnother"]
      for (const one of answers) assert.include(possible, one)
      assert.deepStrictEqual(yield* disputeEvents(payment.id), ["dispute.opened", "dispute.submitted"])
    })
  }

  itHere("the refusal of invalid evidence names the field and what was expected", function* (own) {
    const { dispute } = yield* disputed()
    const fault = (order: Parameters<typeof keep>[1]) =>
      Effect.map(Effect.flip(keep(dispute.id, order)), (failure) =>
        failure._tag === "pointsman/InvalidEvidence" ? [failure.field, failure.expected] : failure._tag
      )
    const large = new Uint8Array(5_000_001)
    large.set(pdf)
    const pages = (bytes: Uint8Array) => ({ files: [{ name: "page", bytes }] })
    for (const [order, field, expected] of [
      [{}, "evidence", "at least one text or file"],
      [{ texts: { long: "ß".repeat(20_001) } }, "long", "a text of 1 to 20,000 characters"],
      [pages(new Uint8Array([60, 104])), "page", "a PDF, JPEG or PNG file"],
      [pages(large), "evidence", "files of at most 5,000,000 bytes together"],
      [{ texts: { Bad: "x" } }, "Bad", "a name of 1 to 60 lower-case letters, digits and underscores, a letter first"]
    ] as const) {
      assert.deepStrictEqual(yield* fault({ texts: {}, files: [], ...order }), [field, expected])
    }
    assert.strictEqual(yield* answer(dispute.id), "InvalidEvidence")
    assert.lengthOf(own.provider.submissions, 0)
  })

  itHere("nothing is kept or sent for a dispute that has ended or does not exist", function* (own) {
    const { dispute, payment } = yield* withEvidence
    yield* state(payment.providerRef, { verdict: "lost" }, begin + 1)
    assert.isNull((yield* read(dispute.id)).evidence)
    assert.isTrue(Option.isNone(yield* (yield* Ledger).evidence(tenant, payment.id, dispute.id)))
    assert.strictEqual((yield* Effect.flip(keep(dispute.id)))._tag, "pointsman/DisputeClosed")
    assert.strictEqual(yield* answer(dispute.id), "DisputeClosed")
    assert.strictEqual(yield* answer("dp_none"), "DisputeNotFound")
    assert.lengthOf(own.provider.submissions, 0)
  })
})

describe("an answer to a dispute", () => {
  itHere("an acceptance is sent once, and a later loss changes nothing", function* (own) {
    const { dispute, payment } = yield* disputed()
    assert.strictEqual(yield* answer(dispute.id, "key-12345", "accept"), "accepted")
    yield* state(payment.providerRef, { verdict: "lost" }, begin + 1)
    assert.strictEqual((yield* read(dispute.id)).status, "accepted")
    assert.strictEqual(yield* answer(dispute.id, "key-12345", "accept"), "accepted")
    assert.strictEqual(yield* answer(dispute.id, "key-12345", "submit"), "KeyReused")
    assert.lengthOf(own.provider.acceptances, 1)
    assert.deepStrictEqual(yield* disputeEvents(payment.id), ["dispute.opened", "dispute.accepted"])
  })

  itHere("an accepted dispute is not opened again by a message written before", function* () {
    const { dispute, payment } = yield* disputed()
    yield* TestClock.setTime(begin + 10)
    assert.strictEqual(yield* answer(dispute.id, "key-12345", "accept"), "accepted")
    yield* state(payment.providerRef, { status: "under_review" }, begin + 9)
    assert.strictEqual((yield* read(dispute.id)).status, "accepted")
    yield* state(payment.providerRef, { verdict: "won" }, begin + 11)
    assert.strictEqual((yield* read(dispute.id)).status, "won")
    assert.strictEqual((yield* stored(payment)).state, "Captured")
  })

  itHere("evidence requested again is kept and sent although messages come before it", function* () {
    const { dispute, payment } = yield* withEvidence
    assert.strictEqual(yield* answer(dispute.id), "under_review")
    const sealed = Effect.flatMap(Ledger, (ledger) => ledger.evidence(tenant, payment.id, dispute.id))
    assert.isTrue(Option.isNone(yield* sealed))
    yield* TestClock.setTime(begin + 1000)
    yield* state(payment.providerRef, { verdict: "opened", status: "needs_response" }, begin + 500)
    yield* keep(dispute.id)
    for (const at of [begin + 900, begin + 950]) {
      yield* state(payment.providerRef, { verdict: "opened", status: "needs_response" }, at)
    }
    assert.isTrue(Option.isSome(yield* sealed))
    assert.isNotNull((yield* read(dispute.id)).evidence)
    assert.strictEqual(yield* answer(dispute.id, "key-second"), "under_review")
    assert.isTrue(Option.isNone(yield* sealed))
    // What is kept is dropped with the dispute's end.
    yield* state(payment.providerRef, { verdict: "opened", status: "needs_response" }, begin + 2000)
    yield* keep(dispute.id)
    yield* state(payment.providerRef, { verdict: "lost" }, begin + 3000)
    assert.isTrue(Option.isNone(yield* sealed))
    assert.isNull((yield* read(dispute.id)).evidence)
  })

  itHere("a refusal is replayed by its key, and another key may send again", function* (own) {
    const { dispute } = yield* withEvidence
    own.provider.onSubmitDispute = () =>
      Effect.succeed({ _tag: "Rejected", code: "too_long", message: "The evidence is too long." })
    assert.strictEqual(yield* answer(dispute.id), "ProviderRefused")
    assert.strictEqual(yield* answer(dispute.id), "ProviderRefused")
    own.provider.onSubmitDispute = () => Effect.succeed({ _tag: "SubmissionDone" })
    assert.strictEqual(yield* answer(dispute.id, "another-key"), "under_review")
    assert.lengthOf(own.provider.submissions, 2)
    assert.notStrictEqual(own.provider.submissions[0]?.operationId, own.provider.submissions[1]?.operationId)
  })

  itHere("a connection that cannot answer disputes is unsupported", function* () {
    const { dispute } = yield* disputed({ disputeId: null })
    assert.strictEqual(yield* answer(dispute.id, null, "accept"), "Unsupported")
  })

  itHere("evidence that a provider still processes is pending until a lookup ends it", function* (own) {
    const { dispute, payment } = yield* withEvidence
    own.provider.onSubmitDispute = () => Effect.succeed({ _tag: "SubmissionPending" })
    assert.strictEqual(yield* answer(dispute.id), "DisputePending")
    assert.strictEqual(yield* answer(dispute.id, "another-key"), "DisputePending")
    own.provider.onLookUpDispute = () =>
      Effect.succeed({ _tag: "Found", state: { _tag: "SubmissionFailed", reason: "A page is missing." } })
    yield* TestClock.adjust(60 * minute)
    yield* checkDue
    const after = yield* read(dispute.id)
    assert.deepStrictEqual([after.status, after.evidenceSubmittedAt], ["needs_response", null])
    assert.isNotNull(after.evidence)
    assert.deepStrictEqual(yield* disputeEvents(payment.id), ["dispute.opened", "dispute.submitted", "dispute.updated"])
    assert.strictEqual(yield* answer(dispute.id), "ProviderRefused")
  })
})

describe("a submission without an answer", () => {
  const unanswered = () => Effect.fail(new Unanswered({ reason: "the connection was lost" }))
  itHere("a lookup ends evidence that the provider has, and it is never sent again", function* (own, pointsman) {
    const { dispute, payment } = yield* withEvidence
    own.provider.onSubmitDispute = unanswered
    assert.strictEqual(yield* answer(dispute.id), "ResultUnknown")
    assert.strictEqual(yield* answer(dispute.id), "ResultUnknown")
    assert.strictEqual(yield* answer(dispute.id, "another-key"), "DisputePending")
    yield* TestClock.adjust(minute - 1)
    yield* pointsman.checkDue
    assert.lengthOf(own.provider.disputeLookUps, 0)
    own.provider.onLookUpDispute = () => Effect.succeed({ _tag: "Found", state: { _tag: "SubmissionDone" } })
    yield* TestClock.adjust(1)
    yield* pointsman.checkDue
    const [lookUp] = own.provider.disputeLookUps
    assert.deepStrictEqual(
      [lookUp?.operationId, lookUp?.kind, lookUp?.disputeId],
      [own.provider.submissions[0]?.operationId, "submit", "du_1"]
    )
    assert.strictEqual((yield* read(dispute.id)).status, "under_review")
    assert.strictEqual(yield* answer(dispute.id), "under_review")
    assert.lengthOf(own.provider.submissions, 1)
    assert.deepStrictEqual(yield* disputeEvents(payment.id), ["dispute.opened", "dispute.submitted"])
  })

  itHere("evidence that a provider never received is believed late, and may be sent again", function* (own) {
    const { dispute } = yield* withEvidence
    own.provider.onSubmitDispute = unanswered
    yield* answer(dispute.id)
    own.provider.onLookUpDispute = () => Effect.succeed({ _tag: "NotFound", conclusive: true })
    const pointsman = yield* Pointsman
    // A lookup at one minute is younger than twice the time-out and the send window: it says nothing yet.
    yield* TestClock.adjust(minute)
    yield* pointsman.checkDue
    assert.strictEqual(yield* answer(dispute.id), "ResultUnknown")
    yield* TestClock.adjust(4 * minute)
    yield* pointsman.checkDue
    assert.lengthOf(own.provider.disputeLookUps, 2)
    assert.strictEqual(yield* answer(dispute.id), "ProviderRefused")
    own.provider.onSubmitDispute = () => Effect.succeed({ _tag: "SubmissionDone" })
    assert.strictEqual(yield* answer(dispute.id, "another-key"), "under_review")
    assert.lengthOf(own.provider.submissions, 2)
  })

  itHere("a message of a review makes the lookup decide at once whose evidence it is", function* (own) {
    const { dispute, payment } = yield* withEvidence
    own.provider.onSubmitDispute = unanswered
    yield* answer(dispute.id)
    yield* state(payment.providerRef, { status: "under_review" }, begin + 1)
    // Somebody may have sent evidence on the provider's dashboard: ours is kept.
    assert.strictEqual(yield* answer(dispute.id), "ResultUnknown")
    assert.exists((yield* read(dispute.id)).evidence)
    yield* checkDue
    yield* checkDue
    assert.lengthOf(own.provider.disputeLookUps, 1)
    assert.strictEqual(yield* answer(dispute.id), "ResultUnknown")
    own.provider.onLookUpDispute = () => Effect.succeed({ _tag: "Found", state: { _tag: "SubmissionDone" } })
    yield* TestClock.adjust(minute)
    yield* checkDue
    assert.deepStrictEqual(yield* disputeEvents(payment.id), ["dispute.opened", "dispute.updated", "dispute.submitted"])
    assert.strictEqual(yield* answer(dispute.id), "under_review")
  })

  for (const [title, millis, verdict, wanted] of [
    ["a message of a review confirms evidence that the provider cannot look up", minute, null, "under_review"],
    ["a provider without lookup that reviews and decides at once had the evidence", 0, "won", "won"]
  ] as const) {
    itHere(title, function* (own, pointsman) {
      const { dispute, payment } = yield* withEvidence
      own.provider.onSubmitDispute = unanswered
      own.provider.onLookUpDispute = () => Effect.fail(new Unanswered({ reason: "no lookup", isUnsupported: true }))
      yield* answer(dispute.id)
      yield* TestClock.adjust(millis)
      yield* pointsman.checkDue
      assert.strictEqual(yield* answer(dispute.id), "ResultUnknown")
      yield* state(payment.providerRef, { status: "under_review" }, begin + 2 * minute)
      if (verdict !== null) yield* state(payment.providerRef, { verdict, status: verdict }, begin + 3 * minute)
      yield* pointsman.checkDue
      const { checkAt, status, submissions } = yield* read(dispute.id)
      assert.deepStrictEqual([status, submissions.at(-1)?.stage], [wanted, "Done"])
      if (verdict !== null) assert.isNull(checkAt)
    })
  }

  for (const [end, found, wanted] of [
    ["has it", { _tag: "Found", state: { _tag: "SubmissionDone" } }, ["accepted", "dispute.accepted"]],
    ["never received it", { _tag: "NotFound", conclusive: true }, ["lost", "ProviderRefused"]]
  ] as const) {
    itHere(`the lookup decides an unanswered acceptance when the provider ${end} a loss`, function* (own) {
      const { dispute, payment } = yield* disputed()
      own.provider.onAcceptDispute = unanswered
      assert.strictEqual(yield* answer(dispute.id, "key-12345", "accept"), "ResultUnknown")
      // It may be lost for another reason: its deadline passed.
      yield* state(payment.providerRef, { verdict: "lost" }, begin + 1)
      assert.strictEqual((yield* read(dispute.id)).status, "lost")
      assert.strictEqual(yield* answer(dispute.id, "key-12345", "accept"), "ResultUnknown")
      own.provider.onLookUpDispute = () => Effect.succeed(found)
      yield* TestClock.adjust(5 * minute)
      yield* checkDue
      assert.deepStrictEqual(
        [
          (yield* read(dispute.id)).status,
          found._tag === "Found"
            ? (yield* disputeEvents(payment.id)).at(-1)
            : yield* answer(dispute.id, "key-12345", "accept")
        ],
        [...wanted]
      )
    })
  }

  itHere("another process looks up what one that died had asked, and sends nothing", function* (own) {
    const { dispute } = yield* withEvidence
    own.provider.onSubmitDispute = () => Effect.never
    const asking = yield* Effect.forkDetach(answer(dispute.id), { startImmediately: true })
    yield* TestClock.adjust(1)
    assert.lengthOf(own.provider.submissions, 1)
    const other = yield* own.another
    own.provider.onLookUpDispute = () => Effect.succeed({ _tag: "Found", state: { _tag: "SubmissionDone" } })
    // The first process records nothing from here on.
    own.ledger.onCommit = (_, { disputes }) =>
      disputes?.some(({ submissions }) => submissions.at(-1)?.failureReason === "the connector did not return in time")
        ? "unwritten"
        : undefined
    yield* TestClock.adjust(15 * minute)
    yield* other.checkDue
    yield* TestClock.adjust(minute)
    yield* other.checkDue
    assert.strictEqual((yield* read(dispute.id)).status, "under_review")
    assert.lengthOf(own.provider.submissions, 1)
    yield* Fiber.interrupt(asking)
  })
})

for (const kind of ["submit", "accept"] as const) {
  itHere(`a refused request to ${kind} keeps, claims and sends nothing`, function* (own, pointsman) {
    const { dispute } = yield* withEvidence
    const audit = yield* Audit
    const refused = Effect.fail(new StorageError({ operation: "append", cause: new Error("the disk is full") }))
    const desk = yield* own.another.pipe(Effect.provideService(Audit, { ...audit, append: () => refused }))
    const operator = { ...caller, operator: "Jo" }
    const before = own.ledger.calls.commit
    const evidence = { disputeId: dispute.id, texts: { summary: "Another one." }, files: [] }
    assert.strictEqual((yield* Effect.flip(desk.keepEvidence(operator, evidence)))._tag, "pointsman/StorageError")
    const order = { disputeId: dispute.id, kind, idempotencyKey: "key-12345" } as const
    assert.strictEqual((yield* Effect.flip(desk.submitDispute(operator, order)))._tag, "pointsman/NothingSent")
    const sent = kind === "submit" ? own.provider.submissions : own.provider.acceptances
    assert.deepStrictEqual([own.ledger.calls.commit, sent.length], [before, 0])
    // The control: the same acts with an audit trail.
    assert.isTrue(Result.isSuccess(yield* Effect.result(pointsman.submitDispute(operator, order))))
    assert.lengthOf(sent, 1)
  })
}

describe("a store that fails", () => {
  /** The commit of that number from now on ends so. */
  const endingWith = ({ ledger }: World, commit: number, fault: CommitFault) => {
    const before = ledger.calls.commit
    ledger.onCommit = (number) => (number === before + commit ? fault : undefined)
  }

  for (const fault of ["unwritten", "lost", "unheard"] as const) {
    itHere(`a claim that ends ${fault} sends nothing, and the key is free`, function* (own) {
      const { dispute } = yield* withEvidence
      endingWith(own, 1, fault)
      assert.strictEqual(yield* runOut(yield* Effect.forkChild(answer(dispute.id))), "NothingSent")
      assert.lengthOf(own.provider.submissions, 0)
      assert.strictEqual(yield* answer(dispute.id), "under_review")
      assert.lengthOf(own.provider.submissions, 1)
    })

    itHere(`one dispute is stored when a message repeats after a commit that ends ${fault}`, function* (own) {
      yield* TestClock.setTime(begin)
      const payment = yield* created()
      endingWith(own, 1, fault)
      const said = { ...opened, dueBy: begin + 10 * day }
      const first = yield* Effect.result(state(payment.providerRef, said))
      assert.strictEqual(Result.isFailure(first), fault === "unwritten")
      yield* state(payment.providerRef, said)
      assert.lengthOf((yield* (yield* Pointsman).disputes(tenant, { limit: 10 })).items, 1)
      assert.deepStrictEqual(yield* disputeEvents(payment.id), ["dispute.opened"])
    })

    itHere(`a result whose commit ends ${fault} is recorded all the same, and sent once`, function* (own) {
      const { dispute, payment } = yield* withEvidence
      endingWith(own, 2, fault)
      assert.strictEqual(yield* runOut(yield* Effect.forkChild(answer(dispute.id))), "under_review")
      assert.lengthOf(own.provider.submissions, 1)
      assert.deepStrictEqual(yield* disputeEvents(payment.id), ["dispute.opened", "dispute.submitted"])
    })
  }

  itHere("a request learns that its result is not stored for minutes; it is recorded later", function* (own) {
    const { dispute, payment } = yield* withEvidence
    const before = own.ledger.calls.commit
    own.ledger.onCommit = (number) => (number > before + 1 ? "unwritten" : undefined)
    const fiber = yield* Effect.forkChild(answer(dispute.id))
    assert.strictEqual(yield* runOut(fiber), "StateUnconfirmed")
    own.ledger.onCommit = () => undefined
    yield* TestClock.adjust(2 * minute)
    assert.strictEqual(yield* answer(dispute.id), "under_review")
    assert.lengthOf(own.provider.submissions, 1)
    assert.deepStrictEqual(yield* disputeEvents(payment.id), ["dispute.opened", "dispute.submitted"])
  })
})
