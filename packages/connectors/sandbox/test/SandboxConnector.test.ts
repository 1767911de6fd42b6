import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import {
  type CaptureRequest,
  type ChargeAnswer,
  type ChargeLookup,
  type ChargeRequest,
  type ChargeSimulation,
  type ChargeState,
  type Connector,
  chargeSimulations,
  type DeclineCategory,
  declineCategories,
  type Found,
  type ListedCharge,
  type ListedPage,
  type ListedRefund,
  lookupSimulations,
  money,
  type OperationLookup,
  type OperationState,
  type RefundAnswer,
  type RefundLookup,
  type RefundRequest,
  type RefundState,
  type Simulation,
  type Transport,
  type VoidRequest
} from "@pointsman/core/connector"
import { Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { SandboxConnector, SandboxRecords } from "../src/index.ts"

/** Any use of it fails the test: the simulator is on this side of the wire. */
const noTransport: Transport["Service"] = { send: () => Effect.die(new Error("the transport was used")) }

const account = (environment: "sandbox" | "production", credentials: unknown) => ({
  connectionId: "sandbox-a",
  environment,
  credentials,
  timeoutMillis: 1000
})

const connected = (records: SandboxRecords["Service"], connectionId = "sandbox-a"): Connector =>
  Result.getOrThrow(SandboxConnector.make(records).connect({ ...account("sandbox", {}), connectionId }, noTransport))

const eur = (minorUnits: number) => money(minorUnits, "EUR")

const chargeRequest = (attemptId: string, change: Partial<ChargeRequest> = {}): ChargeRequest => ({
  attemptId,
  attemptNumber: 1,
  paymentId: `payment-of-${attemptId}`,
  money: eur(1000),
  country: "NL",
  method: "card",
  cardBrand: "visa",
  initiator: "cit",
  capture: true,
  reference: null,
  instrument: null,
  simulation: null,
  ...change
})

const lookup = (attemptId: string, simulation: Simulation | null = null): ChargeLookup => ({
  attemptId,
  providerRef: null,
  checkoutReference: null,
  sentAt: 0,
  money: eur(1000),
  simulation
})

const captureRequest = (attemptId: string, change: Partial<CaptureRequest> = {}): CaptureRequest => ({
  operationId: `capture-of-${attemptId}`,
  attemptId,
  providerRef: `sbx_${attemptId}`,
  money: eur(1000),
  simulation: null,
  ...change
})

const voidRequest = (attemptId: string, simulation: Simulation | null = null): VoidRequest => ({
  operationId: `void-of-${attemptId}`,
  attemptId,
  providerRef: `sbx_${attemptId}`,
  simulation
})

/** Of what `captureRequest` and `voidRequest` ask for at `att_1`. */
const operationLookup = (kind: "capture" | "void", simulation: Simulation | null = null): OperationLookup => ({
  ...{ kind, operationId: (kind === "capture" ? captureRequest : voidRequest)("att_1").operationId },
  ...{ attemptId: "att_1", providerRef: "sbx_att_1", sentAt: 0, money: eur(1000), simulation }
})

const refundRequest = (attemptId: string, refundId: string, change: Partial<RefundRequest> = {}): RefundRequest => ({
  refundId,
  attemptId,
  providerRef: `sbx_${attemptId}`,
  money: eur(400),
  reason: null,
  simulation: null,
  ...change
})

const refundLookup = (refundId: string, simulation: Simulation | null = null): RefundLookup => ({
  refundId,
  providerRefundId: null,
  providerRef: "sbx_of_its_charge",
  sentAt: 0,
  money: eur(400),
  simulation
})

const {
  charge,
  lookUpCharge,
  capture,
  void: release,
  refund,
  lookUpOperation,
  lookUpRefund
} = {
  charge: (connector: Connector, request: ChargeRequest) => ended(connector.charge(request)),
  lookUpCharge: (connector: Connector, request: ChargeLookup) => ended(connector.lookUpCharge(request)),
  capture: (connector: Connector, request: CaptureRequest) => ended(required(connector.capture)(request)),
  void: (connector: Connector, request: VoidRequest) => ended(required(connector.void)(request)),
  refund: (connector: Connector, request: RefundRequest) => ended(required(connector.refund)(request)),
  lookUpOperation: (connector: Connector, request: OperationLookup) =>
    ended(required(connector.lookUpOperation)(request)),
  lookUpRefund: (connector: Connector, request: RefundLookup) => ended(required(connector.lookUpRefund)(request))
}

/** The answer, or the tag of the failure. */
const ended = <A>(call: Effect.Effect<A, { readonly _tag: "NotSent" | "Unanswered" | string }>) =>
  Effect.match(call, { onFailure: (failure): A | string => failure._tag, onSuccess: (answer): A | string => answer })

const required = <A>(method: A | undefined): A => {
  assert.isDefined(method)
  return method as A
}

const executedCharges = Effect.fnUntraced(function* (paymentId: string) {
  const records = yield* SandboxRecords
  return (yield* records.charges(paymentId)).filter((record) => record.executed).length
})

const unanswered = "pointsman/Unanswered"
const ref = "sbx_att_1"

const authorized = (minorUnits = 1000): ChargeState => ({
  _tag: "Authorized",
  providerRef: ref,
  stated: eur(minorUnits)
})
const captured = (minorUnits = 1000): ChargeState => ({ _tag: "Captured", providerRef: ref, stated: eur(minorUnits) })
const pending: ChargeState = { _tag: "Pending", providerRef: ref, stated: eur(1000) }
const canceled: ChargeState = { _tag: "Canceled", providerRef: ref }
const needsCustomer: ChargeState = { _tag: "NeedsCustomer", providerRef: ref }
const declined = (category: DeclineCategory, soft: boolean): ChargeState => ({
  _tag: "Declined",
  providerRef: ref,
  category,
  code: category,
  soft
})
const confirmed = (minorUnits?: number): Found<OperationState> => ({
  _tag: "Found",
  state: { _tag: "OperationConfirmed", ...(minorUnits === undefined ? {} : { stated: eur(minorUnits) }) }
})
const notFound = { _tag: "NotFound", conclusive: true } as const
const neverReceived: Found<ChargeState> = notFound
const found = (state: ChargeState): Found<ChargeState> => ({ _tag: "Found", state })

interface ChargeCase {
  readonly charge: ChargeSimulation
  readonly capture: boolean
  /** `charge`'s answer, when `lookup` is not `not_executed` and when it is. */
  readonly answers: ChargeAnswer | string
  /** What the record states afterwards, by `simulate.lookup`. */
  readonly found: { readonly executed: Found<ChargeState>; readonly not_executed: Found<ChargeState> }
  /** Charges that moved money, after the lookup. */
  readonly executes: { readonly executed: 0 | 1; readonly not_executed: 0 | 1 }
}

const always = <A>(value: A) => ({ executed: value, not_executed: value })

const chargeCases: ReadonlyArray<ChargeCase> = [true, false].flatMap((capture): ReadonlyArray<ChargeCase> => {
  const success = capture ? captured() : authorized()
  return [
    { charge: "approve", capture, answers: success, found: always(found(success)), executes: always(1) },
    ...declineCategories.flatMap((category): ReadonlyArray<ChargeCase> => {
      const hard = declined(category, false)
      const soft = declined(category, true)
      return [
        { charge: `decline:${category}`, capture, answers: hard, found: always(found(hard)), executes: always(0) },
        { charge: `soft_decline:${category}`, capture, answers: soft, found: always(found(soft)), executes: always(0) }
      ]
    }),
    {
      charge: "requires_authentication",
      capture,
      answers: needsCustomer,
      found: always(found(needsCustomer)),
      executes: always(0)
    },
    {
      charge: "technical_error",
      capture,
      answers: {
        _tag: "Rejected",
        code: "technical_error",
        message: "The simulator rejected the charge without processing it."
      },
      found: always(neverReceived),
      executes: always(0)
    },
    {
      charge: "no_answer",
      capture,
      answers: unanswered,
      found: { executed: found(success), not_executed: neverReceived },
      executes: { executed: 1, not_executed: 0 }
    },
    {
      charge: "pending",
      capture,
      answers: pending,
      found: { executed: found(success), not_executed: found(canceled) },
      executes: { executed: 1, not_executed: 0 }
    }
  ]
})

const withFile = <A, E>(use: (path: string) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "pointsman-sandbox-"))),
    (folder) => use(join(folder, "made-here", "sandbox.db")),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )

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

