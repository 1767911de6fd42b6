/** `pointsman shards rebalance`: spreads the shard groups over the nodes, and shows how far that has come. */
import type { Rebalance, Shards } from "@pointsman/storage-citus"
import { Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { CommandFailure } from "./CommandFailure.ts"
import { settingFlags, switchFlag, textFlag, textsOf, withHelp } from "./CommandHelp.ts"
import { clusterSettings, onCluster } from "./OnCluster.ts"
import { jsonFlag, print, type Tell, withProgress } from "./Output.ts"
import { blockWritesFlag, sizeText } from "./ShardsView.ts"
import { counted, printable } from "./Words.ts"

const viewOf = (rebalance: Rebalance | undefined) => ({
  job: rebalance?.job ?? null,
  state: rebalance?.state ?? "nothing_to_move",
  moves: rebalance?.moves ?? { done: 0, left: 0, failed: 0 },
  faults: rebalance?.faults ?? []
})

const progressText = ({ moves, underWay }: Rebalance): string => {
  const each = underWay.map(({ bytes, from: source, phase, to }) => {
    const way = source === null ? "" : `, ${source} to ${to}`
    const size = bytes === null ? "" : `, ${sizeText(bytes.target)} of ${sizeText(bytes.source)}`
    return `${way}${size}${phase === null ? "" : `, ${phase.toLowerCase()}`}`
  })
  return printable(`${moves.done} of ${moves.done + moves.left + moves.failed} moves done${each.join("")}`)
}

const lookEvery = "1 second"

/** Until the job is over. */
const watch = Effect.fnUntraced(function* (shards: Shards, begun: Rebalance, tell: Tell) {
  let rebalance = begun
  while (rebalance.state === "running") {
    yield* tell(progressText(rebalance))
    yield* Effect.sleep(lookEvery)
    rebalance = (yield* shards.rebalanced) ?? rebalance
  }
  return rebalance
})

interface Order {
  readonly drain: string | undefined
  readonly blockWrites: boolean
}

const run = Effect.fnUntraced(function* (shards: Shards, order: Order, tell: Tell) {
  const first = yield* shards.rebalance(order)
  if (first === undefined) return undefined
  const over = yield* watch(shards, first, tell)
  // One that was begun before may not have known of the node that is to be emptied.
  if (first.isNew || order.drain === undefined || over.state !== "finished") return over
  const second = yield* shards.rebalance(order)
  return second === undefined ? over : yield* watch(shards, second, tell)
})

const goesOn =
  "The rebalance continues in the cluster. Run `pointsman shards rebalance` to see its progress, and with --stop to end it."

const stop = Effect.fnUntraced(function* (shards: Shards, json: boolean) {
  const isStopped = yield* shards.stopRebalance
  yield* print(
    json,
    { data: { stopped: isStopped } },
    isStopped ? "The rebalance ends. What was moved stays at its new node." : "No rebalance is under way."
  )
})

export const rebalanceCommand = Command.make(
  "rebalance",
  {
    drain: textFlag("drain", "host:port", "Move everything away from this node, which takes no shards from now on"),
    stop: switchFlag("stop", "End the rebalance that is under way"),
    blockWrites: blockWritesFlag,
    json: jsonFlag,
    ...settingFlags(clusterSettings)
  },
  Effect.fnUntraced(function* ({ blockWrites, drain, json, stop: isStop, ...settings }) {
    if (isStop && Option.isSome(drain)) {
      return yield* new CommandFailure({ message: "--stop, --drain: expected one of them." })
    }
    yield* onCluster(
      textsOf(settings),
      Effect.fnUntraced(function* (shards) {
        if (isStop) return yield* stop(shards, json)
        const order = { drain: Option.getOrUndefined(drain), blockWrites }
        const over = yield* withProgress(json, (tell) => run(shards, order, tell)).pipe(
          Effect.onInterrupt(() => Console.error(goesOn))
        )
        if (over?.state === "failed") {
          const told = over.faults.map(printable).join("; ")
          return yield* new CommandFailure({
            message: `The rebalance failed: ${told || "the cluster does not say why"}. What was moved stays at its new node.`
          })
        }
        yield* print(json, { data: viewOf(over) }, overText(over))
      })
    )
  })
).pipe(
  withHelp({
    short: "Spread the shard groups over the nodes",
    long:
      "Spread the shard groups over the nodes, as after a new node was added, or empty a node with --drain. The cluster does " +
      "it in the background, one move after the other, while servers run. Ctrl-C ends the command and not the rebalance; " +
      "run again, it shows the progress of the one that is under way.",
    examples: {
      "pointsman shards rebalance": "After a node was added",
      "pointsman shards rebalance --drain 10.0.0.2:5432": "Before a node is removed"
    }
  })
)

const overText = (rebalance: Rebalance | undefined): string => {
  if (rebalance === undefined) return "Nothing has to move."
  const { done } = rebalance.moves
  return rebalance.state === "stopped"
    ? `The rebalance was stopped after ${counted(done, "move")}.`
    : `The rebalance is over: ${counted(done, "move")}.`
}
