/**
 * The record of the simulated provider: its own database, not ours. It must outlive the process like a real
 * provider's, because a lookup after a crash has to tell what was executed before it.
 *
 * One record is one charge. A record is read, decided on and written in one atomic step, so that two calls with the
 * same id at the same time execute once, also from two processes that share a file.
 */
import { Context, Effect, Layer, Option, Schema, type Scope } from "effect"
import { ChargeRecord } from "./ChargeRecord.ts"
import type { Played } from "./Simulator.ts"
import type { SqliteRecords } from "./SqliteRecords.ts"

/** The record could not be read or written. Nothing was executed, unless the write's own end is what failed. */
export class SandboxRecordsError extends Schema.TaggedError<SandboxRecordsError>()("pointsman/SandboxRecordsError", {
  operation: Schema.String,
  cause: Schema.Defect()
}) {}

type Step<A> = (record: ChargeRecord | undefined) => Played<A>

export class SandboxRecords extends Context.Service<
  SandboxRecords,
  {
    /** The id of the simulated account: that of the record, for as long as the record exists. */
    readonly account: Effect.Effect<string, SandboxRecordsError>
    /** Plays one step on the record of an attempt: read, decide and write as one. */
    readonly playCharge: <A>(
      connectionId: string,
      attemptId: string,
      step: Step<A>
    ) => Effect.Effect<A | null, SandboxRecordsError>
    /** The same on the record of the charge that holds a refund. */
    readonly playRefund: <A>(
      connectionId: string,
      refundId: string,
      step: Step<A>
    ) => Effect.Effect<A | null, SandboxRecordsError>
    /**
     * Every charge of a payment that reached the simulator, over all connections, in no certain order. Those that
     * moved money have `executed`; money that was moved twice shows as two of them.
     */
    readonly charges: (paymentId: string) => Effect.Effect<ReadonlyArray<ChargeRecord>, SandboxRecordsError>
    /** Every charge of a connection, in no certain order. */
    readonly chargesOf: (connectionId: string) => Effect.Effect<ReadonlyArray<ChargeRecord>, SandboxRecordsError>
    /** Every charge whose reference begins so, over all connections, in no certain order. */
    readonly chargesByReference: (beginning: string) => Effect.Effect<ReadonlyArray<ChargeRecord>, SandboxRecordsError>
  }
>()("pointsman/connector-sandbox/SandboxRecords") {
  /** A record that is gone with the process. For tests, and for a server whose own database is in memory. */
  static memory(): SandboxRecords["Service"] {
    const charges = new Map<string, ChargeRecord>()
    const attemptOfRefund = new Map<string, string>()
    const key = (connectionId: string, id: string) => JSON.stringify([connectionId, id])
    const playAt = <A>(at: string, step: Step<A>): A | null => {
      const before = charges.get(at)
      const { answer, record } = step(before)
      if (record !== undefined && record !== before) {
        charges.set(at, record)
        for (const refund of record.refunds) attemptOfRefund.set(key(record.connectionId, refund.id), at)
      }
      return answer
    }
    return SandboxRecords.of({
      // Of every process alike: a server whose own database outlives its sandbox has the same account after a restart.
      account: Effect.succeed("sandbox_memory"),
      playCharge: (connectionId, attemptId, step) => Effect.sync(() => playAt(key(connectionId, attemptId), step)),
      playRefund: (connectionId, refundId, step) =>
        Effect.sync(() => {
          const at = attemptOfRefund.get(key(connectionId, refundId))
          return at === undefined ? step(undefined).answer : playAt(at, step)
        }),
      charges: (paymentId) =>
        Effect.sync(() => [...charges.values()].filter((record) => record.paymentId === paymentId)),
      chargesOf: (connectionId) =>
        Effect.sync(() => [...charges.values()].filter((record) => record.connectionId === connectionId)),
      chargesByReference: (beginning) =>
        Effect.sync(() => [...charges.values()].filter(({ told }) => told?.reference?.startsWith(beginning) === true))
    })
  }

  /** A record in a SQLite file of its own, made where it is missing, folders included. Any number of processes may share it. */
  static file(path: string): Effect.Effect<SandboxRecords["Service"], SandboxRecordsError, Scope.Scope> {
    return Effect.map(
      Effect.acquireRelease(
        // Loaded here alone: a sandbox in memory does not need `node:sqlite`.
        Effect.tryPromise({
          try: async () => (await import("./SqliteRecords.ts")).openSqliteRecords(path),
          catch: (cause) => new SandboxRecordsError({ operation: "open", cause })
        }),
        (file) => Effect.sync(() => file.close())
      ),
      ofFile
    )
  }

  static readonly layerMemory: Layer.Layer<SandboxRecords> = Layer.sync(SandboxRecords, () => SandboxRecords.memory())

  static layerFile(path: string): Layer.Layer<SandboxRecords, SandboxRecordsError> {
    return Layer.effect(SandboxRecords, SandboxRecords.file(path))
  }
}

const ofFile = (file: SqliteRecords): SandboxRecords["Service"] => {
  const attempt = <A>(operation: string, run: () => A) =>
    Effect.try({ try: run, catch: (cause) => new SandboxRecordsError({ operation, cause }) })
  const playAt = <A>(connectionId: string, attemptId: string, step: Step<A>): A | null => {
    const before = Option.getOrUndefined(Option.map(file.charge(connectionId, attemptId), decode))
    const { answer, record } = step(before)
    if (record !== undefined && record !== before) {
      file.put(
        { connectionId, attemptId, paymentId: record.paymentId, document: JSON.stringify(record) },
        record.refunds.map((refund) => refund.id)
      )
    }
    return answer
  }
  return SandboxRecords.of({
    account: attempt("account", () => `sandbox_${file.account()}`),
    playCharge: (connectionId, attemptId, step) =>
      attempt("playCharge", () => file.atomically(() => playAt(connectionId, attemptId, step))),
    playRefund: (connectionId, refundId, step) =>
      attempt("playRefund", () =>
        file.atomically(() =>
          Option.match(file.attemptOfRefund(connectionId, refundId), {
            onNone: () => step(undefined).answer,
            onSome: (attemptId) => playAt(connectionId, attemptId, step)
          })
        )
      ),
    charges: (paymentId) => attempt("charges", () => file.charges(paymentId).map(decode)),
    chargesOf: (connectionId) => attempt("chargesOf", () => file.chargesOf(connectionId).map(decode)),
    chargesByReference: (beginning) =>
      attempt("chargesByReference", () => file.chargesByReference(beginning).map(decode))
  })
}

const decodeRecord = Schema.decodeUnknownSync(Schema.fromJsonString(ChargeRecord))
const decode = (document: string): ChargeRecord => decodeRecord(document)
