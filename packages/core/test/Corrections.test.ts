/** Corrections that need a second person: nobody approves their own, and an approval decides again on what is stored. */
import { assert, describe } from "@effect/vitest"
import {
  type FourEyes,
  type OperatorStatement,
  openCorrection,
  type Payment,
  type Person,
  Pointsman
} from "@pointsman/core"
import { Audit, Directory, Unanswered } from "@pointsman/core/ports"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { ann, chargeSays, created, jo } from "./support/Operations.ts"
import { stored, typesOf } from "./support/Pages.ts"
import { assertFields } from "./support/Steps.ts"
import { request, runOut, tenant, type World, workspace, world } from "./support/World.ts"

const providerRef = "ref"
const captured = chargeSays("captured", { amountMinor: 1999, providerRef })
const hash = "0123456789abcdef".repeat(4)
const seen = { evidence: "the provider's dashboard", by: "Jo", fileHash: hash, providerReference: "case 17" }

/** A payment of 19.99 EUR whose provider did not answer. */
const unknown = (own: World) => {
  own.provider.onCharge = () => Effect.fail(new Unanswered({ reason: "time-out" }))
  return created()
}

const state = (payment: Payment, person: Person | undefined, stated: OperatorStatement = captured) =>
  Effect.flatMap(Pointsman, ({ resolveReview }) =>
    resolveReview({ tenant, paymentId: payment.id, stated, ...seen, ...(person === undefined ? {} : { person }) })
  )

const propose = Effect.fnUntraced(function* (own: World, person: Person = jo, stated: OperatorStatement = captured) {
  const payment = yield* unknown(own)
  const correction = openCorrection(yield* state(payment, person, stated))
  assert.exists(correction)
  return { payment, order: { tenant, paymentId: payment.id, correctionId: correction.id } }
})

const refusalOf = <A, R>(
  act: Effect.Effect<A, { readonly _tag: string; readonly reason?: string; readonly field?: string }, R>
) => Effect.map(Effect.flip(act), ({ _tag, field, reason }) => [_tag.replace("pointsman/", ""), field, reason])

const reviews = (payment: Payment) =>
  Effect.map(typesOf(payment), (types) => types.filter((type) => type === "payment.reviewed").length)

const operator = Effect.fnUntraced(function* (login: string, more: { readonly workspaceId?: string | null } = {}) {
  const { operators } = yield* Pointsman
  const grants = [{ workspaceId: more.workspaceId ?? null, role: "operations" as const }]
  const { displayName, id } = yield* operators.add({ login, displayName: `Name of ${login}`, grants })
  return { of: "operators", id, name: displayName } satisfies Person
})

const scene = (fourEyes: FourEyes = {}) => world({ fourEyes })

describe("what needs a second person", () => {
  for (const [name, fourEyes, needs, amountMinor] of [
    ["no limits", undefined, false, 1999],
    ["a limit above the amount", { EUR: 2000 }, false, 1999],
    ["a limit of the amount", { EUR: 1999 }, true, 1999],
    ["a limit of 0", { EUR: 0 }, true, 1999],
    ["limits of other currencies", { JPY: 5_000_000 }, true, 1999],
    ["a limit below the payment and above the statement", { EUR: 1500 }, true, 1]
  ] as const) {
    const own = world(fourEyes === undefined ? {} : { fourEyes })
    itIn(`${name} of 19.99 EUR ${needs ? "is proposed" : "is written"}`, own, function* () {
      const payment = yield* unknown(own)
      const after = yield* state(payment, jo, { ...captured, amountMinor })
      assert.strictEqual(after.state, needs ? "ChargeUnknown" : "Captured")
      assert.strictEqual(openCorrection(after)?.state, needs ? "proposed" : undefined)
      assert.deepStrictEqual(after, yield* stored(payment))
    })
  }

  itIn("a statement without a person is refused, and nothing is written", scene(), function* (own) {
    const payment = yield* unknown(own)
    const [tag, field, reason] = yield* refusalOf(state(payment, undefined))
    assert.deepStrictEqual([tag, field], ["StatementRefused", "by"])
    assert.include(reason, "needs a second person")
    assert.deepStrictEqual(yield* stored(payment), payment)
  })

  itIn("a partner's limits hold for its merchants, and not for other workspaces", world({}), function* (merchant) {
    const directory = yield* Directory
    const partner = { ...workspace, partner: { allowance: 5 }, fourEyes: { EUR: 0 } }
    yield* directory.write({ ...(yield* directory.contents), workspaces: [partner] })
    const pointsman = yield* Pointsman
    const details = { name: "Sub", email: "sub@example.com", country: "NL", category: null }
    const { workspaceId } = yield* pointsman.provisionMerchant({ tenant, workspace: partner }, details)
    const contents = yield* directory.contents
    const connections = contents.connections.map((one) => ({ ...one, id: `${one.id}_sub`, workspaceId }))
    const routing = [{ workspaceId, environment: tenant.environment, settings: { mode: "failover" as const } }]
    yield* directory.write({ ...contents, connections, routing })
    merchant.provider.onCharge = () => Effect.fail(new Unanswered({ reason: "time-out" }))
    const own = contents.workspaces.find(({ id }) => id === workspaceId) ?? workspace
    const theirs = { workspaceId, environment: tenant.environment }
    const { payment } = yield* pointsman.create({ tenant: theirs, workspace: own }, request())
    const order = { tenant: theirs, paymentId: payment.id, stated: captured, ...seen }
    const [, field] = yield* refusalOf(pointsman.resolveReview(order))
    assert.strictEqual(field, "by")
  })

  itIn("the field of a wrong hash or reference of evidence is named", scene(), function* (own, { resolveReview }) {
    const payment = yield* unknown(own)
    const order = { tenant, paymentId: payment.id, stated: captured, ...seen, person: jo }
    for (const [field, given] of [
      ["fileHash", { fileHash: hash.toUpperCase() }],
      ["fileHash", { fileHash: "" }],
      ["providerReference", { providerReference: " " }],
      ["providerReference", { providerReference: "x".repeat(256) }]
    ] as const) {
      assert.strictEqual((yield* refusalOf(resolveReview({ ...order, ...given })))[1], field)
    }
  })
})

