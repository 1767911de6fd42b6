/**
 * What each node says of itself: whether what it acknowledges survives a crash, which history it continues, and its time.
 * A node that does not answer is a warning: workspaces elsewhere go on.
 */
import { firstVersionIn } from "@pointsman/core/internal"
import type { StorageError } from "@pointsman/core/ports"
import {
  codeOf,
  type Database,
  type DatabaseClock,
  type Durability,
  durabilityColumns,
  durabilityOf,
  history,
  NoConnection,
  record,
  refusals,
  selectTimeline,
  unknownTimeline,
  type Watch
} from "@pointsman/storage-postgres/internal"
import { Effect, Result } from "effect"
import type { NodePlaces } from "./NodePlaces.ts"
import { type Node, type NodeReads, noAnswerOf, withinLimit } from "./NodeReads.ts"
import { knownBase, paramsOf } from "./OnShards.ts"
import { call, type Told } from "./RunFunction.ts"

const selectFacts = `select ${durabilityColumns}, current_setting('default_transaction_isolation') as isolation,
  (extract(epoch from clock_timestamp()) * 1000)::double precision as now`

/** Of one server of the database: other nodes have other names of theirs. */
const selectNoticed = `select noticed_at, exists (
    select 1 from timelines where starts_with(timeline, split_part($1, '/', 1) || '/') and timeline <> $1
  ) as is_changed
  from timelines where timeline = $1`

/** Nodes whose clocks differ by more, in milliseconds, decide differently about what is due. */
const suspectMillis = 2_000

/** Nothing is known of a node that was not asked, and one that refuses the statement by itself answers. */
const isSilent = (failure: StorageError): boolean =>
  !(failure.cause instanceof NoConnection) && !/^(?:22|23|42|53)/u.test(String(codeOf(failure) ?? ""))

/** What each look finds out for all statements. */
interface SharedNodes {
  readonly places: NodePlaces
  /** Nodes that did not answer the last look, with what their workspaces are refused by: nothing is sent to them. */
  readonly silent: Map<number, string>
}

/** Not aside: a node that does not answer would keep requests from the directory. */
const factsBy = (db: Database) => {
  const ask = (sql: string, { key }: Node) =>
    Effect.map(
      withinLimit(db.read("open", call, paramsOf(key, sql, [], "read"))),
      ([row]) => (row?.["told"] ?? {}) as Told
    )
  const timelineOf = (node: Node) =>
    Effect.catchIf(
      Effect.map(ask(`select ${selectTimeline} as timeline`, node), ({ rows }) => rows[0]?.["timeline"] as string),
      (failure: StorageError) => refusals.has(codeOf(failure)),
      () => Effect.succeed(null)
    )
  return Effect.fnUntraced(function* (node: Node) {
    const told = yield* ask(selectFacts, node)
    return { ...told, timeline: yield* timelineOf(node) }
  })
}

export const watchNodes =
  (db: Database, nodes: NodeReads, { places, silent }: SharedNodes) =>
  (clock: DatabaseClock): Watch & { readonly base: () => string } => {
    const factsOf = factsBy(db)
    const latest = new Map<string, string>()
    let isTold = true
    let newest = 1
    let durability: Durability = { faults: [], warnings: [] }

    const learn = Effect.fnUntraced(function* (name: string, timeline: string) {
      const before = latest.get(name)
      if (before === timeline) return
      const noticed = db.read("timeline", selectNoticed, [timeline], true)
      let [row] = yield* noticed
      if (row === undefined) {
        // Every node has the table: while one is down, nothing is recorded, and the next look tries again.
        if (Result.isFailure(yield* Effect.result(db.update("timeline", record, [timeline])))) return
        row = (yield* noticed)[0]
      }
      if (row?.["is_changed"] === true) clock.changed(Number(row["noticed_at"]))
      if (before !== undefined) {
        yield* Effect.logWarning(
          `the node ${name} of the database is on another timeline (${timeline}, before: ${before}): "never received" ` +
            "is believed of no call before its full age has passed from now on"
        )
      }
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
        const { name = "", node = -1 } = asked[index] ?? {}
        if (Result.isFailure(answer)) {
          failure = answer.failure
          if (isSilent(failure)) silent.set(node, noAnswerOf(name))
          warnings.push(`${noAnswerOf(name)}: workspaces on it are not served`)
          continue
        }
        silent.delete(node)
        const { rows, timeline } = answer.success
        const [told = {}] = rows
        // Its shards moved since: another node has answered, and the next look asks this one.
        if (answer.success.node !== node || rows.length === 0) {
          yield* nodes.forgetNodes
          continue
        }
        const of = (sentence: string) => `node ${name}: ${sentence}`
        const found = durabilityOf(told)
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
        if (timeline === null) isTold = false
        else yield* learn(name, timeline)
      }
      durability = { faults, warnings }
      if (failure !== undefined && answers.every(Result.isFailure)) return yield* failure
    })

    return {
      look,
      durability: () => durability,
      warning: () => (isTold ? undefined : unknownTimeline),
      history: () => knownBase,
      firstVersion: () => firstVersionIn(newest),
      base: () => (isTold ? `greatest(${firstVersionIn(newest) - 1}, ${history})` : "0")
    }
  }
