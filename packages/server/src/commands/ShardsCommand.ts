/** `pointsman shards`: where workspaces are in a cluster, and moves between its nodes while servers run. */
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { CommandFailure } from "./CommandFailure.ts"
import { commandGroup, settingFlags, textFlag, textsOf, withHelp } from "./CommandHelp.ts"
import { clusterSettings, onCluster } from "./OnCluster.ts"
import { jsonFlag, print } from "./Output.ts"
import { rebalanceCommand } from "./RebalanceCommand.ts"
import { blockWritesFlag, isolatedText, movedText, movedView, placesText, placesView } from "./ShardsView.ts"
import { anyWorkspaceFlag } from "./Tenants.ts"

const list = Command.make(
  "list",
  { workspace: anyWorkspaceFlag, json: jsonFlag, ...settingFlags(clusterSettings) },
  Effect.fnUntraced(function* ({ json, workspace, ...settings }) {
    yield* onCluster(
      textsOf(settings),
      Effect.fnUntraced(function* (shards) {
        const view = placesView(yield* shards.list, Option.getOrUndefined(workspace))
        if (Option.isSome(workspace) && view.shard_groups.length === 0) {
          return yield* new CommandFailure({ message: `--workspace: workspace "${workspace.value}" not found.` })
        }
        yield* print(json, { data: view }, placesText(view))
      })
    )
  })
).pipe(
  withHelp({
    short: "List nodes, shard groups and their workspaces",
    long:
      "List the nodes of the cluster and its shard groups: the shards of all tables for some workspaces, which are on one " +
      "node and move together. A workspace has a group of its own after `pointsman shards isolate`. Asks every node for sizes.",
    examples: {
      "pointsman shards list": "The whole cluster",
      "pointsman shards list --workspace acme": "Where one workspace is"
    }
  })
)

const toFlag = Flag.String("to").pipe(
  Flag.withMetavar("host:port"),
  Flag.withDescription("The node to move to, as `pointsman shards list` names it")
)

const isolate = Command.make(
  "isolate",
  {
    workspace: Flag.String("workspace").pipe(Flag.withMetavar("id"), Flag.withDescription("The workspace")),
    to: Flag.optional(toFlag),
    blockWrites: blockWritesFlag,
    json: jsonFlag,
    ...settingFlags(clusterSettings)
  },
  Effect.fnUntraced(function* ({ blockWrites, json, to, workspace: workspaceId, ...settings }) {
    yield* onCluster(
      textsOf(settings),
      Effect.fnUntraced(function* (shards) {
        const isolated = yield* shards.isolate({ workspaceId, to: Option.getOrUndefined(to), blockWrites })
        const view = { workspace_id: workspaceId, isolated: isolated.isIsolated, ...movedView(isolated) }
        yield* print(json, { data: view }, isolatedText(view))
      })
    )
  })
).pipe(
  withHelp({
    short: "Give a workspace a shard group of its own",
    long:
      "Give a workspace a shard group of its own, and with --to move it to a node. Servers run meanwhile; writes of the " +
      "workspaces of the group wait for a moment. It may be interrupted and run again.",
    examples: { "pointsman shards isolate --workspace acme --to 10.0.0.4:5432": "On a node of its own" }
  })
)

const move = Command.make(
  "move",
  {
    workspace: textFlag("workspace", "id", "Move the shard group of this workspace, with all workspaces in it"),
    shard: Flag.Int("shard").pipe(
      Flag.withMetavar("id"),
      Flag.withDescription("Move this shard group, as `pointsman shards list` names it"),
      Flag.optional
    ),
    to: toFlag,
    blockWrites: blockWritesFlag,
    json: jsonFlag,
    ...settingFlags(clusterSettings)
  },
  Effect.fnUntraced(function* ({ blockWrites, json, shard, to, workspace, ...settings }) {
    if (Option.isSome(workspace) === Option.isSome(shard)) {
      return yield* new CommandFailure({ message: "--workspace, --shard: expected one of them." })
    }
    const of = Option.isSome(workspace) ? { workspaceId: workspace.value } : { shard: Option.getOrElse(shard, () => 0) }
    yield* onCluster(
      textsOf(settings),
      Effect.fnUntraced(function* (shards) {
        const view = movedView(yield* shards.move({ of, to, blockWrites }))
        yield* print(json, { data: view }, movedText(view))
      })
    )
  })
).pipe(
  withHelp({
    short: "Move a shard group to another node",
    long:
      "Move a shard group to another node. Servers run meanwhile; writes of its workspaces wait for a moment at the end. It " +
      "may be interrupted: then the group stays where it is.",
    examples: {
      "pointsman shards move --workspace acme --to 10.0.0.3:5432": "With the workspaces beside it",
      "pointsman shards move --shard 102008 --to 10.0.0.3:5432": "By its number"
    }
  })
)

export const shardsCommand = commandGroup(
  "shards",
  {
    short: "Show and move the shards of a cluster",
    long: "Show and move the shards of a Citus cluster: docs/guides/citus.md."
  },
  [list, isolate, move, rebalanceCommand]
)
