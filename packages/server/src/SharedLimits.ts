/**
 * What the processes on one PostgreSQL database tell one another when the settings ask for it: how much of its rate each
 * API key and each connection used up, and which circuits opened.
 *
 * Nothing waits for it and nothing fails by it. It goes through one
 * connection of its own, in the background; while the database does not answer, every process goes by what it sees itself.
 */
import type { ApiKey } from "@pointsman/core"
import { CircuitNews } from "@pointsman/core/ports"
import { RateLimit } from "@pointsman/http"
import { Clock, Context, Effect, Latch, Layer, Result } from "effect"
import type { PostgresDatabase } from "./DatabaseUrl.ts"
import { type Level, makeSharedRates } from "./SharedRates.ts"
import { openSideClient } from "./SideClient.ts"
import { type StartFailure, storageFailure } from "./StartFailure.ts"

/** "pointsli" in ASCII: an advisory lock of our own. Two servers that make a table at once are in each other's way. */
const makeTables = `do $$ begin
  perform pg_advisory_xact_lock(8101810177783852137);
  if to_regclass('pointsman_open_circuits') is null then
    create unlogged table if not exists pointsman_rates (
      bucket text primary key, tokens double precision not null, per_second double precision not null,
      counted_at timestamptz not null
    );
    create unlogged table pointsman_open_circuits (
      connection_id text primary key, openings bigint not null, opened_at timestamptz not null
    );
  end if;
end $$`

/**
 * By the database's clock. Debts are kept, so that a burst at many processes at once is made up for afterwards; not more
 * than a minute's, so that no bug locks a key out.
 */
const count = `insert into pointsman_rates as stored (bucket, tokens, per_second, counted_at)
  select bucket, 2 * per_second - taken, per_second, clock_timestamp()
    from json_to_recordset($1::json) as used (bucket text, taken double precision, per_second double precision)
    order by bucket
  on conflict (bucket) do update set
    tokens = greatest(
      -60 * excluded.per_second,
      least(
        2 * excluded.per_second,
        stored.tokens + excluded.per_second
          * greatest(0, extract(epoch from excluded.counted_at - stored.counted_at)::double precision)
      ) + excluded.tokens - 2 * excluded.per_second
    ),
    per_second = excluded.per_second,
    counted_at = greatest(stored.counted_at, excluded.counted_at)
  returning bucket, tokens`

/** A new opening has a new number, so that processes that know the previous one notice it. */
const openCircuits = `insert into pointsman_open_circuits as stored (connection_id, openings, opened_at)
  select connection_id, 1, clock_timestamp() from json_array_elements_text($1::json) as opened (connection_id)
    order by connection_id
  on conflict (connection_id) do update set openings = stored.openings + 1, opened_at = excluded.opened_at
  returning connection_id, openings::text`

/** Older ones were heard of, or are about to be probed anyway. */
const newOpenings = `select connection_id, openings::text from pointsman_open_circuits
  where opened_at > clock_timestamp() - interval '10 seconds'`

/** A burst at several processes goes unnoticed for so long; ten statements a second for each process that is busy. */
const countEveryMillis = 100
/** Sooner than a provider that went silent fails its first call. */
const lookEveryMillis = 1_000
/** What a count is worth after that, the buckets here know as well. */
const answerWithinMillis = 1_000

export interface SharedLimitsOptions {
  readonly database: PostgresDatabase
  /** Requests per second and API key; `null` for no limit. */
  readonly perSecond: number | null
  /** Verified messages per second and connection; `null` for no limit. */
  readonly perConnection: number | null
}

