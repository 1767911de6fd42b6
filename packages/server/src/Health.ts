/** What a supervisor asks: does the process answer, and may it be sent requests. */
import { accountText, Pointsman } from "@pointsman/core"
import {
  Directory,
  RecordLosses,
  type StandbyReading,
  StorageCondition,
  type StorageError
} from "@pointsman/core/ports"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

/** So that another method on them answers 405. */
export const healthPaths = { "/health/live": ["GET"], "/health/ready": ["GET"] } as const

/** A storage that takes longer to read one row would not answer a payment in time either. */
const readyWithinMillis = 2_000

const secondsOf = ({ lagMillis }: StandbyReading): number | null => (lagMillis === null ? null : lagMillis / 1_000)

interface Readiness {
  readonly isReady: boolean
  readonly details: object
}

const answer = (status: number, state: "live" | "ready" | "unavailable", more: object = {}) =>
  HttpServerResponse.jsonUnsafe({ status: state, ...more }, { status, headers: { "cache-control": "no-store" } })

export interface HealthOptions {
  /** Of the configuration file that this process was started with; `null` for none. */
  readonly fileHash: string | null
  /** Who may see more of readiness than its status: connections, accounts, and what is wrong with the storage. */
  readonly seesDetails: (request: HttpServerRequest.HttpServerRequest) => boolean
}

export const layer = ({ fileHash, seesDetails }: HealthOptions) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const directory = yield* Directory
      const pointsman = yield* Pointsman
      const condition = yield* StorageCondition
      const { known } = yield* RecordLosses
      // Reads work, and what goes to recovered connections.
      const loss = Effect.map(known, (loss) =>
        loss === null || loss.ended !== null
          ? {}
          : {
              record_loss: {
                since: new Date(loss.since).toISOString(),
                reason: loss.reason,
                recovered_connections: loss.recovered
              }
            }
      )
      // A provider that does not answer is no reason to take the server out: payments go to the others.
      const circuits = Effect.map(pointsman.circuits, (readings) =>
        readings
          .filter(({ state }) => state !== "closed")
          .map(({ connectionId, failures, probeAt, state }) => ({
            connection: connectionId,
            state,
            failures,
            open_until: probeAt === null ? null : new Date(probeAt).toISOString()
          }))
      )
      // Nor is a connection that takes no new payments, or whose account is not known yet.
      const accounts = Effect.map(pointsman.accounts, (readings) =>
        readings
          .filter(({ standing }) => standing !== "verified" && standing !== "none")
          .map(({ connectionId, current, first, standing }) => ({
            connection: connectionId,
            state: standing,
            account: first === null ? null : accountText(first),
            current_account: current === null ? null : accountText(current)
          }))
      )
      // An older file is no reason either: what is served is good.
      const configuration = Effect.provideService(servedConfiguration(fileHash), Directory, directory)
      const reading = directory.workspace("health").pipe(
        Effect.andThen(Effect.all({ configuration, circuits, accounts, storage: condition.read, loss })),
        Effect.timeout(readyWithinMillis),
        Effect.map(({ accounts, loss, storage: { refusal, standby, warnings }, ...seen }): Readiness => {
          const details = {
            ...seen,
            ...(accounts.length === 0 ? {} : { accounts }),
            ...loss,
            ...(standby === undefined
              ? {}
              : { standby: { used: standby.fault === null, lag_seconds: secondsOf(standby) } }),
            ...(warnings.length === 0 ? {} : { warnings })
          }
          return refusal === null
            ? { isReady: true, details }
            : { isReady: false, details: { reason: refusal, ...details } }
        }),
        Effect.catch((error) =>
          Effect.gen(function* () {
            yield* Effect.logError("the storage does not respond", error)
            return { isReady: false, details: { circuits: yield* circuits } } satisfies Readiness
          })
        )
      )
      const ready = Effect.gen(function* () {
        const { details, isReady } = yield* reading
        const shown = seesDetails(yield* HttpServerRequest.HttpServerRequest) ? details : {}
        return isReady ? answer(200, "ready", shown) : answer(503, "unavailable", shown)
      })
      return HttpRouter.addAll([
        HttpRouter.route("GET", "/health/live", Effect.succeed(answer(200, "live"))),
        HttpRouter.route("GET", "/health/ready", ready)
      ])
    })
  )

export interface ServedConfiguration {
  /** `null`: none was ever applied. */
  readonly generation: number | null
  /** `null`: this process was started without a file. */
  readonly file: "served" | "older" | null
}

/** `fileHash`: `null` for none. A file that was newer was applied, so that one that is not served is older. */
export const servedConfiguration = (
  fileHash: string | null
): Effect.Effect<ServedConfiguration, StorageError, Directory> =>
  Effect.gen(function* () {
    const newest = (yield* (yield* Directory).state).configurations.at(-1)
    return {
      generation: newest?.generation ?? null,
      file: fileHash === null ? null : newest?.hash === fileHash ? "served" : "older"
    }
  })