const fileInFolder: Layer.Layer<SandboxRecords> = Layer.effect(
  SandboxRecords,
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "pointsman-sandbox-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
    )
    return yield* Effect.orDie(SandboxRecords.file(join(folder, "sandbox.db")))
  })
)

it("every outcome of charge is among the cases below, captured and held", () => {
  const named = chargeCases.map((row) => `${row.charge} ${row.capture}`)
  assert.deepStrictEqual(
    named.toSorted(),
    chargeSimulations.flatMap((name) => [`${name} true`, `${name} false`]).toSorted()
  )
  assert.deepStrictEqual([...lookupSimulations], ["executed", "not_executed", "no_answer"])
})

describe.each([
  { name: "in memory", records: SandboxRecords.layerMemory },
  { name: "in a file", records: fileInFolder }
])("record $name", ({ records }) => {
  /** A record of its own for every test. */
  const testRecord = (name: string, test: Effect.Effect<void, unknown, SandboxRecords>) =>
    it.effect(name, () => Effect.provide(test, records))

  describe("charge and lookup", () => {
    for (const row of chargeCases) {
      for (const told of [undefined, ...lookupSimulations]) {
        const simulation: Simulation = { charge: row.charge, ...(told === undefined ? {} : { lookup: told }) }
        const column = told === "not_executed" ? "not_executed" : "executed"
        testRecord(
          `${row.charge}${row.capture ? "" : ", held"}, ${told ?? "untold"}, is as executed`,
          Effect.gen(function* () {
            const connector = connected(yield* SandboxRecords)
            const request = chargeRequest("att_1", { capture: row.capture, simulation })
            assert.deepStrictEqual(yield* charge(connector, request), row.answers)
            assert.deepStrictEqual(
              yield* lookUpCharge(connector, lookup("att_1", simulation)),
              told === "no_answer" ? unanswered : row.found[column]
            )
            if (told === "no_answer") {
              // Only the lookup got no response; the record behind it is unchanged.
              assert.deepStrictEqual(yield* lookUpCharge(connector, lookup("att_1")), row.found.executed)
            }
            assert.strictEqual(yield* executedCharges(request.paymentId), row.executes[column])
          })
        )
      }
    }

    testRecord(
      "a lookup played as executed conclusively finds nothing that was never sent",
      Effect.gen(function* () {
        const connector = connected(yield* SandboxRecords)
        assert.deepStrictEqual(yield* lookUpCharge(connector, lookup("att_1", { lookup: "executed" })), neverReceived)
      })
    )

    testRecord(
      "each attempt plays its outcome of a list, and the last one applies to the rest",
      Effect.gen(function* () {
        const connector = connected(yield* SandboxRecords)
        const simulation: Simulation = { charge: ["soft_decline:do_not_honor", "approve"] }
        const answers = yield* Effect.forEach([1, 2, 3], (attemptNumber) =>
          charge(connector, chargeRequest(`att_${attemptNumber}`, { attemptNumber, simulation }))
        )
        assert.deepStrictEqual(
          answers.map((answer) => (typeof answer === "string" ? answer : answer._tag)),
          ["Declined", "Captured", "Captured"]
        )
      })
    )
  })

  describe("the same id again", () => {
    testRecord(
      "an attempt with another simulation gets the recorded answer of one charge",
      Effect.gen(function* () {
        const connector = connected(yield* SandboxRecords)
        const request = chargeRequest("att_1")
        yield* charge(connector, request)
        assert.deepStrictEqual(
          yield* charge(connector, { ...request, simulation: { charge: "decline:other" } }),
          captured()
        )
        assert.strictEqual(yield* executedCharges(request.paymentId), 1)
      })
    )

    testRecord(
      "an unanswered charge that comes again is answered as it was executed, once",
      Effect.gen(function* () {
        const connector = connected(yield* SandboxRecords)
        const request = chargeRequest("att_1", { simulation: { charge: "no_answer" } })
        assert.strictEqual(yield* charge(connector, request), unanswered)
        assert.deepStrictEqual(yield* charge(connector, request), captured())
        assert.strictEqual(yield* executedCharges(request.paymentId), 1)
      })
    )

    testRecord(
      "two approved attempts of one payment are on record as money moved twice",
      Effect.gen(function* () {
        const records = yield* SandboxRecords
        yield* charge(connected(records, "a"), chargeRequest("att_1", { paymentId: "p" }))
        yield* charge(connected(records, "b"), chargeRequest("att_2", { paymentId: "p" }))
        yield* charge(connected(records, "b"), chargeRequest("att_3", { paymentId: "another" }))
        assert.strictEqual(yield* executedCharges("p"), 2)
      })
    )

    testRecord(
      "a charge at one connection is not found by another's lookup or capture",
      Effect.gen(function* () {
        const records = yield* SandboxRecords
        yield* charge(connected(records, "a"), chargeRequest("att_1", { capture: false }))
        const other = connected(records, "b")
        assert.deepStrictEqual(yield* lookUpCharge(other, lookup("att_1")), neverReceived)
        assert.strictEqual(codeOf(yield* capture(other, captureRequest("att_1"))), "charge_not_found")
        assert.strictEqual(codeOf(yield* release(other, voidRequest("att_1"))), "charge_not_found")
      })
    )
  })

  describe("capture and void", () => {
    const cases = [
      { told: undefined, captures: captured(), releases: canceled, afterCapture: captured(), afterVoid: canceled },
      { told: "confirm", captures: captured(), releases: canceled, afterCapture: captured(), afterVoid: canceled },
      {
        told: "refuse",
        captures: "refused",
        releases: "refused",
        isNotFound: true,
        afterCapture: authorized(),
        afterVoid: authorized()
      },
      { told: "no_answer", captures: unanswered, releases: unanswered, afterCapture: captured(), afterVoid: canceled },
      {
        told: "no_answer",
        lost: true,
        captures: unanswered,
        releases: unanswered,
        isNotFound: true,
        afterCapture: authorized(),
        afterVoid: authorized()
      }
    ] as const
    for (const row of cases) {
      const lost = "lost" in row
      const simulation: Simulation = {
        ...(row.told === undefined ? {} : { capture: row.told, void: row.told }),
        ...(lost ? { lookup: "not_executed" } : {})
      }
      const name = `${row.told ?? "untold"}${lost ? ", not executed" : ""}`
      testRecord(
        `the record of a held charge and capture ${name} says what was executed`,
        Effect.gen(function* () {
          const connector = connected(yield* SandboxRecords)
          yield* charge(connector, chargeRequest("att_1", { capture: false }))
          const answer = yield* capture(connector, captureRequest("att_1", { simulation }))
          assert.deepStrictEqual(codeOf(answer) ?? answer, row.captures)
          assert.deepStrictEqual(yield* lookUpCharge(connector, lookup("att_1", simulation)), found(row.afterCapture))
          assert.deepStrictEqual(
            yield* lookUpOperation(connector, operationLookup("capture", simulation)),
            "isNotFound" in row ? notFound : confirmed(1000)
          )
          assert.deepStrictEqual(yield* lookUpOperation(connector, operationLookup("void", simulation)), notFound)
        })
      )
      testRecord(
        `the record of a held charge and void ${name} says what was executed`,
        Effect.gen(function* () {
          const connector = connected(yield* SandboxRecords)
          yield* charge(connector, chargeRequest("att_1", { capture: false }))
          const answer = yield* release(connector, voidRequest("att_1", simulation))
          assert.deepStrictEqual(codeOf(answer) ?? answer, row.releases)
          assert.deepStrictEqual(yield* lookUpCharge(connector, lookup("att_1", simulation)), found(row.afterVoid))
          assert.deepStrictEqual(
            yield* lookUpOperation(connector, operationLookup("void", simulation)),
            "isNotFound" in row ? notFound : confirmed()
          )
        })
      )
    }

    testRecord(
      "an unanswered lookup of a capture, or at another connection, reports nothing",
      Effect.gen(function* () {
        const records = yield* SandboxRecords
        const connector = connected(records)
        yield* charge(connector, chargeRequest("att_1", { capture: false }))
        yield* capture(connector, captureRequest("att_1", { money: eur(600) }))
        assert.deepStrictEqual(yield* lookUpOperation(connector, operationLookup("capture")), confirmed(600))
        const silent = operationLookup("capture", { lookup: "no_answer" })
        assert.strictEqual(yield* lookUpOperation(connector, silent), unanswered)
        const other = connected(records, "sandbox-b")
        assert.deepStrictEqual(yield* lookUpOperation(other, operationLookup("capture")), notFound)
        const another = { ...operationLookup("capture"), operationId: "op_of_another" }
        assert.deepStrictEqual(yield* lookUpOperation(connector, another), notFound)
      })
    )

    testRecord(
      "an unanswered capture that comes again is as recorded, executed once",
      Effect.gen(function* () {
        const records = yield* SandboxRecords
        const connector = connected(records)
        yield* charge(connector, chargeRequest("att_1", { capture: false }))
        const request = captureRequest("att_1", { money: eur(600), simulation: { capture: "no_answer" } })
        yield* capture(connector, request)
        assert.deepStrictEqual(yield* capture(connector, request), captured(600))
        const [record] = yield* records.charges("payment-of-att_1")
        assert.deepStrictEqual(record?.operations, [{ id: request.operationId, kind: "capture" }])
      })
    )

    testRecord(
      "a void of a captured charge states the capture and changes nothing",
      Effect.gen(function* () {
        const connector = connected(yield* SandboxRecords)
        yield* charge(connector, chargeRequest("att_1"))
        assert.deepStrictEqual(yield* release(connector, voidRequest("att_1")), captured())
        assert.deepStrictEqual(yield* lookUpCharge(connector, lookup("att_1")), found(captured()))
      })
    )

    testRecord(
      "a capture of a voided charge states the void and takes no money",
      Effect.gen(function* () {
        const connector = connected(yield* SandboxRecords)
        yield* charge(connector, chargeRequest("att_1", { capture: false }))
        yield* release(connector, voidRequest("att_1"))
        assert.deepStrictEqual(yield* capture(connector, captureRequest("att_1")), canceled)
        assert.strictEqual(codeOf(yield* refund(connector, refundRequest("att_1", "rf_1"))), "charge_not_captured")
      })
    )

    testRecord(
      "a capture of more or another currency is refused and the charge still held",
      Effect.gen(function* () {
        const connector = connected(yield* SandboxRecords)
        yield* charge(connector, chargeRequest("att_1", { capture: false }))
        const tooMuch = captureRequest("att_1", { money: eur(1001) })
        const dollars = captureRequest("att_1", { money: money(1000, "USD") })
        assert.strictEqual(codeOf(yield* capture(connector, tooMuch)), "amount_too_large")
        assert.strictEqual(codeOf(yield* capture(connector, dollars)), "wrong_currency")
        assert.deepStrictEqual(yield* lookUpCharge(connector, lookup("att_1")), found(authorized()))
      })
    )

    testRecord(
      "a capture or void of a declined charge is refused",
      Effect.gen(function* () {
        const connector = connected(yield* SandboxRecords)
        yield* charge(connector, chargeRequest("att_1", { simulation: { charge: "decline:expired_card" } }))
        assert.strictEqual(codeOf(yield* capture(connector, captureRequest("att_1"))), "charge_not_authorized")
        assert.strictEqual(codeOf(yield* release(connector, voidRequest("att_1"))), "charge_not_authorized")
      })
    )
  })

  describe("refund", () => {
    const succeeded: RefundAnswer = { _tag: "Succeeded", providerRefundId: "sbx_rf_1", stated: eur(400) }
    const refundPending: RefundAnswer = { _tag: "RefundPending", providerRefundId: "sbx_rf_1", stated: eur(400) }
    const failed: RefundAnswer = { _tag: "RefundFailed", providerRefundId: "sbx_rf_1", reason: "not_executed" }
    const cases = [
      { told: undefined, answers: succeeded, executed: succeeded, not_executed: succeeded },
      { told: "confirm", answers: succeeded, executed: succeeded, not_executed: succeeded },
      { told: "refuse", answers: "refused", executed: null, not_executed: null },
      { told: "no_answer", answers: unanswered, executed: succeeded, not_executed: null },
      { told: "pending", answers: refundPending, executed: succeeded, not_executed: failed }
    ] as const
    for (const row of cases) {
      for (const told of ["executed", "not_executed", "no_answer"] as const) {
        const simulation: Simulation = { ...(row.told === undefined ? {} : { refund: row.told }), lookup: told }
        testRecord(
          `the record of a refund ${row.told ?? "untold"}, ${told}, says what was executed`,
          Effect.gen(function* () {
            const connector = connected(yield* SandboxRecords)
            yield* charge(connector, chargeRequest("att_1"))
            const answer = yield* refund(connector, refundRequest("att_1", "rf_1", { simulation }))
            assert.deepStrictEqual(codeOf(answer) ?? answer, row.answers)
            const state = told === "not_executed" ? row.not_executed : row.executed
            const record: Found<RefundState> = state === null ? notFound : { _tag: "Found", state }
            assert.deepStrictEqual(
              yield* lookUpRefund(connector, refundLookup("rf_1", simulation)),
              told === "no_answer" ? unanswered : record
            )
          })
        )
      }
    }

    testRecord(
      "an unanswered refund that comes again is answered as recorded and moved once",
      Effect.gen(function* () {
        const records = yield* SandboxRecords
        const connector = connected(records)
        yield* charge(connector, chargeRequest("att_1"))
        const request = refundRequest("att_1", "rf_1", { simulation: { refund: "no_answer" } })
        yield* refund(connector, request)
        assert.deepStrictEqual(yield* refund(connector, request), succeeded)
        const [record] = yield* records.charges("payment-of-att_1")
        assert.deepStrictEqual(record?.refunds, [{ id: "rf_1", minorUnits: 400, state: "Succeeded", created: 0 }])
      })
    )

    testRecord(
      "a refund above what is left is refused until a pending one fails",
      Effect.gen(function* () {
        const connector = connected(yield* SandboxRecords)
        yield* charge(connector, chargeRequest("att_1"))
        yield* refund(connector, refundRequest("att_1", "rf_1", { money: eur(600), simulation: { refund: "pending" } }))
        const second = refundRequest("att_1", "rf_2", { money: eur(401) })
        assert.strictEqual(codeOf(yield* refund(connector, second)), "amount_too_large")
        yield* lookUpRefund(connector, refundLookup("rf_1", { lookup: "not_executed" }))
        assert.strictEqual(codeOf(yield* refund(connector, second)), undefined)
      })
    )
  })

  testRecord(
    "one charge is executed when the same attempt is played sixteen times at once",
    Effect.gen(function* () {
      const connector = connected(yield* SandboxRecords)
      const request = chargeRequest("att_1")
      const answers = yield* Effect.all(
        Array.from({ length: 16 }, () => charge(connector, request)),
        { concurrency: "unbounded" }
      )
      for (const answer of answers) assert.deepStrictEqual(answer, captured())
      assert.strictEqual(yield* executedCharges(request.paymentId), 1)
    })
  )
})

