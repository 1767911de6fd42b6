import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import {
  allPages,
  asksOf,
  noMethod,
  type Operation,
  type PaymentRequests,
  paymentRequests
} from "@pointsman/contracts/connector"
import { itRuns, itRunsLive } from "@pointsman/contracts/vitest"
import {
  type ChargeSimulation,
  chargeSimulations,
  type DeclineCategory,
  declineCategories,
  lookupSimulations,
  money,
  type Simulation
} from "@pointsman/core/connector"
import { Effect, Layer, Predicate, Result, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { SandboxConnector, SandboxRecords } from "../src/index.ts"
import { connected, newFile, newPath } from "./support/Records.ts"

const eur = (minorUnits: number) => money(minorUnits, "EUR")
const ref = "sbx_att_1"
const requests = paymentRequests({
  ...{ attemptId: "att_1", captureId: "op_capture", voidId: "op_void", refundId: "rf_1" },
  ...{ providerRef: ref, instrument: "", money: eur(1000) }
})
const paymentId = requests.charge.paymentId
const held = { capture: false }
const ofVoid = { kind: "void", operationId: "op_void" } as const

/** Asks for each operation of the same charge, with a change; gives the answer, or the tag of the failure. */
const playing =
  (records: SandboxRecords["Service"], connectionId?: string) =>
  <O extends Operation>(operation: O, change: Partial<PaymentRequests[O]> = {}): Effect.Effect<unknown> =>
    Effect.match(
      asksOf({ ...requests, [operation]: { ...requests[operation], ...change } })[operation](
        connected(records, connectionId)
      ),
      { onFailure: ({ _tag }) => _tag, onSuccess: (answer) => answer }
    )
type Play = ReturnType<typeof playing>

/** The code of a refusal. */
const codeOf = (answer: unknown): unknown =>
  Predicate.isTagged(answer, "Rejected") && Predicate.hasProperty(answer, "code") ? answer.code : undefined

const countExecuted = (records: SandboxRecords["Service"], ofPayment = paymentId) =>
  Effect.map(records.charges(ofPayment), (charges) => charges.filter((record) => record.executed).length)

const unanswered = "pointsman/Unanswered"
const state = (tag: string, minorUnits?: number) => ({
  ...{ _tag: tag, providerRef: ref },
  ...(minorUnits === undefined ? {} : { stated: eur(minorUnits) })
})
const authorized = state("Authorized", 1000)
const captured = state("Captured", 1000)
const canceled = state("Canceled")
const declined = (category: DeclineCategory, soft: boolean) => ({
  ...state("Declined"),
  ...{ category, code: category, soft }
})
const notFound = { _tag: "NotFound", conclusive: true }
/** `null`: it was never received. */
const found = (state: unknown) => (state === null ? notFound : { _tag: "Found", state })
const confirmed = (minorUnits?: number) =>
  found({ _tag: "OperationConfirmed", ...(minorUnits === undefined ? {} : { stated: eur(minorUnits) }) })

/** What a charge is answered with, and what it becomes: the same where a lookup finds that it was not executed, or this. */
type Outcome = readonly [charge: ChargeSimulation, answer: unknown, executed: unknown, not_executed?: unknown]

const outcomesOf = (success: unknown): ReadonlyArray<Outcome> => [
  ["approve", success, success],
  ...declineCategories.flatMap((category): ReadonlyArray<Outcome> => {
    const hard = declined(category, false)
    const soft = declined(category, true)
    return [
      [`decline:${category}`, hard, hard],
      [`soft_decline:${category}`, soft, soft]
    ]
  }),
  ["requires_authentication", state("NeedsCustomer"), state("NeedsCustomer")],
  [
    "technical_error",
    {
      _tag: "Rejected",
      code: "technical_error",
      message: "The simulator rejected the charge without processing it."
    },
    null
  ],
  ["no_answer", unanswered, success, null],
  ["pending", state("Pending", 1000), success, canceled]
]

const chargeCases = [true, false].flatMap((capture) => {
  const success = capture ? captured : authorized
  return outcomesOf(success).map(([charge, answers, executed, not_executed = executed]) => ({
    ...{ charge, capture, success, answers, executed, not_executed }
  }))
})

/** Charges `att_1` in a process of its own, kills it without a warning, and gives the tag of the answer it had. */
const chargeAndKill = (path: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const script = fileURLToPath(new URL("support/ChargeAndStay.ts", import.meta.url))
    const child = spawn(process.execPath, ["--conditions=@pointsman/source", script, path], {
      stdio: ["pipe", "pipe", "inherit"]
    })
    let said = ""
    child.stdout.on("data", (chunk) => {
      said += String(chunk)
      child.kill("SIGKILL")
    })
    child.once("error", reject)
    child.once("close", (code, signal) => {
      if (signal === "SIGKILL") resolve(said)
      else reject(new Error(`the process ended by itself with ${code}, having said "${said}"`))
    })
  })

