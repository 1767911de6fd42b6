import { Context, Effect, Layer } from "effect"
import { CircuitNews } from "../ports/CircuitNews.ts"
import {
  attemptBegan,
  attemptFailed,
  attemptSucceeded,
  type Circuit,
  circuitSeen,
  closedCircuit,
  defaultCircuitBreaker,
  isOpen,
  openedElsewhere
} from "./Circuit.ts"
import type { Connection } from "./Connection.ts"
import type { CircuitSeen } from "./RoutingDecision.ts"

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
    readonly began: (connection: Connection, now: number) => void
    readonly ended: (connection: Connection, isHealthy: boolean, now: number) => void
  }
>()("pointsman/routing/Circuits") {
  static readonly layer: Layer.Layer<Circuits> = Layer.effect(
    Circuits,
    Effect.map(CircuitNews, (news) => {
      // One small entry for each connection that ever failed: bounded by the configuration.
      const circuits = new Map<string, Circuit>()
      const circuitOf = ({ id }: { readonly id: string }) => circuits.get(id) ?? closedCircuit
      const settingsOf = (connection: Connection) => connection.circuitBreaker ?? defaultCircuitBreaker
      const set = (connection: Connection, circuit: Circuit) => {
        if (circuit.failures === 0 && circuit.openedAt === null) circuits.delete(connection.id)
        else circuits.set(connection.id, circuit)
      }
      news.listen((id, now) => circuits.set(id, openedElsewhere(circuitOf({ id }), now)))
      return Circuits.of({
        isOpen: (connection, now) => isOpen(circuitOf(connection), settingsOf(connection), now),
        seen: (connection, now) => circuitSeen(connection.id, circuitOf(connection), settingsOf(connection), now),
        began: (connection, now) => set(connection, attemptBegan(circuitOf(connection), now)),
        ended: (connection, isHealthy, now) => {
          const before = circuitOf(connection)
          const after = isHealthy ? attemptSucceeded() : attemptFailed(before, settingsOf(connection), now)
          set(connection, after)
          if (before.openedAt === null && after.openedAt !== null) news.opened(connection.id)
        }
      })
    })
  )
}
