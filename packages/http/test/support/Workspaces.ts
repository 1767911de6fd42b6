/** Workspaces of a test's own, in a world that others use too: keys, connections and routing as the test wants them. */
import { type Connection, type Environment, formatApiKey, type RoutingSettings, type Workspace } from "@pointsman/core"
import { Directory, type DirectoryContents } from "@pointsman/core/ports"
import { Effect } from "effect"
import { apiKeyOf, connectionOf, type World, workspaceOf } from "./World.ts"

/** A connection to the scripted provider; its name is what the test calls it, and its id begins with its workspace's. */
export type Connected = Partial<Omit<Connection, "id" | "name" | "workspaceId" | "sealedCredentials">> & {
  readonly name: string
}

export interface Owned {
  readonly id: string
  /** Keys of the sandbox and of production. */
  readonly key: string
  readonly liveKey: string
  /** The id of the connection with this name. */
  readonly idOf: (name: string) => string
  /** Adds connections, or replaces those of the same name. */
  readonly connect: (...connections: ReadonlyArray<Connected>) => Promise<void>
  readonly route: (settings: RoutingSettings, environment?: Environment) => Promise<void>
}

export const nothing: DirectoryContents = {
  workspaces: [],
  apiKeys: [],
  connections: [],
  routing: [],
  webhookEndpoints: []
}

/** A new key of the workspace, in no test before: those of the world have no byte of 100. */
export const newKey = async (world: World, workspaceId: string, environment: Environment): Promise<string> => {
  const bytes = new Uint8Array(64).fill(100)
  keysMade += 1
  // Base 62, since a key's characters are drawn from the bytes by their remainder.
  bytes.set([Math.floor(keysMade / 3844), Math.floor(keysMade / 62) % 62, keysMade % 62])
  const text = formatApiKey(environment, bytes)
  await write(world, { apiKeys: [apiKeyOf(text, workspaceId)] })
  return text
}

let keysMade = 0

export const write = (world: World, contents: Partial<DirectoryContents>): Promise<void> =>
  world.run(Effect.flatMap(Directory, (directory) => directory.write({ ...nothing, ...contents })))

export const own = async (
  world: World,
  connections: ReadonlyArray<Connected>,
  change: Partial<Omit<Workspace, "id">> = {}
): Promise<Owned> => {
  const id = `own-${++workspacesMade}`
  await write(world, { workspaces: [workspaceOf(id, change)] })
  const idOf = (name: string) => `${id}-${name}`
  const owned: Owned = {
    id,
    key: await newKey(world, id, "sandbox"),
    liveKey: await newKey(world, id, "production"),
    idOf,
    connect: async (...connections) => {
      const made = Effect.forEach(connections, (fields) =>
        connectionOf(idOf(fields.name), { workspaceId: id, ...fields })
      )
      await write(world, { connections: await world.run(made) })
    },
    route: (settings, environment = "sandbox") =>
      write(world, { routing: [{ workspaceId: id, environment, settings }] })
  }
  await owned.connect(...connections)
  return owned
}

let workspacesMade = 0