it("every outcome of charge is among the cases below, captured and held", () => {
  const named = chargeCases.map((row) => `${row.charge} ${row.capture}`)
  assert.deepStrictEqual(
    named.toSorted(),
    chargeSimulations.flatMap((name) => [`${name} true`, `${name} false`]).toSorted()
  )
  assert.deepStrictEqual([...lookupSimulations], ["executed", "not_executed", "no_answer"])
})

describe.each([
  { name: "in memory", layer: SandboxRecords.layerMemory },
  { name: "in a file", layer: Layer.effect(SandboxRecords, newFile) }
])("record $name", ({ layer }) => {
  /** A record of its own for every test. */
  const testRecord = (
    title: string,
    test: (play: Play, records: SandboxRecords["Service"]) => Effect.fn.Return<unknown, unknown, Scope.Scope>
  ) =>
    it.effect(title, () =>
      Effect.flatMap(SandboxRecords, (records) => Effect.gen(() => test(playing(records), records))).pipe(
        Effect.provide(layer)
      )
    )

  describe("charge and lookup", () => {
    for (const row of chargeCases) {
      for (const told of [undefined, ...lookupSimulations]) {
        const simulation: Simulation = { charge: row.charge, ...(told === undefined ? {} : { lookup: told }) }
        const state = told === "not_executed" ? row.not_executed : row.executed
        testRecord(
          `${row.charge}${row.capture ? "" : ", held"}, ${told ?? "untold"}, is as executed`,
          function* (play, records) {
            assert.deepStrictEqual(yield* play("charge", { capture: row.capture, simulation }), row.answers)
            const looked = yield* play("lookUpCharge", { simulation })
            assert.deepStrictEqual(looked, told === "no_answer" ? unanswered : found(state))
            if (told === "no_answer") {
              // Only the lookup got no response; the record behind it is unchanged.
              assert.deepStrictEqual(yield* play("lookUpCharge"), found(row.executed))
            }
            assert.strictEqual(yield* countExecuted(records), state === row.success ? 1 : 0)
          }
        )
      }
    }

    testRecord("a lookup played as executed conclusively finds nothing that was never sent", function* (play) {
      assert.deepStrictEqual(yield* play("lookUpCharge", { simulation: { lookup: "executed" } }), notFound)
    })

    testRecord("each attempt plays its outcome of a list, and the last one applies to the rest", function* (play) {
      const simulation: Simulation = { charge: ["soft_decline:do_not_honor", "approve"] }
      const answers = yield* Effect.forEach([1, 2, 3], (attemptNumber) =>
        play("charge", { attemptId: `att_${attemptNumber}`, attemptNumber, simulation })
      )
      assert.deepStrictEqual(
        answers.map((answer) => Predicate.hasProperty(answer, "_tag") && answer._tag),
        ["Declined", "Captured", "Captured"]
      )
    })
  })

  describe("the same id again", () => {
    testRecord("an attempt with another simulation gets the recorded answer of one charge", function* (play, records) {
      yield* play("charge")
      assert.deepStrictEqual(yield* play("charge", { simulation: { charge: "decline:other" } }), captured)
      assert.strictEqual(yield* countExecuted(records), 1)
    })

    testRecord("an unanswered charge that comes again is answered as it was executed, once", function* (play, records) {
      const simulation: Simulation = { charge: "no_answer" }
      assert.strictEqual(yield* play("charge", { simulation }), unanswered)
      assert.deepStrictEqual(yield* play("charge", { simulation }), captured)
      assert.strictEqual(yield* countExecuted(records), 1)
    })

    testRecord("two approved attempts of one payment are on record as money moved twice", function* (play, records) {
      yield* play("charge", { paymentId: "p" })
      const other = playing(records, "b")
      yield* other("charge", { attemptId: "att_2", paymentId: "p" })
      yield* other("charge", { attemptId: "att_3", paymentId: "another" })
      assert.strictEqual(yield* countExecuted(records, "p"), 2)
    })

    testRecord("a charge at one connection is not found by another's lookup or capture", function* (play, records) {
      yield* play("charge", held)
      const other = playing(records, "b")
      assert.deepStrictEqual(yield* other("lookUpCharge"), notFound)
      assert.strictEqual(codeOf(yield* other("capture")), "charge_not_found")
      assert.strictEqual(codeOf(yield* other("void")), "charge_not_found")
    })
  })

  describe("capture and void", () => {
    const done = {
      capture: { state: captured, found: confirmed(1000), of: {}, other: ofVoid },
      void: { state: canceled, found: confirmed(), of: ofVoid, other: {} }
    }
    for (const [what, told, answers, isDone, lookup] of [
      ["untold", undefined, "done", true, {}],
      ["confirm", "confirm", "done", true, {}],
      ["refuse", "refuse", "refused", false, {}],
      ["no_answer", "no_answer", unanswered, true, {}],
      ["no_answer, not executed", "no_answer", unanswered, false, { lookup: "not_executed" }]
    ] as const) {
      for (const operation of ["capture", "void"] as const) {
        testRecord(`the record of a held charge and ${operation} ${what} says what was executed`, function* (play) {
          const simulation: Simulation = { ...(told === undefined ? {} : { [operation]: told }), ...lookup }
          const { found: confirmed, of, other, state } = done[operation]
          yield* play("charge", held)
          const answer = yield* play(operation, { simulation })
          assert.deepStrictEqual(codeOf(answer) ?? answer, answers === "done" ? state : answers)
          assert.deepStrictEqual(yield* play("lookUpCharge", { simulation }), found(isDone ? state : authorized))
          const looked = yield* play("lookUpOperation", { ...of, simulation })
          assert.deepStrictEqual(looked, isDone ? confirmed : notFound)
          assert.deepStrictEqual(yield* play("lookUpOperation", { ...other, simulation }), notFound)
        })
      }
    }

    testRecord(
      "an unanswered lookup of a capture, or at another connection, reports nothing",
      function* (play, records) {
        yield* play("charge", held)
        yield* play("capture", { money: eur(600) })
        assert.deepStrictEqual(yield* play("lookUpOperation"), confirmed(600))
        assert.strictEqual(yield* play("lookUpOperation", { simulation: { lookup: "no_answer" } }), unanswered)
        assert.deepStrictEqual(yield* playing(records, "sandbox-b")("lookUpOperation"), notFound)
        assert.deepStrictEqual(yield* play("lookUpOperation", { operationId: "op_of_another" }), notFound)
      }
    )

    testRecord("an unanswered capture that comes again is as recorded, executed once", function* (play, records) {
      yield* play("charge", held)
      const request = { money: eur(600), simulation: { capture: "no_answer" } } as const
      yield* play("capture", request)
      assert.deepStrictEqual(yield* play("capture", request), state("Captured", 600))
      const [record] = yield* records.charges(paymentId)
      assert.deepStrictEqual(record?.operations, [{ id: "op_capture", kind: "capture" }])
    })

    testRecord("a void of a captured charge states the capture and changes nothing", function* (play) {
      yield* play("charge")
      assert.deepStrictEqual(yield* play("void"), captured)
      assert.deepStrictEqual(yield* play("lookUpCharge"), found(captured))
    })

    testRecord("a capture of a voided charge states the void and takes no money", function* (play) {
      yield* play("charge", held)
      yield* play("void")
      assert.deepStrictEqual(yield* play("capture"), canceled)
      assert.strictEqual(codeOf(yield* play("refund")), "charge_not_captured")
    })

    testRecord("a capture of more or another currency is refused and the charge still held", function* (play) {
      yield* play("charge", held)
      assert.strictEqual(codeOf(yield* play("capture", { money: eur(1001) })), "amount_too_large")
      assert.strictEqual(codeOf(yield* play("capture", { money: money(1000, "USD") })), "wrong_currency")
      assert.deepStrictEqual(yield* play("lookUpCharge"), found(authorized))
    })

    testRecord("a capture or void of a declined charge is refused", function* (play) {
      yield* play("charge", { simulation: { charge: "decline:expired_card" } })
      assert.strictEqual(codeOf(yield* play("capture")), "charge_not_authorized")
      assert.strictEqual(codeOf(yield* play("void")), "charge_not_authorized")
    })
  })

  describe("refund", () => {
    const part = eur(400)
    const refunded = (tag: string, more: object = { stated: part }) => ({
      ...{ _tag: tag, providerRefundId: "sbx_rf_1" },
      ...more
    })
    const succeeded = refunded("Succeeded")
    const failed = refunded("RefundFailed", { reason: "not_executed" })
    for (const [told, answers, executed, not_executed] of [
      [undefined, succeeded, succeeded, succeeded],
      ["confirm", succeeded, succeeded, succeeded],
      ["refuse", "refused", null, null],
      ["no_answer", unanswered, succeeded, null],
      ["pending", refunded("RefundPending"), succeeded, failed]
    ] as const) {
      for (const lookup of ["executed", "not_executed", "no_answer"] as const) {
        const simulation: Simulation = { ...(told === undefined ? {} : { refund: told }), lookup }
        testRecord(`the record of a refund ${told ?? "untold"}, ${lookup}, says what was executed`, function* (play) {
          yield* play("charge")
          const answer = yield* play("refund", { money: part, simulation })
          assert.deepStrictEqual(codeOf(answer) ?? answer, answers)
          const looked = yield* play("lookUpRefund", { money: part, simulation })
          const record = found(lookup === "not_executed" ? not_executed : executed)
          assert.deepStrictEqual(looked, lookup === "no_answer" ? unanswered : record)
        })
      }
    }

    testRecord(
      "an unanswered refund that comes again is answered as recorded and moved once",
      function* (play, records) {
        yield* play("charge")
        const request = { money: part, simulation: { refund: "no_answer" } } as const
        yield* play("refund", request)
        assert.deepStrictEqual(yield* play("refund", request), succeeded)
        const [record] = yield* records.charges(paymentId)
        assert.deepStrictEqual(record?.refunds, [{ id: "rf_1", minorUnits: 400, state: "Succeeded", created: 0 }])
      }
    )

    testRecord("a refund above what is left is refused until a pending one fails", function* (play) {
      yield* play("charge")
      yield* play("refund", { money: eur(600), simulation: { refund: "pending" } })
      const second = { refundId: "rf_2", money: eur(401) }
      assert.strictEqual(codeOf(yield* play("refund", second)), "amount_too_large")
      yield* play("lookUpRefund", { simulation: { lookup: "not_executed" } })
      assert.strictEqual(codeOf(yield* play("refund", second)), undefined)
    })
  })

  testRecord("one charge is executed when the same attempt is played sixteen times at once", function* (play, records) {
    const answers = yield* Effect.all(
      Array.from({ length: 16 }, () => play("charge")),
      { concurrency: "unbounded" }
    )
    for (const answer of answers) assert.deepStrictEqual(answer, captured)
    assert.strictEqual(yield* countExecuted(records), 1)
  })
})