/** Provides what `RateLimit.layer` and `RateLimit.layerMessages` do, counted over all processes, and the port for news of circuits. */
export const layer = ({ database, perConnection, perSecond }: SharedLimitsOptions): Layer.Layer<never, StartFailure> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const client = yield* Effect.catch(
        openSideClient({
          url: database.url,
          applicationName: "pointsman limits",
          maxConnections: 1,
          statementTimeoutMillis: answerWithinMillis,
          makeTables
        }),
        (error) => storageFailure(database, error.reason.cause)
      )
      const ask = <Row extends object>(sql: string, params: ReadonlyArray<string> = []) =>
        Effect.timeout(client.unsafe<Row>(sql, params), 2 * answerWithinMillis)

      const rates = yield* keepCounting((takings) => ask<Level>(count, [JSON.stringify(takings)]))
      const news = yield* keepTelling({
        tell: (opened) => ask<Opening>(openCircuits, [JSON.stringify(opened)]),
        look: ask<Opening>(newOpenings)
      })
      const within = (bucket: string, rate: number | null, tokens = 1) =>
        rate === null ? Effect.void : rates(bucket, rate, Math.min(tokens, rate))
      return Context.make(CircuitNews, news).pipe(
        Context.add(RateLimit.RateLimit, {
          take: ({ hash }: ApiKey, requests: number) => within(`key ${hash}`, perSecond, requests)
        }),
        Context.add(RateLimit.MessageRateLimit, {
          takeConnection: (id: string) => within(`connection ${id}`, perConnection)
        })
      )
    })
  )

const keepCounting = Effect.fnUntraced(function* <E>(
  tell: (takings: ReadonlyArray<object>) => Effect.Effect<ReadonlyArray<Level>, E>
) {
  const rates = makeSharedRates()
  const wasTaken = Latch.makeUnsafe(false)
  const report = yield* reportFirst(
    "rate limits are temporarily not shared: each server process counts its own requests"
  )
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.gen(function* () {
        yield* wasTaken.await
        wasTaken.closeUnsafe()
        const levels = yield* report(tell(rates.takings()))
        if (Result.isSuccess(levels)) rates.learn(levels.success, yield* Clock.currentTimeMillis)
        yield* Effect.sleep(countEveryMillis)
      })
    )
  )
  return (bucket: string, perSecond: number, tokens: number) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const waitMillis = rates.take(bucket, perSecond, now, tokens)
      if (waitMillis !== undefined) return Effect.fail(new RateLimit.RateExceeded({ retryAfterMillis: waitMillis }))
      wasTaken.openUnsafe()
      return Effect.void
    })
})

interface Opening {
  readonly connection_id: string
  readonly openings: string
}

const keepTelling = Effect.fnUntraced(function* <E>(ask: {
  readonly tell: (connectionIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Opening>, E>
  readonly look: Effect.Effect<ReadonlyArray<Opening>, E>
}) {
  // As many as connections exist.
  const opened = new Set<string>()
  const heard = new Map<string, string>()
  const ears: Array<(connectionId: string, now: number) => void> = []
  const report = yield* reportFirst(
    "open circuits are temporarily not shared: each server process detects failures on its own"
  )
  const exchange = Effect.gen(function* () {
    if (opened.size > 0) {
      const telling = [...opened]
      // What cannot be shared now is not shared later, when it is no longer so.
      opened.clear()
      // Ours are no news to us.
      for (const { connection_id, openings } of yield* ask.tell(telling)) heard.set(connection_id, openings)
    }
    const now = yield* Clock.currentTimeMillis
    for (const { connection_id, openings } of yield* ask.look) {
      if (heard.get(connection_id) === openings) continue
      heard.set(connection_id, openings)
      for (const hear of ears) hear(connection_id, now)
    }
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(report(exchange), Effect.sleep(lookEveryMillis))))
  return {
    opened: (connectionId: string) => {
      opened.add(connectionId)
    },
    listen: (hear: (connectionId: string, now: number) => void) => {
      ears.push(hear)
    }
  }
})

/** Runs what may fail, and says so once for each time that it begins to. */
const reportFirst = (message: string) =>
  Effect.sync(() => {
    let isFailing = false
    return <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<Result.Result<A, E>> =>
      Effect.tap(Effect.result(effect), (result) => {
        const wasFailing = isFailing
        isFailing = Result.isFailure(result)
        return Result.isFailure(result) && !wasFailing ? Effect.logWarning(message, result.failure) : Effect.void
      })
  })
