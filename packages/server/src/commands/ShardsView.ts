/** What the commands of shards print. */

import type { Moved, ShardPlaces } from "@pointsman/storage-citus"
import { switchFlag } from "./CommandHelp.ts"
import { paragraphs, type Text, table } from "./Table.ts"
import { counted } from "./Words.ts"

export const blockWritesFlag = switchFlag(
  "block-writes",
  "Accept that writes of the workspaces wait until the move is over; without wal_level=logical"
)

/** `workspace`: only its group. */
export const placesView = ({ groups, nodes }: ShardPlaces, workspace: string | undefined) => ({
  nodes: nodes.map(({ name, takesShards }) => {
    const own = groups.filter(({ node }) => node === name)
    return {
      node: name,
      takes_shards: takesShards,
      shard_groups: own.length,
      workspaces: own.reduce((all, group) => all + group.workspaces.length, 0),
      bytes: own.some(({ bytes }) => bytes === null) ? null : own.reduce((all, { bytes }) => all + (bytes ?? 0), 0)
    }
  }),
  shard_groups: groups
    .filter(({ workspaces }) => workspace === undefined || workspaces.includes(workspace))
    .map(({ bytes, isOwn, node, shard, workspaces }) => ({ shard, node, bytes, own: isOwn, workspaces }))
})

type PlacesView = ReturnType<typeof placesView>

const mebibyte = 1024 * 1024

export const sizeText = (bytes: number | null): string | null =>
  bytes === null ? null : `${(bytes / mebibyte).toFixed(1)} MiB`

/** As many ids as a line can hold; the document has all. */
const namedAtMost = 3

const workspacesText = (ids: ReadonlyArray<string>): string =>
  ids.length <= namedAtMost
    ? ids.join(", ") || "none"
    : `${ids.slice(0, namedAtMost).join(", ")} and ${ids.length - namedAtMost} more`

export const placesText = ({ nodes, shard_groups: groups }: PlacesView): Text =>
  paragraphs(
    table(
      ["NODE", "TAKES SHARDS", "GROUPS", "WORKSPACES", "SIZE"],
      nodes.map((one) => [
        one.node,
        one.takes_shards ? "yes" : "no",
        one.shard_groups,
        one.workspaces,
        sizeText(one.bytes)
      ])
    ),
    table(
      ["SHARD", "NODE", "SIZE", "OWN", "WORKSPACES"],
      groups.map((one) => [
        one.shard,
        one.node,
        sizeText(one.bytes),
        one.own ? "yes" : "no",
        workspacesText(one.workspaces)
      ])
    )
  )

export const movedView = ({ from, isMoved, shard, to, workspaces }: Moved) => ({
  shard,
  moved: isMoved,
  from,
  to,
  workspaces
})

type MovedView = ReturnType<typeof movedView>

export const movedText = ({ from: source, moved, shard, to, workspaces }: MovedView): string => {
  const group = `Shard group ${shard} with ${counted(workspaces.length, "workspace")} (${workspacesText(workspaces)})`
  return moved ? `${group} moved from ${source} to ${to}.` : `${group} is at ${to} already.`
}

export const isolatedText = (
  view: MovedView & { readonly workspace_id: string; readonly isolated: boolean }
): string => {
  const { from: source, isolated, moved, shard, to, workspace_id: id } = view
  const has = isolated ? "now has" : "already had"
  return `Workspace ${id} ${has} a shard group of its own, ${shard}${moved ? `, moved from ${source} to ${to}` : `, at ${to}`}.`
}