describe("a proposal", () => {
  itIn("a proposal changes only the payment's review and version, once", scene(), function* (own) {
    const { order, payment } = yield* propose(own)
    const after = yield* stored(payment)
    const { corrections, ...rest } = after
    assert.deepStrictEqual(rest, {
      ...payment,
      version: payment.version + 1,
      review: { since: payment.review?.since ?? 0, reasons: ["unknown", "correction"] }
    })
    assert.deepStrictEqual(corrections, [
      {
        id: order.correctionId,
        state: "proposed",
        stated: captured,
        target: { attemptId: payment.routing?.attempts[0]?.attemptId ?? null, operationId: null, amountMinor: 1999 },
        evidence: seen,
        proposedBy: jo,
        proposedAt: 0,
        version: payment.version,
        decision: null
      }
    ])
    assert.deepStrictEqual(yield* (yield* Pointsman).proposals(tenant), [after])
    assert.notInclude(yield* typesOf(payment), "payment.reviewed")
    // Repeated, it is stored once; another statement is refused.
    assert.deepStrictEqual((yield* state(payment, { of: "program", name: " JO " })).corrections, corrections)
    for (const [person, amountMinor] of [
      [jo, 1998],
      [ann, 1998],
      [ann, 1999]
    ] as const) {
      const other = state(payment, person, { ...captured, amountMinor })
      assert.include((yield* refusalOf(other))[2], "a correction or a refund of it is proposed")
    }
  })

  itIn("a proposal is stored once when its commit's answer is lost", scene(), function* (own) {
    const payment = yield* unknown(own)
    const before = own.ledger.calls.commit
    own.ledger.onCommit = (number) => (number === before + 1 ? "unheard" : undefined)
    const after = yield* Effect.forkChild(state(payment, jo)).pipe(Effect.flatMap(runOut))
    assert.lengthOf(after.corrections ?? [], 1)
  })
})

