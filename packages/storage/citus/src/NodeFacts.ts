/** What each node says of itself: its durability, its history and its time. One that does not answer is a warning. */
import { firstVersionIn } from "@pointsman/core/internal"
import type { StorageError } from "@pointsman/core/ports"
import * as Postgres from "@pointsman/storage-postgres/internal"
import { Clock, Effect, Result } from "effect"
import { askNode, type Node, type NodeReads, noAnswerOf } from "./NodeReads.ts"
import { knownBase } from "./OnShards.ts"

const selectFacts = `select ${Postgres.durabilityColumns}, current_setting('default_transaction_isolation') as isolation,
  ${Postgres.nowColumn}`

/** Of one server of the database: other nodes have other names of theirs. */
const ofServer = "starts_with(timeline, split_part($1, '/', 1) || '/')"

/** Nodes whose clocks differ by more, in milliseconds, decide differently about what is due. */
const suspectMillis = 2_000

/** Nothing is known of a node that was not asked, and one that refuses the statement by itself answers. */
const isSilent = (failure: StorageError): boolean =>
  !(failure.cause instanceof Postgres.NoConnection) && !/^(?:22|23|42|53)/u.test(String(Postgres.codeOf(failure) ?? ""))

/** Not aside: a node that does not answer would keep requests from the directory. */
const factsBy = (db: Postgres.Database) =>
  Effect.fnUntraced(function* (node: Node) {
    const ask = (sql: string) => askNode(db, "open", node, sql, [], "read")
    const told = yield* ask(selectFacts)
    const timeline = yield* Effect.catchIf(
      Effect.map(ask(`select ${Postgres.selectTimeline} as timeline`), ({ rows }) => rows[0]?.["timeline"] as string),
      (failure: StorageError) => Postgres.refusals.has(Postgres.codeOf(failure)),
      () => Effect.succeed(null)
    )
    return { ...told, timeline }
  })

/** `silent`: nodes that did not answer the last look, with what their workspaces are refused by: nothing is sent to them. */
export const watchNodes =
  (db: Postgres.Database, nodes: NodeReads, places: ReturnType<typeof makeNodePlaces>, silent: Map<number, string>) =>
  (clock: Postgres.DatabaseClock): Postgres.Watch & { readonly base: () => string } => {
    const factsOf = factsBy(db)
    const latest = new Map<string, string>()
    let isTimelineKnown = true
    let newest = 1
    let durability: Postgres.Durability = { faults: [], warnings: [] }

    const learn = Effect.fnUntraced(function* (name: string, timeline: string) {
      const before = latest.get(name)
      if (before === timeline) return
      // Every node has the table: while one is down, nothing is recorded, and the next look tries again.
      if (Result.isFailure(yield* Effect.result(Postgres.noticeTimeline(db, clock, timeline, ofServer)))) return
      if (before !== undefined) yield* Postgres.warnOfTimeline(`the node ${name} of the database`, timeline, before)
      latest.set(name, timeline)
      newest = Math.max(newest, Number.parseInt(timeline.slice(-8), 16))
    })

    const look = Effect.gen(function* () {
      const faults: Array<string> = []
      const warnings: Array<string> = []
      let failure: StorageError | undefined
      // One that was moved away from a node that is gone is served again.
      yield* Effect.ignore(places.look(silent.size > 0))
      const asked = yield* nodes.nodes
      const answers = yield* Effect.forEach(asked, (node) => Effect.result(factsOf(node)), { concurrency: "unbounded" })
      for (const [index, answer] of answers.entries()) {
        const { name, node } = asked[index] as Node
        if (Result.isFailure(answer)) {
          failure = answer.failure
          if (isSilent(failure)) silent.set(node, noAnswerOf(name))
          warnings.push(`${noAnswerOf(name)}: workspaces on it are not served`)
          continue
        }
        silent.delete(node)
        const [told] = answer.success.rows
        // Its shards moved since: another node has answered, and the next look asks this one.
        if (answer.success.node !== node || told === undefined) {
          yield* nodes.forgetNodes
          continue
        }
        const of = (sentence: string) => `node ${name}: ${sentence}`
        const found = Postgres.durabilityOf(told)
        faults.push(...found.faults.map(of))
        warnings.push(...found.warnings.map(of))
        if (told["isolation"] !== "read committed") {
          faults.push(of(`default_transaction_isolation is ${told["isolation"]}; set it to "read committed"`))
        }
        const ahead = Number(told["now"]) - clock.clock.currentTimeMillisUnsafe()
        if (Math.abs(ahead) > suspectMillis) {
          const way = ahead > 0 ? "ahead of" : "behind"
          warnings.push(of(`its clock is ${Math.round(Math.abs(ahead) / 1_000)} s ${way} that of the node we ask`))
        }
        if (answer.success.timeline === null) isTimelineKnown = false
        else yield* learn(name, answer.success.timeline)
      }
      durability = { faults, warnings }
      if (failure !== undefined && answers.every(Result.isFailure)) return yield* failure
    })

    return {
      look,
      durability: () => durability,
      warning: () => (isTimelineKnown ? undefined : Postgres.unknownTimeline),
      history: () => knownBase,
      firstVersion: () => firstVersionIn(newest),
      base: () => (isTimelineKnown ? `greatest(${firstVersionIn(newest) - 1}, ${Postgres.history})` : "0")
    }
  }

/** Seconds of a process that asks for another workspace each time; then it begins anew. */
const keysAtMost = 10_000
/** A workspace that was moved counts for its former node for so long. */
const keptNanos = 30_000_000_000n

const select = `select k as key, p.groupid as node from jsonb_array_elements_text($1::text::jsonb) as k
  join pg_dist_placement as p on p.shardid = get_shard_id_for_distribution_column('payments', k)`

/**
 * As far as this process knows: it learns of new workspaces with each look. What is unknown, or known wrongly after a
 * move, is asked of the right node all the same, and only counts elsewhere.
 */
export const makeNodePlaces = (db: Postgres.Database) => {
  const known = new Map<string, number>()
  const unknown = new Set<string>()
  let allAt: bigint | undefined
  return {
    /** By the first parameter of a statement: a workspace, or a routing key. */
    nodeOf: (key: Postgres.Params[number] | undefined): number | undefined => {
      if (key == null) return undefined
      const node = known.get(String(key))
      if (node === undefined && unknown.size < keysAtMost) unknown.add(String(key))
      return node
    },
    /** `isAll`: not only of workspaces that are new. */
    look: Effect.fnUntraced(function* (isAll: boolean) {
      if (known.size > keysAtMost) known.clear()
      const now = yield* Clock.monotonicTimeNanos
      const isStale = isAll || allAt === undefined || now - allAt > keptNanos
      const keys = [...unknown, ...(isStale ? known.keys() : [])]
      unknown.clear()
      if (keys.length === 0) return
      for (const { key, node } of yield* db.read("places", select, [JSON.stringify(keys)], true)) {
        known.set(String(key), Number(node))
      }
      if (isStale) allAt = now
    })
  }
}
