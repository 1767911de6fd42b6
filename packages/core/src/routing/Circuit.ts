/**
 * A connection's circuit breaker, as data (decisions, section 5). Technical errors and unknown results in a row
 * open it; declines and refusals count as health. After the open time one probe is let through.
 */
import type { CircuitBreakerSettings } from "./Connection.ts"

export interface Circuit {
  /** Failures since the last success. */
  readonly failures: number
  /** Epoch milliseconds at which it opened; `null` while it is closed. */
  readonly openedAt: number | null
  /** A probe is on its way. */
  readonly probing: boolean
}

export const closedCircuit: Circuit = { failures: 0, openedAt: null, probing: false }

/** Five failures in a row are no accident; half a minute is how long a provider's brief trouble lasts. */
export const defaultCircuitBreaker: CircuitBreakerSettings = { failures: 5, openMillis: 30_000 }

/** Whether it lets nothing through now. Once the open time is over it lets one probe through. */
export const isOpen = (circuit: Circuit, settings: CircuitBreakerSettings, now: number): boolean =>
  circuit.openedAt !== null && (circuit.probing || now < circuit.openedAt + settings.openMillis)

/** The circuit as an attempt begins. */
export const attemptBegan = (circuit: Circuit): Circuit =>
  circuit.openedAt === null ? circuit : { ...circuit, probing: true }

/** The circuit after an attempt that was never sent: it tells nothing about the provider. */
export const attemptDropped = (circuit: Circuit): Circuit => ({ ...circuit, probing: false })

export const attemptSucceeded = (): Circuit => closedCircuit

export const attemptFailed = (circuit: Circuit, settings: CircuitBreakerSettings, now: number): Circuit => {
  const failures = circuit.failures + 1
  const opens = circuit.openedAt !== null || failures >= settings.failures
  return { failures, openedAt: opens ? now : null, probing: false }
}