describe("an approval", () => {
  itIn("another person's statement is written, and the timeline names both", scene(), function* (own, pointsman) {
    const { order, payment } = yield* propose(own)
    const { correction, payment: after } = yield* pointsman.approveCorrection({ ...order, by: ann })
    assert.deepStrictEqual(
      [after.state, after.capturedMinor, after.review, correction.state, correction.decision],
      ["Captured", 1999, null, "approved", { by: ann, at: 0, reason: null }]
    )
    assert.deepStrictEqual(after, yield* stored(payment))
    const { timeline } = yield* pointsman.paymentFile(tenant, payment.id)
    const reviewed = timeline.find(({ type }) => type === "payment.reviewed")
    assert.deepInclude(reviewed?.data, {
      ...{ reviewed_by: "Jo", approved_by: "Ann" },
      ...{ evidence: seen.evidence, evidence_reference: "case 17", evidence_sha256: hash }
    })
    const entries = yield* Effect.flatMap(Audit, ({ list }) => list({ after: 0, limit: 100 }))
    const about = entries.filter(({ subject }) => subject === payment.id)
    assertFields(about, "action", "review.resolving", "correction.approving")
    assert.include(about[0]?.details, hash)
    assert.include(about[1]?.details, order.correctionId)
    assert.deepStrictEqual(yield* pointsman.proposals(), [])
  })

  itIn("the proposer is refused, however the name is written, and nothing changes", scene(), function* (own) {
    const { order, payment } = yield* propose(own)
    const before = yield* stored(payment)
    const { approveCorrection } = yield* Pointsman
    for (const name of ["Jo", "JO", " jo ", "j o", "\uFF2Ao", "J\u200Bo"]) {
      const [tag, field, reason] = yield* refusalOf(approveCorrection({ ...order, by: { of: "program", name } }))
      assert.deepStrictEqual([tag, field], ["CorrectionRefused", "by"], name)
      assert.include(reason, "nobody approves their own correction")
    }
    assert.deepStrictEqual(yield* stored(payment), before)
  })

  const operators = scene()
  itIn("an operator who is renamed, gets roles, or is added again is the same person", operators, function* () {
    const login = "Jo@Acme.example"
    const proposer = yield* operator(login)
    const other = yield* operator("ann@acme.example")
    const { order, payment } = yield* propose(operators, proposer)
    const { approveCorrection, operators: store } = yield* Pointsman
    const refusalTo = (by: Person) => refusalOf(approveCorrection({ ...order, by }))
    const refused = "nobody approves their own correction: another person has to"
    assert.strictEqual((yield* refusalTo(proposer))[2], refused)
    const grants = [
      { workspaceId: "acme", role: "admin" as const },
      { workspaceId: null, role: "operations" as const }
    ]
    yield* store.edit({ login, displayName: "Somebody else", grants, version: null })
    assert.strictEqual((yield* refusalTo({ ...proposer, name: "Somebody else" }))[2], refused)
    // A program that names the login means the operator.
    assert.strictEqual((yield* refusalTo({ of: "program", name: "JO@acme.EXAMPLE" }))[2], refused)
    yield* store.remove(login)
    assert.include((yield* refusalTo(proposer))[2], "the operator was removed")
    const again = yield* operator("JO@ACME.example")
    assert.strictEqual(again.id, proposer.id)
    assert.strictEqual((yield* refusalTo(again))[2], refused)
    const { correction } = yield* approveCorrection({ ...order, by: other })
    assert.strictEqual(correction.state, "approved")
    assert.strictEqual((yield* stored(payment)).state, "Captured")
  })

  itIn("a correction with another payment's reference is overtaken; both are reviewed", scene(), function* (own) {
    const first = yield* propose(own)
    const second = yield* propose(own)
    const { approveCorrection } = yield* Pointsman
    yield* approveCorrection({ ...first.order, by: ann })
    const { correction, payment } = yield* approveCorrection({ ...second.order, by: ann })
    assert.deepStrictEqual(
      [correction.state, correction.decision?.reason, payment.state, payment.review?.reasons],
      [
        "overtaken",
        `the provider's reference ref belongs to payment ${first.payment.id}`,
        "ChargeMismatched",
        ["unknown", "reference_reused"]
      ]
    )
    assert.deepStrictEqual((yield* stored(first.payment)).review?.reasons, ["reference_reused"])
    assert.deepStrictEqual(payment, yield* stored(payment))
  })

  itIn("a program and an operator of one name do not approve what the other proposed", scene(), function* (own) {
    const signedIn = yield* operator("ann@acme.example")
    const { approveCorrection } = yield* Pointsman
    const byProgram = yield* propose(own, jo)
    const byOperator = yield* propose(own, signedIn)
    for (const act of [
      approveCorrection({ ...byProgram.order, by: signedIn }),
      approveCorrection({ ...byOperator.order, by: jo })
    ]) {
      const [, field, reason] = yield* refusalOf(act)
      assert.deepStrictEqual([field, reason?.includes("may be one person")], ["by", true])
    }
  })

  itIn("an operator of another workspace, an unknown one and a viewer are refused", scene(), function* (own) {
    const { order } = yield* propose(own, yield* operator("jo"))
    const { approveCorrection, operators: store } = yield* Pointsman
    const directory = yield* Directory
    const contents = yield* directory.contents
    yield* directory.write({ ...contents, workspaces: [...contents.workspaces, { ...workspace, id: "globex" }] })
    const elsewhere = yield* operator("ann", { workspaceId: "globex" })
    const viewer = yield* store.add({
      login: "vi",
      displayName: "Vi",
      grants: [{ workspaceId: null, role: "support" }]
    })
    const unknownOne: Person = { of: "operators", id: "opr_0", name: "Nobody" }
    for (const by of [elsewhere, { of: "operators" as const, id: viewer.id, name: "Vi" }, unknownOne]) {
      const [tag, field] = yield* refusalOf(approveCorrection({ ...order, by }))
      assert.deepStrictEqual([tag, field], ["CorrectionRefused", "by"])
    }
  })

  itIn("a correction of a meanwhile settled payment is overtaken and changes nothing", scene(), function* (own) {
    const { order, payment } = yield* propose(own, jo, { ...captured, says: "declined", amountMinor: null })
    const stated = { currency: "EUR", minorUnits: 1999 } as const
    own.provider.onLookUpCharge = () =>
      Effect.succeed({ _tag: "Found", state: { _tag: "Captured", providerRef, stated } })
    yield* TestClock.adjust("20 minutes")
    yield* (yield* Pointsman).checkDue
    const before = yield* stored(payment)
    assert.deepStrictEqual([before.state, before.review?.reasons], ["Captured", ["correction"]])
    const { correction, payment: after } = yield* (yield* Pointsman).approveCorrection({ ...order, by: ann })
    assert.deepStrictEqual(
      [correction.state, correction.decision?.reason],
      ["overtaken", "a payment that is CAPTURED cannot become declined"]
    )
    const { corrections: _, review, version, ...rest } = after
    const { corrections: __, review: ___, version: versionBefore, ...same } = before
    assert.deepStrictEqual([rest, review, version], [same, null, versionBefore + 1])
  })

  const many = world({ fourEyes: {}, yieldBetween: true })
  itIn("one of 64 approvals of 64 people is written, and the others learn whose", many, function* () {
    const { order, payment } = yield* propose(many)
    const { approveCorrection } = yield* Pointsman
    const approvals = Array.from({ length: 64 }, (_, number) =>
      Effect.result(approveCorrection({ ...order, by: { of: "program", name: `Person ${number}` } }))
    )
    const results = yield* Effect.all(approvals, { concurrency: "unbounded" })
    const refusals = results.filter(Result.isFailure).map(({ failure }) => failure._tag)
    assert.deepStrictEqual(refusals, Array(63).fill("pointsman/CorrectionRefused"))
    assert.strictEqual(yield* reviews(payment), 1)
  })

  itIn("an approval after failed commits or lost answers is written once", scene(), function* (own) {
    for (const fault of ["unwritten", "lost", "unheard"] as const) {
      const { order, payment } = yield* propose(own, jo, { ...captured, providerRef: fault })
      const { approveCorrection } = yield* Pointsman
      const next = own.ledger.calls.commit + 1
      own.ledger.onCommit = (number) => (number === next ? fault : undefined)
      const first = yield* Effect.forkChild(Effect.result(approveCorrection({ ...order, by: ann })))
      const result = yield* runOut(first)
      own.ledger.onCommit = () => undefined
      assert.strictEqual(Result.isFailure(result), fault === "unwritten", fault)
      const { correction } = yield* approveCorrection({ ...order, by: ann })
      assert.strictEqual(correction.state, "approved")
      assert.deepStrictEqual([(yield* stored(payment)).capturedMinor, yield* reviews(payment)], [1999, 1])
    }
  })
})