const noList = Effect.die("the connector has no list")

describe("file", () => {
  it.effect("lookups and operations continue from the charges in a file opened again", () =>
    withFile((path) =>
      Effect.gen(function* () {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const connector = connected(yield* SandboxRecords.file(path))
            yield* charge(connector, chargeRequest("att_1", { capture: false, simulation: { charge: "no_answer" } }))
            yield* charge(connector, chargeRequest("att_2"))
            yield* refund(connector, refundRequest("att_2", "rf_1", { simulation: { refund: "pending" } }))
          })
        )
        yield* Effect.scoped(
          Effect.gen(function* () {
            const records = yield* SandboxRecords.file(path)
            const connector = connected(records)
            assert.deepStrictEqual(yield* lookUpCharge(connector, lookup("att_1")), found(authorized()))
            assert.deepStrictEqual(
              yield* charge(connector, chargeRequest("att_1", { capture: false })),
              authorized(),
              "the same attempt is not executed again"
            )
            assert.deepStrictEqual(yield* capture(connector, captureRequest("att_1")), captured())
            assert.deepStrictEqual(yield* lookUpRefund(connector, refundLookup("rf_1")), {
              _tag: "Found",
              state: { _tag: "Succeeded", providerRefundId: "sbx_rf_1", stated: eur(400) }
            })
            assert.strictEqual((yield* records.charges("payment-of-att_1")).length, 1)
          })
        )
      })
    )
  )

  it.effect("the charge of a killed server is in the file once when opened again", () =>
    withFile((path) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* Effect.promise(() => chargeAndKill(path)), "Captured")
        yield* Effect.scoped(
          Effect.gen(function* () {
            const records = yield* SandboxRecords.file(path)
            const connector = connected(records)
            assert.deepStrictEqual(yield* lookUpCharge(connector, lookup("att_1")), found(captured()))
            assert.deepStrictEqual(yield* charge(connector, chargeRequest("att_1")), captured())
            assert.strictEqual((yield* records.charges("payment-of-att_1")).length, 1)
          })
        )
      })
    )
  )

  it.live("an open of a new file waits for another process that makes it at the moment", () =>
    withFile(
      Effect.fnUntraced(function* (path) {
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
      }, Effect.scoped)
    )
  )

  it.effect("one server's lookup finds the other's charge in one file", () =>
    withFile((path) =>
      Effect.scoped(
        Effect.gen(function* () {
          const one = connected(yield* SandboxRecords.file(path))
          const other = connected(yield* SandboxRecords.file(path))
          yield* charge(one, chargeRequest("att_1"))
          assert.deepStrictEqual(yield* lookUpCharge(other, lookup("att_1")), found(captured()))
        })
      )
    )
  )

  it.effect("a charge sent after the file is closed is unknown and not a failure", () =>
    withFile((path) =>
      Effect.gen(function* () {
        const records = yield* Effect.scoped(SandboxRecords.file(path))
        assert.strictEqual(yield* charge(connected(records), chargeRequest("att_1")), unanswered)
      })
    )
  )

  it.effect("a file opened again or by two at once has one account, unlike another file", () =>
    withFile((path) =>
      Effect.gen(function* () {
        const accountOf = (at: string) =>
          Effect.scoped(
            Effect.flatMap(SandboxRecords.file(at), (records) => connected(records).account?.() ?? Effect.die("none"))
          )
        const first = yield* accountOf(path)
        assert.match(first.id, /^sandbox_[0-9a-f]{32}$/)
        assert.deepStrictEqual(yield* accountOf(path), first)
        assert.deepStrictEqual(yield* Effect.all([accountOf(path), accountOf(path)]), [first, first])
        assert.notDeepEqual(yield* accountOf(`${path}-2`), first)
      })
    )
  )

  it.effect("charges in a file above a page are all listed once, the oldest first", () =>
    withFile((path) =>
      Effect.gen(function* () {
        const connector = connected(yield* SandboxRecords.file(path))
        const ids = Array.from({ length: 230 }, (_, index) => `att_${index}`)
        for (const [index, id] of ids.entries()) {
          // Two in each millisecond, and a refund of each of them.
          yield* TestClock.setTime(1_000 + Math.floor(index / 2))
          yield* charge(connector, chargeRequest(id))
          yield* refund(connector, refundRequest(id, `rf_of_${id}`))
        }
        const window = { createdFrom: 1_001, createdBefore: 1_114 }
        const charges: Array<ListedCharge> = []
        const refunds: Array<ListedRefund> = []
        for (let cursor: string | null = null, page = 1; page === 1 || cursor !== null; page++) {
          const listed: ListedPage<ListedCharge> = yield* connector.listCharges?.({ ...window, cursor }) ?? noList
          charges.push(...listed.items)
          cursor = listed.nextCursor
        }
        for (let cursor: string | null = null, page = 1; page === 1 || cursor !== null; page++) {
          const listed: ListedPage<ListedRefund> = yield* connector.listRefunds?.({ ...window, cursor }) ?? noList
          refunds.push(...listed.items)
          cursor = listed.nextCursor
        }
        const inside = ids.slice(2, 228)
        assert.deepStrictEqual(charges.map(({ attemptId }) => attemptId).sort(), inside.toSorted())
        assert.deepStrictEqual(refunds.map(({ refundId }) => refundId).sort(), inside.map((id) => `rf_of_${id}`).sort())
        for (const listed of [charges, refunds]) {
          const times = listed.map(({ created }) => created)
          assert.deepStrictEqual(times, times.toSorted())
        }
      }).pipe(Effect.scoped)
    )
  )

  itRuns("a path that cannot be made fails at the open and says at which step", function* () {
    const failure = yield* Effect.flip(Effect.scoped(SandboxRecords.file("/dev/null/sandbox.db")))
    assert.strictEqual(failure.operation, "open")
  })
})

