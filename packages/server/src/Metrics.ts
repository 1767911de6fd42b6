/**
 * `GET /metrics`, for Prometheus: all that this process counted, by Effect's registry, and the circuits as they stand.
 * What is counted and how it is labelled is in core; a gauge that is read rather than counted is set here, as it is asked
 * for.
 */
import { Pointsman } from "@pointsman/core"
import { Effect, Layer, Metric } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"

/** So that another method on it answers 405. */
export const metricsPaths = { "/metrics": ["GET"] } as const

const circuitState = Metric.gauge("pointsman_circuit_state", {
  description:
    "The circuit of a connection: 0 closed, 1 half-open, 2 open. One that never failed is closed and left out."
})
const stateNumbers = { closed: 0, "half-open": 1, open: 2 } as const

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const pointsman = yield* Pointsman
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
    return HttpRouter.add(
      "GET",
      "/metrics",
      Effect.map(Effect.andThen(readCircuits, PrometheusMetrics.format()), (text) =>
        HttpServerResponse.text(text, {
          contentType: "text/plain; version=0.0.4; charset=utf-8",
          headers: { "cache-control": "no-store" }
        })
      )
    )
  })
)
