/**
 * `GET /metrics`, for Prometheus: all that this process counted, by Effect's registry, the current circuits, and what
 * waits in the storage (`Backlog.ts`). The same goes over OTLP, where that is on. What is counted and how it is labelled
 * is in core; a gauge that is read rather than counted is set here, as it is asked for.
 */
import { type AccountStanding, Pointsman } from "@pointsman/core"
import { Directory, RecordLosses, StorageCondition } from "@pointsman/core/ports"
import { Clock, Deferred, Effect, Layer, Metric } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import { servedConfiguration } from "./Health.ts"

/** So that another method on it answers 405. */
export const metricsPaths = { "/metrics": ["GET"] } as const

const circuitState = Metric.gauge("pointsman_circuit_state", {
  description:
    "State of a connection's circuit: 0 closed, 1 half-open, 2 open. A connection that never failed is not listed."
})
const stateNumbers = { closed: 0, "half-open": 1, open: 2 } as const

const accountState = Metric.gauge("pointsman_account_state", {
  description:
    "State of a connection's account: 0 verified, or the provider names none, 1 not verified, 2 changed: the " +
    "connection receives no new payments."
})
const accountNumbers: Record<AccountStanding, number> = {
  verified: 0,
  none: 0,
  unverified: 1,
  unanswered: 1,
  changed: 2
}

const servedGeneration = Metric.gauge("pointsman_configuration_generation", {
  description: "Generation of the configuration that is served; 0 if none was applied."
})
const olderFile = Metric.gauge("pointsman_configuration_older", {
  description: "1 while this process's configuration file is older than the configuration that is served, else 0."
})

const clockAhead = Metric.gauge("pointsman_storage_clock_ahead_seconds", {
  description: "How far this machine's clock is ahead of the database's; negative if it is behind."
})

const standbyUsed = Metric.gauge("pointsman_standby_used", {
  description: "1 while the standby of POINTSMAN_DATABASE_READ_URL may be read, 0 while all reads go to the primary."
})
const standbyLag = Metric.gauge("pointsman_standby_lag_seconds", {
  description: "How far the standby of POINTSMAN_DATABASE_READ_URL is behind the primary, as measured last."
})

const recordLoss = Metric.gauge("pointsman_record_loss", {
  description: "1 while the storage lacks records and not every connection is recovered, else 0."
})

/** As long as OpenTelemetry's exporters wait between two exports of metrics, at the shortest. */
const refreshEvery = "10 seconds"
const readWithinMillis = 2_000

/** Rendering takes some milliseconds of the processor, and anybody on the machine may ask for it. */
const renderEveryMillis = 1_000

/** Runs `effect` at most once in `millis`: those who ask meanwhile wait for the next run, and share its result. */
const sharedEvery = <A, E, R>(millis: number, effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.scope, (scope) => {
    let begunAt = Number.NEGATIVE_INFINITY
    /** The run that has not begun. */
    let next: Deferred.Deferred<A, E> | undefined
    const begin = Effect.suspend(() => {
      const result = Deferred.makeUnsafe<A, E>()
      next = result
      const work = Effect.gen(function* () {
        const sinceMillis = (yield* Clock.currentTimeMillis) - begunAt
        if (sinceMillis >= 0 && sinceMillis < millis) yield* Effect.sleep(millis - sinceMillis)
        begunAt = yield* Clock.currentTimeMillis
        next = undefined
        return yield* effect
      })
      // Not a child of who asked first: a client that disconnects ends no one else's.
      return Effect.as(Effect.forkIn(Deferred.into(work, result), scope), result)
    }).pipe(Effect.uninterruptible)
    return Effect.flatMap(
      Effect.suspend(() => (next === undefined ? begin : Effect.succeed(next))),
      Deferred.await
    )
  })

export interface MetricsOptions {
  /** Brings other gauges to what is so. */
  readonly readBacklog?: Effect.Effect<void>
  /** Updates the gauges even while nothing scrapes this endpoint: another exporter reads them. */
  readonly refresh?: boolean
  /** Of the configuration file that this process was started with; `null` for none. */
  readonly fileHash?: string | null
}

export const layer = ({ fileHash = null, readBacklog = Effect.void, refresh = false }: MetricsOptions = {}) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const directory = yield* Directory
      // Those that failed once: a circuit that closed since says so. Bounded by the configuration, as circuits are.
      const gauges = new Map<string, Metric.Gauge<number>>()
      const gaugeOf = (connection: string): Metric.Gauge<number> => {
        const gauge = gauges.get(connection) ?? Metric.withAttributes(circuitState, { connection })
        gauges.set(connection, gauge)
        return gauge
      }
      const readCircuits = Effect.gen(function* () {
        const states = new Map((yield* pointsman.circuits).map(({ connectionId, state }) => [connectionId, state]))
        for (const id of new Set([...gauges.keys(), ...states.keys()])) {
          yield* Metric.update(gaugeOf(id), stateNumbers[states.get(id) ?? "closed"])
        }
      })
      const readAccounts = pointsman.accounts.pipe(
        Effect.flatMap((readings) =>
          Effect.forEach(
            readings,
            ({ connectionId, standing }) =>
              Metric.update(
                Metric.withAttributes(accountState, { connection: connectionId }),
                accountNumbers[standing]
              ),
            { discard: true }
          )
        ),
        Effect.timeout(readWithinMillis),
        Effect.catchCause((cause) => Effect.logWarning("the connections could not be read from the storage", cause))
      )
      const readConfiguration = servedConfiguration(fileHash).pipe(
        Effect.flatMap(({ file, generation }) =>
          Effect.andThen(
            Metric.update(servedGeneration, generation ?? 0),
            Metric.update(olderFile, file === "older" ? 1 : 0)
          )
        ),
        Effect.provideService(Directory, directory),
        Effect.timeout(readWithinMillis),
        Effect.catchCause((cause) => Effect.logWarning("the configuration could not be read from the storage", cause))
      )
      const condition = yield* StorageCondition
      const { known } = yield* RecordLosses
      const readStorage = Effect.gen(function* () {
        const { clockAheadMillis, standby } = yield* condition.read
        if (standby !== undefined) yield* Metric.update(standbyUsed, standby.fault === null ? 1 : 0)
        if (typeof standby?.lagMillis === "number") yield* Metric.update(standbyLag, standby.lagMillis / 1_000)
        if (clockAheadMillis !== undefined) yield* Metric.update(clockAhead, clockAheadMillis / 1_000)
        const loss = yield* known
        yield* Metric.update(recordLoss, loss !== null && loss.ended === null ? 1 : 0)
      })
      const readGauges = readCircuits.pipe(
        Effect.andThen(readStorage),
        Effect.andThen(readAccounts),
        Effect.andThen(readConfiguration),
        Effect.andThen(readBacklog)
      )
      if (refresh) yield* Effect.forkScoped(Effect.forever(Effect.andThen(readGauges, Effect.sleep(refreshEvery))))
      const render = Effect.map(Effect.andThen(readGauges, PrometheusMetrics.format()), (text) =>
        HttpServerResponse.uint8Array(new TextEncoder().encode(text), {
          contentType: "text/plain; version=0.0.4; charset=utf-8",
          headers: { "cache-control": "no-store" }
        })
      )
      return HttpRouter.add("GET", "/metrics", yield* sharedEvery(renderEveryMillis, render))
    })
  )