describe("connect", () => {
  const definition = SandboxConnector.make(SandboxRecords.memory())

  it("the definition is named sandbox and is for the sandbox environment only", () => {
    assert.strictEqual(definition.name, "sandbox")
    assert.deepStrictEqual(definition.environments, ["sandbox"])
  })

  for (const credentials of [{}, null, undefined]) {
    it(`${JSON.stringify(credentials)} is accepted as credentials`, () => {
      assert.isTrue(Result.isSuccess(definition.connect(account("sandbox", credentials), noTransport)))
    })
  }

  it("a refusal of credentials names the field and not its value", () => {
    const refused = definition.connect(account("sandbox", { apiKey: "top-secret" }), noTransport)
    assert.deepStrictEqual(refused, Result.fail("credentials.apiKey: expected {}; the simulator has no credentials"))
  })

  it("credentials that are no object are refused without showing them", () => {
    for (const credentials of ["top-secret", 7, ["top-secret"]]) {
      const refused = definition.connect(account("sandbox", credentials), noTransport)
      assert.deepStrictEqual(refused, Result.fail("credentials: expected {} or no value"))
    }
  })

  it("a production connection is refused", () => {
    assert.isTrue(Result.isFailure(definition.connect(account("production", {}), noTransport)))
  })
})

/** The code of a refusal. */
function codeOf(answer: { readonly _tag: string } | string): string | undefined {
  return typeof answer !== "string" && answer._tag === "Rejected" && "code" in answer ? String(answer.code) : undefined
}
