import { Context, Effect, Layer } from "effect"
import {
  attemptBegan,
  attemptFailed,
  attemptSucceeded,
  type Circuit,
  closedCircuit,
  defaultCircuitBreaker,
  isOpen
} from "./Circuit.ts"
import type { Connection } from "./Connection.ts"

/**
 * The circuits of this process, by connection. A connection belongs to one environment, so sandbox and production
 * have circuits of their own. They are an estimate, not money: they start closed and are not stored.
 */
export class Circuits extends Context.Service<
  Circuits,
  {
    readonly isOpen: (connection: Connection, now: number) => boolean
    readonly began: (connection: Connection, now: number) => void
    readonly ended: (connection: Connection, isHealthy: boolean, now: number) => void
  }
>()("pointsman/routing/Circuits") {
  static readonly layer: Layer.Layer<Circuits> = Layer.effect(
    Circuits,
    Effect.sync(() => {
      // One small entry for each connection that ever failed: bounded by the configuration.
      const circuits = new Map<string, Circuit>()
      const circuitOf = (connection: Connection) => circuits.get(connection.id) ?? closedCircuit
      const settingsOf = (connection: Connection) => connection.circuitBreaker ?? defaultCircuitBreaker
      const set = (connection: Connection, circuit: Circuit) => {
        if (circuit.failures === 0 && circuit.openedAt === null) circuits.delete(connection.id)
        else circuits.set(connection.id, circuit)
      }
      return Circuits.of({
        isOpen: (connection, now) => isOpen(circuitOf(connection), settingsOf(connection), now),
        began: (connection, now) => set(connection, attemptBegan(circuitOf(connection), now)),
        ended: (connection, isHealthy, now) =>
          set(
            connection,
            isHealthy ? attemptSucceeded() : attemptFailed(circuitOf(connection), settingsOf(connection), now)
          )
      })
    })
  )
}