const itemsOf = <Item>({ items }: { readonly items: ReadonlyArray<Item> }) => items

describe("file", () => {
  itRuns("lookups and operations continue from the charges in a file opened again", function* () {
    const path = yield* newPath
    const first = Effect.map(SandboxRecords.file(path), playing)
    yield* Effect.scoped(
      Effect.gen(function* () {
        const play = yield* first
        yield* play("charge", { ...held, simulation: { charge: "no_answer" } })
        yield* play("charge", { attemptId: "att_2", paymentId: "pay_2" })
        yield* play("refund", { attemptId: "att_2", providerRef: "sbx_att_2", simulation: { refund: "pending" } })
      })
    )
    const records = yield* SandboxRecords.file(path)
    const play = playing(records)
    assert.deepStrictEqual(yield* play("lookUpCharge"), found(authorized))
    assert.deepStrictEqual(yield* play("charge", held), authorized, "the same attempt is not executed again")
    assert.deepStrictEqual(yield* play("capture"), captured)
    const refund = { _tag: "Succeeded", providerRefundId: "sbx_rf_1", stated: eur(1000) }
    assert.deepStrictEqual(yield* play("lookUpRefund"), found(refund))
    assert.strictEqual((yield* records.charges(paymentId)).length, 1)
  })

  itRuns("the charge of a killed server is in the file once when opened again", function* () {
    const path = yield* newPath
    assert.strictEqual(yield* Effect.promise(() => chargeAndKill(path)), "Captured")
    const records = yield* SandboxRecords.file(path)
    const play = playing(records)
    assert.deepStrictEqual(yield* play("lookUpCharge"), found(captured))
    assert.deepStrictEqual(yield* play("charge"), captured)
    assert.strictEqual((yield* records.charges("payment-of-att_1")).length, 1)
  })

  itRunsLive("an open of a new file waits for another process that makes it at the moment", function* () {
    const path = yield* newPath
    mkdirSync(dirname(path))
    // SQLite refuses a change of the journal's mode beside a write, and does not wait for its end.
    const writing = `
      const { DatabaseSync } = require("node:sqlite")
      const db = new DatabaseSync(require("node:worker_threads").workerData)
      db.exec("create table other (id text); begin immediate")
      require("node:worker_threads").parentPort.postMessage("writing")
      setTimeout(() => db.close(), 200)`
    const worker = new Worker(writing, { eval: true, workerData: path })
    yield* Effect.promise(() => once(worker, "message"))
    const records = yield* SandboxRecords.file(path)
    assert.isString(yield* records.account)
  })

  itRuns("one server's lookup finds the other's charge in one file", function* () {
    const path = yield* newPath
    const one = playing(yield* SandboxRecords.file(path))
    const other = playing(yield* SandboxRecords.file(path))
    yield* one("charge")
    assert.deepStrictEqual(yield* other("lookUpCharge"), found(captured))
  })

  itRuns("a charge sent after the file is closed is unknown and not a failure", function* () {
    const records = yield* Effect.scoped(SandboxRecords.file(yield* newPath))
    assert.strictEqual(yield* playing(records)("charge"), unanswered)
  })

  itRuns("a file opened again or by two at once has one account, unlike another file", function* () {
    const path = yield* newPath
    const accountOf = (at: string) =>
      Effect.scoped(Effect.flatMap(SandboxRecords.file(at), (records) => connected(records).account?.() ?? noMethod))
    const first = yield* accountOf(path)
    assert.match(first.id, /^sandbox_[0-9a-f]{32}$/)
    assert.deepStrictEqual(yield* accountOf(path), first)
    assert.deepStrictEqual(yield* Effect.all([accountOf(path), accountOf(path)]), [first, first])
    assert.notDeepEqual(yield* accountOf(`${path}-2`), first)
  })

  itRuns("charges in a file above a page are all listed once, the oldest first", function* () {
    const records = yield* newFile
    const play = playing(records)
    const ids = Array.from({ length: 230 }, (_, index) => `att_${index}`)
    for (const [index, attemptId] of ids.entries()) {
      // Two in each millisecond, and a refund of each of them.
      yield* TestClock.setTime(1_000 + Math.floor(index / 2))
      yield* play("charge", { attemptId })
      yield* play("refund", { attemptId, providerRef: `sbx_${attemptId}`, refundId: `rf_of_${attemptId}` })
    }
    const window = { createdFrom: 1_001, createdBefore: 1_114 }
    const { listCharges, listRefunds } = connected(records)
    const charges = (yield* allPages((cursor) => listCharges?.({ ...window, cursor }) ?? noMethod)).flatMap(itemsOf)
    const refunds = (yield* allPages((cursor) => listRefunds?.({ ...window, cursor }) ?? noMethod)).flatMap(itemsOf)
    const inside = ids.slice(2, 228)
    assert.deepStrictEqual(charges.map(({ attemptId }) => attemptId).sort(), inside.toSorted())
    assert.deepStrictEqual(refunds.map(({ refundId }) => refundId).sort(), inside.map((id) => `rf_of_${id}`).sort())
    for (const listed of [charges, refunds]) {
      const times = listed.map(({ created }) => created)
      assert.deepStrictEqual(times, times.toSorted())
    }
  })

  itRuns("a path that cannot be made fails at the open and says at which step", function* () {
    const failure = yield* Effect.flip(Effect.scoped(SandboxRecords.file("/dev/null/sandbox.db")))
    assert.strictEqual(failure.operation, "open")
  })
})

describe("connect", () => {
  const definition = SandboxConnector.make(SandboxRecords.memory())
  const connect = (credentials: unknown, environment: "sandbox" | "production" = "sandbox") =>
    definition.connect(
      { connectionId: "a", environment, credentials, timeoutMillis: 1000 },
      { send: () => Effect.die("nothing is sent") }
    )

  it("the definition is named sandbox and is for the sandbox environment only", () => {
    assert.strictEqual(definition.name, "sandbox")
    assert.deepStrictEqual(definition.environments, ["sandbox"])
  })

  for (const credentials of [{}, null, undefined]) {
    it(`${JSON.stringify(credentials)} is accepted as credentials`, () => {
      assert.isTrue(Result.isSuccess(connect(credentials)))
    })
  }

  it("credentials that are no object are refused without showing them", () => {
    for (const credentials of ["top-secret", 7, ["top-secret"]]) {
      assert.deepStrictEqual(connect(credentials), Result.fail("credentials: expected {} or no value"))
    }
  })

  it("a production connection is refused", () => {
    assert.isTrue(Result.isFailure(connect({}, "production")))
  })
})
