/**
 * The rooms of core as floors: a room imports from rooms above it and from no other. The table is the architecture: a
 * line is changed here because the architecture changed.
 */
import { posix } from "node:path"
import type { TextFile } from "./Files.ts"
import { imports } from "./SourceText.ts"

/** From the top floor down. A folder belongs to the longest of these names that begins its path. */
export const rooms = [
  "machine",
  "money",
  "model",
  "ports",
  // Counts and spans around what the ports do.
  "metrics",
  "decide",
  "routing",
  "routing/run",
  // One call to one provider. Checks and verbs share it, and a commit never makes one.
  "call",
  "commit",
  "verbs/create",
  "verbs/hosted",
  "verbs/read",
  "verbs/operate",
  "verbs/refund",
  "verbs/dispute",
  "verbs/receive",
  "verbs/deliver",
  "verbs/check",
  "verbs/recover",
  "verbs/review",
  "verbs/reconcile",
  "verbs/forget",
  "verbs/retain",
  "verbs/erase",
  "verbs/explain",
  "verbs/administer",
  // The methods of the service, by subject.
  "door",
  "testing"
] as const
export type Room = (typeof rooms)[number]

/** Rooms that a room may not import from, although they are above it. */
const closed: Readonly<Partial<Record<Room, ReadonlyArray<Room>>>> = {
  // A decision asks nobody: it is a function of records.
  decide: ["ports", "metrics"]
}

const source = "packages/core/src/"

/** Files at the root of core are its doors, which import from every room; `undefined` for them. */
const roomOf = (path: string): Room | undefined => {
  const folder = posix.dirname(path.slice(source.length))
  return rooms
    .filter((room) => folder === room || folder.startsWith(`${room}/`))
    .reduce<Room | undefined>((longest, room) => (room.length > (longest?.length ?? 0) ? room : longest), undefined)
}

/** What is wrong with the imports between rooms, one line each; a door that a room imports is wrong too. */
export const roomFaults = (sources: ReadonlyArray<TextFile>): ReadonlyArray<string> =>
  sources.flatMap((file) => {
    const { path } = file
    const room = roomOf(path)
    if (room === undefined) return posix.dirname(`${path}`) === source.slice(0, -1) ? [] : [`${path}: is in no room`]
    return imports(file).flatMap(({ specifier, line }) => {
      if (!specifier.startsWith(".")) return []
      const target = posix.join(posix.dirname(path), specifier)
      const other = roomOf(target)
      if (other === undefined) return [`${path}:${line}: ${room} may not import ${target}, a door`]
      if (other === room) return []
      const isAbove = rooms.indexOf(other) < rooms.indexOf(room)
      return isAbove && !closed[room]?.includes(other)
        ? []
        : [
            `${path}:${line}: ${room} may not import ${target.slice(source.length)}: ${other} is ${isAbove ? "closed to it" : "below it"}`
          ]
    })
  })
