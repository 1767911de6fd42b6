/**
 * A storage that tells how long it takes and how often it fails, and has a span for each operation of a request where
 * spans are collected (https://opentelemetry.io/docs/specs/semconv/database/database-spans/).
 *
 * The directory answers from memory, mostly: only its failures are counted. The reads of the background get no span.
 */
import { Cause, Clock, Context, Effect, Exit, Layer, Option, Tracer } from "effect"
import { Deliveries } from "../ports/Deliveries.ts"
import { Directory } from "../ports/Directory.ts"
import { Ledger } from "../ports/Ledger.ts"
import { Merchants } from "../ports/Merchants.ts"
import { CommitUnknown, StorageError } from "../ports/StorageError.ts"
import type { StorageServices } from "../ports/StorageServices.ts"
import { storageErrors, storageOperations } from "./Metrics.ts"
import { endSpan, secondsSince } from "./ProviderCall.ts"

type Storage = StorageServices

/** `storage`: the label, and `db.system.name` by OpenTelemetry's list (`sqlite`, `postgresql`). */
export const observeStorage =
  (storage: string) =>
  <E, R>(layer: Layer.Layer<Storage, E, R>): Layer.Layer<Storage, E, R> =>
    Layer.effectContext(
      Effect.map(Layer.build(layer), (built) => {
        const { counted, timed } = observing(storage)
        const timedAll = <Service extends object>(service: Service, prefix = ""): Service => {
          const operations = Object.entries(service).filter(([, run]) => typeof run === "function")
          return {
            ...service,
            ...Object.fromEntries(operations.map(([name, run]) => [name, timed(prefix + name, run)]))
          }
        }
        const directory = Context.get(built, Directory)
        return built.pipe(
          Context.add(Ledger, timedAll(Context.get(built, Ledger))),
          Context.add(Deliveries, timedAll(Context.get(built, Deliveries), "deliveries.")),
          Context.add(Merchants, timedAll(Context.get(built, Merchants), "merchants.")),
          Context.add(Directory, {
            ...directory,
            keyHolder: counted("directory.keyHolder", directory.keyHolder),
            connection: counted("directory.connection", directory.connection),
            connections: counted("directory.connections", directory.connections),
            routing: counted("directory.routing", directory.routing)
          })
        )
      })
    )

type Operation<Args extends ReadonlyArray<unknown>, A, E, R> = (...args: Args) => Effect.Effect<A, E, R>

const observing = (storage: string) => ({
  counted:
    <Args extends ReadonlyArray<unknown>, A, E, R>(operation: string, run: Operation<Args, A, E, R>) =>
    (...args: Args): Effect.Effect<A, E, R> =>
      Effect.tapCause(run(...args), (cause) =>
        Effect.contextWith((context) => count(storage, operation, cause, context))
      ),
  timed: <Args extends ReadonlyArray<unknown>, A, E, R>(
    operation: string,
    run: Operation<Args, A, E, R>
  ): Operation<Args, A, E, R> => {
    const duration = storageOperations(storage, operation)
    return (...args) =>
      Effect.withFiber((fiber) => {
        const clock = fiber.getRef(Clock.Clock)
        const begun = clock.currentTimeNanosUnsafe()
        const running = fiber.getRef(Tracer.Tracer) === Tracer.nativeTracer ? run(...args) : traced(run(...args))
        return Effect.onExit(running, (exit) => {
          duration.updateUnsafe(secondsSince(begun, clock), fiber.context)
          return Exit.isSuccess(exit) ? Effect.void : count(storage, operation, exit.cause, fiber.context)
        })
      })

    function traced(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
      return Effect.gen(function* () {
        if (Option.isNone(yield* Effect.option(Effect.currentParentSpan))) {
          return yield* Effect.withTracerEnabled(effect, false)
        }
        const clock = yield* Clock.Clock
        const attributes = { "db.system.name": storage, "db.operation.name": operation }
        const span = yield* Effect.makeSpan(operation, { kind: "client", attributes })
        return yield* effect.pipe(
          Effect.withParentSpan(span),
          Effect.onExit((exit) =>
            Effect.sync(() => endSpan(span, clock, Exit.isSuccess(exit) ? undefined : faultOf(exit.cause)))
          )
        )
      })
    }
  }
})

const count = <E>(storage: string, operation: string, cause: Cause.Cause<E>, context: Context.Context<never>) =>
  Effect.sync(() => {
    const fault = faultOf(cause)
    if (fault !== undefined) storageErrors(storage, operation, fault).updateUnsafe(1, context)
  })

/** What the storage failed by; `undefined` for its answers, such as that a key is taken. */
const faultOf = (cause: Cause.Cause<unknown>): "StorageError" | "CommitUnknown" | "Defect" | undefined => {
  if (Cause.hasDies(cause)) return "Defect"
  const failure = Cause.squash(cause)
  if (failure instanceof StorageError) return "StorageError"
  return failure instanceof CommitUnknown ? "CommitUnknown" : undefined
}