describe("a rejection and a withdrawal", () => {
  itIn("a proposal that another rejects is closed with the reason, and can be made anew", scene(), function* (own) {
    const { order, payment } = yield* propose(own)
    const { approveCorrection, rejectCorrection, withdrawCorrection } = yield* Pointsman
    const reason = "the dashboard shows another amount"
    assert.strictEqual((yield* refusalOf(rejectCorrection({ ...order, by: jo, reason })))[1], "by")
    assert.strictEqual((yield* refusalOf(rejectCorrection({ ...order, by: ann, reason: " " })))[1], "reason")
    assert.strictEqual((yield* refusalOf(withdrawCorrection({ ...order, by: ann })))[1], "by")
    const { correction, payment: after } = yield* rejectCorrection({ ...order, by: ann, reason })
    assert.deepStrictEqual(
      [correction.state, correction.decision, after.state, after.review?.reasons],
      ["rejected", { by: ann, at: 0, reason }, "ChargeUnknown", ["unknown"]]
    )
    const late = yield* refusalOf(approveCorrection({ ...order, by: ann }))
    assert.deepStrictEqual(late, ["CorrectionRefused", "correction", "it was rejected by Ann before"])
    const next = openCorrection(yield* state(payment, jo))
    assert.notStrictEqual(next?.id, order.correctionId)
    assertFields((yield* stored(payment)).corrections, "state", "rejected", "proposed")
  })

  itIn("a proposal that its proposer withdraws is closed, also if asked twice", scene(), function* (own) {
    const { order, payment } = yield* propose(own)
    const { withdrawCorrection } = yield* Pointsman
    yield* withdrawCorrection({ ...order, by: jo })
    const { correction } = yield* withdrawCorrection({ ...order, by: jo })
    assert.strictEqual(correction.state, "withdrawn")
    assert.deepStrictEqual((yield* stored(payment)).review?.reasons, ["unknown"])
    const missing = { ...order, correctionId: "cor_0", by: jo }
    assert.strictEqual((yield* refusalOf(withdrawCorrection(missing)))[0], "CorrectionNotFound")
  })
})
