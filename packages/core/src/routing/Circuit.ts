/**
 * A connection's circuit breaker, as data. Technical errors and unknown results in a row open it; declines and refusals
 * count as health. After the open time one probe is let through.
 */
import type { CircuitBreakerSettings } from "../model/Connection.ts"
import type { CircuitSeen } from "../model/RoutingDecision.ts"

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

export const closedCircuit: Circuit = { failures: 0, openedAt: null }

/** Five failures in a row are no accident; half a minute is how long a provider's brief trouble lasts. */
export const defaultCircuitBreaker: CircuitBreakerSettings = { failures: 5, openMillis: 30_000 }

/** Whether it lets nothing through now. Once the open time is over it lets a probe through. */
export const isOpen = (circuit: Circuit, settings: CircuitBreakerSettings, now: number): boolean =>
  circuit.openedAt !== null && now < circuit.openedAt + settings.openMillis

/** The circuit as an attempt begins. A probe opens it anew for the others: one in each open time. */
export const attemptBegan = (circuit: Circuit, now: number): Circuit =>
  circuit.openedAt === null ? circuit : { ...circuit, openedAt: now }

export const attemptSucceeded = (): Circuit => closedCircuit

export const attemptFailed = (circuit: Circuit, settings: CircuitBreakerSettings, now: number): Circuit => {
  const failures = circuit.failures + 1
  return { failures, openedAt: circuit.openedAt !== null || failures >= settings.failures ? now : null }
}

/** Another process saw it fail often enough: here too a probe has to succeed first. */
export const openedElsewhere = (circuit: Circuit, now: number): Circuit =>
  circuit.openedAt === null ? { ...circuit, openedAt: now } : circuit

/** `undefined` for one at rest: closed, and without a failure since the last success. */
export const circuitSeen = (
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

/** Why a connection is passed over, as one sentence. Another server's failures are not counted here. */
export const openReason = ({ failures, probeAt }: CircuitSeen): string => {
  const ours = failures === 1 ? "Its last call failed" : `Its last ${failures} calls failed`
  const why = failures === 0 ? "Another server saw its calls fail" : ours
  return probeAt === null ? `${why}.` : `${why}; it is probed from ${new Date(probeAt).toISOString()} on.`
}

export const readingOf = (seen: CircuitSeen): CircuitReading => ({
  ...seen,
  state: seen.openedAt === null ? "closed" : seen.isOpen ? "open" : "half-open"
})
