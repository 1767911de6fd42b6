import { Context, Effect, Layer } from "effect"
import { circuitsOpened } from "../../metrics/Metrics.ts"
import type { CircuitBreakerSettings, Connection } from "../../model/Connection.ts"
import type { CircuitSeen } from "../../model/RoutingDecision.ts"
import { CircuitNews } from "../../ports/CircuitNews.ts"

/**
 * The circuits of this process, by connection. A connection belongs to one environment, so sandbox and production
 * have circuits of their own. They are an estimate, not money: they start closed and are not stored. What opens here is
 * told to other processes where the port `CircuitNews` reaches any.
 */
export class Circuits extends Context.Service<
  Circuits,
  {
    readonly isOpen: (connection: Connection, now: number) => boolean
    /** `undefined` for a circuit at rest. */
    readonly seen: (connection: Connection, now: number) => CircuitSeen | undefined
    /** Every circuit that is not at rest, by the ids of their connections. */
    readonly all: (now: number) => ReadonlyArray<CircuitReading>
    /**
     * Keeps the probe of a half-open circuit for one payment, between its decision and its call: to all others the
     * circuit is open from here on. Anything but a half-open circuit stays as it is.
     */
    readonly keepProbe: (connection: Connection, paymentId: string, now: number) => void
    /** The payment will not ask it after all: the probe is there for the next one. */
    readonly giveBackProbe: (connection: Connection, paymentId: string) => void
    readonly began: (connection: Connection, now: number) => void
    readonly ended: (connection: Connection, isHealthy: boolean, now: number) => void
  }
>()("pointsman/routing/Circuits") {
  static readonly layer: Layer.Layer<Circuits> = Layer.effect(
    Circuits,
    Effect.gen(function* () {
      const news = yield* CircuitNews
      const context = yield* Effect.context<never>()
      // One small entry for each connection that ever failed: bounded by the configuration.
      const circuits = new Map<string, Kept>()
      /** Probes that are kept and not sent yet: for whom, and the circuit as it was and as it is since. */
      const probes = new Map<
        string,
        { readonly paymentId: string; readonly before: Circuit; readonly since: Circuit }
      >()
      const circuitOf = (id: string) => circuits.get(id)?.circuit ?? closedCircuit
      const keep = (connection: Connection, circuit: Circuit) => {
        if (circuit.failures === 0 && circuit.openedAt === null) circuits.delete(connection.id)
        else circuits.set(connection.id, { circuit, settings: settingsOf(connection) })
      }
      news.listen((id, now) => {
        const { circuit = closedCircuit, settings = defaultCircuitBreaker } = circuits.get(id) ?? {}
        circuits.set(id, { circuit: openedElsewhere(circuit, now), settings })
      })
      return Circuits.of({
        isOpen: (connection, now) => isOpen(circuitOf(connection.id), settingsOf(connection), now),
        seen: (connection, now) => {
          const kept = circuits.get(connection.id)
          if (kept === undefined) return undefined
          keep(connection, kept.circuit)
          return circuitSeen(connection.id, kept.circuit, settingsOf(connection), now)
        },
        all: (now) =>
          [...circuits]
            .flatMap(([id, { circuit, settings }]) => circuitSeen(id, circuit, settings, now) ?? [])
            .map(readingOf)
            .sort((a, b) => (a.connectionId < b.connectionId ? -1 : 1)),
        keepProbe: (connection, paymentId, now) => {
          const before = circuitOf(connection.id)
          if (before.openedAt === null || isOpen(before, settingsOf(connection), now)) return
          const since = attemptBegan(before, now)
          probes.set(connection.id, { paymentId, before, since })
          keep(connection, since)
        },
        giveBackProbe: (connection, paymentId) => {
          const probe = probes.get(connection.id)
          if (probe?.paymentId !== paymentId) return
          probes.delete(connection.id)
          // If the connection had a result meanwhile, that result is kept.
          if (circuitOf(connection.id) === probe.since) keep(connection, probe.before)
        },
        began: (connection, now) => {
          probes.delete(connection.id)
          keep(connection, attemptBegan(circuitOf(connection.id), now))
        },
        ended: (connection, isHealthy, now) => {
          const before = circuitOf(connection.id)
          const after = isHealthy ? attemptSucceeded() : attemptFailed(before, settingsOf(connection), now)
          keep(connection, after)
          if (before.openedAt !== null || after.openedAt === null) return
          circuitsOpened(connection.id).updateUnsafe(1, context)
          news.opened(connection.id)
        }
      })
    })
  )
}

/** With the settings that it was last looked at with; the usual ones where another process reported it first. */
interface Kept {
  readonly circuit: Circuit
  readonly settings: CircuitBreakerSettings
}

const settingsOf = (connection: Connection): CircuitBreakerSettings =>
  connection.circuitBreaker ?? defaultCircuitBreaker

// One circuit, as data. Technical errors and unknown results in a row open it; declines and refusals count as health.
// After the open time one probe is let through.

export interface Circuit {
  /** Failures since the last success. */
  readonly failures: number
  /** Epoch milliseconds from which it is open; `null` while it is closed. */
  readonly openedAt: number | null
}

/** `half-open`: its time is over, and the next payment is its probe. While that is asked the circuit is open again. */
export type CircuitState = "closed" | "open" | "half-open"

/** A circuit as it can be looked at from outside. */
export interface CircuitReading extends CircuitSeen {
  readonly state: CircuitState
}

const closedCircuit: Circuit = { failures: 0, openedAt: null }

/** Five failures in a row are no accident; half a minute is how long a provider's brief trouble lasts. */
export const defaultCircuitBreaker: CircuitBreakerSettings = { failures: 5, openMillis: 30_000 }

/** Whether it lets nothing through now. Once the open time is over it lets a probe through. */
const isOpen = (circuit: Circuit, settings: CircuitBreakerSettings, now: number): boolean =>
  circuit.openedAt !== null && now < circuit.openedAt + settings.openMillis

/** The circuit as an attempt begins. A probe opens it anew for the others: one in each open time. */
const attemptBegan = (circuit: Circuit, now: number): Circuit =>
  circuit.openedAt === null ? circuit : { ...circuit, openedAt: now }

const attemptSucceeded = (): Circuit => closedCircuit

const attemptFailed = (circuit: Circuit, settings: CircuitBreakerSettings, now: number): Circuit => {
  const failures = circuit.failures + 1
  return { failures, openedAt: circuit.openedAt !== null || failures >= settings.failures ? now : null }
}

/** Another process saw it fail often enough: here too a probe has to succeed first. */
const openedElsewhere = (circuit: Circuit, now: number): Circuit =>
  circuit.openedAt === null ? { ...circuit, openedAt: now } : circuit

/** `undefined` for one at rest: closed, and without a failure since the last success. */
const circuitSeen = (
  connectionId: string,
  circuit: Circuit,
  settings: CircuitBreakerSettings,
  now: number
): CircuitSeen | undefined =>
  circuit.failures === 0 && circuit.openedAt === null
    ? undefined
    : {
        connectionId,
        failures: circuit.failures,
        openedAt: circuit.openedAt,
        probeAt: circuit.openedAt === null ? null : circuit.openedAt + settings.openMillis,
        isOpen: isOpen(circuit, settings, now)
      }

const readingOf = (seen: CircuitSeen): CircuitReading => ({
  ...seen,
  state: seen.openedAt === null ? "closed" : seen.isOpen ? "open" : "half-open"
})
