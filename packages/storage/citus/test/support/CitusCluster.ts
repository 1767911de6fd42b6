/**
 * A cluster of Citus for tests: the one that POINTSMAN_CITUS_URL names by its coordinator, or one that the script `cluster`
 * in POINTSMAN_CITUS_FOLDER starts. Databases of tests are copies of one template, made on every node: a new database would
 * take seconds to distribute.
 */
import { execFile, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { PgConnection } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"

export interface CitusCluster {
  /** A superuser's URL of each node's database `postgres`, the coordinator's first. */
  readonly nodes: ReadonlyArray<string>
  /** A database with the schema, distributed; nobody may connect to it. */
  readonly template: string
}

const root = fileURLToPath(new URL("../../../../../", import.meta.url))
const folder = process.env["POINTSMAN_CITUS_FOLDER"] || join(root, "../shared/engines/citus")

/** Why there is none here, or `undefined`. */
export const missingCitus = (): string | undefined => {
  if (process.env["POINTSMAN_CITUS_URL"]) return undefined
  if (process.env["POINTSMAN_CITUS"] !== "all") return "they run with POINTSMAN_CITUS=all, as in .ci/release"
  if (!existsSync(join(folder, "cluster"))) return `POINTSMAN_CITUS_FOLDER has no script "cluster" (${folder})`
  if (!existsSync("/usr/lib/postgresql/15/bin/postgres")) return "PostgreSQL 15 is not installed (postgresql-15)"
  return process.getuid?.() === 0 ? undefined : "only root can start its servers; set POINTSMAN_CITUS_URL instead"
}

/** Runs statements one after the other, each by itself; gives the rows of the last one. */
export const runOn = (
  url: string,
  ...statements: ReadonlyArray<string>
): Promise<ReadonlyArray<Record<string, unknown>>> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const connection = yield* PgConnection.make({ url: Redacted.make(url) })
        let rows: ReadonlyArray<Record<string, unknown>> = []
        for (const statement of statements) rows = (yield* connection.query(statement, [], false)).rows
        return rows
      })
    )
  )

export const databaseOn = (node: string, name: string): string => {
  const url = new URL(node)
  url.pathname = `/${name}`
  return url.href
}

/** A database on every node; the nodes are joined to the coordinator, which is the first. */
export const joinedDatabase = async (nodes: ReadonlyArray<string>, name: string): Promise<string> => {
  for (const node of nodes) {
    await runOn(node, `create database ${name}`)
    await runOn(databaseOn(node, name), "create extension citus")
  }
  const [coordinator, ...workers] = nodes.map((node) => new URL(node))
  const url = databaseOn(String(coordinator), name)
  await runOn(
    url,
    `select citus_set_coordinator_host('${coordinator?.hostname}', ${coordinator?.port})`,
    ...workers.map(({ hostname, port }) => `select citus_add_node('${hostname}', ${port})`)
  )
  return url
}

/** Citus starts its own worker in a new database, which a drop does not end while it starts. */
const dropTries = 6

const dropOn = async (node: string, name: string, tries = dropTries): Promise<unknown> => {
  try {
    return await runOn(node, `drop database if exists ${name} with (force)`)
  } catch (error) {
    if (tries === 1) throw error
    return dropOn(node, name, tries - 1)
  }
}

export const dropDatabase = async ({ nodes }: Pick<CitusCluster, "nodes">, name: string): Promise<void> => {
  await Promise.all(nodes.map((node) => dropOn(node, name)))
}

let count = 0

export const newName = (): string =>
  `pointsman_test_${process.pid}_${performance.now().toString().replace(".", "_")}_${++count}`

const seal = (node: string, name: string) =>
  runOn(
    node,
    `alter database ${name} allow_connections false`,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`
  )

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })

/** The first of four ports that follow each other, below those that the system gives to clients. */
const freePorts = async (): Promise<number> => {
  for (let port = 10_000 + (process.pid % 5_000) * 4; port < 32_000; port += 4) {
    const free = await Promise.all([port, port + 1, port + 2, port + 3].map(isFree))
    if (free.every((one) => one)) return port
  }
  throw new Error("no four ports are free for a cluster")
}

/** Servers of ours end when this process ends, however it ends: a shell reads from a pipe of ours. */
export const startCluster = async (settings: ReadonlyArray<string> = []) => {
  const home = join(tmpdir(), newName())
  const port = await freePorts()
  const { stdout } = await promisify(execFile)(join(folder, "cluster"), ["up", home, String(port)])
  const watcher = spawn("/bin/sh", ["-c", 'read -r _; exec "$0" down "$1"', join(folder, "cluster"), home], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"]
  })
  watcher.unref()
  Object(watcher.stdin).unref?.()
  const nodeAt = (at: number) => `postgres://postgres@127.0.0.1:${at}/postgres`
  const set = async (node: string) => {
    await allowDecoder(node)
    await runOn(node, ...settings.map((setting) => `alter system set ${setting}`), "select pg_reload_conf()")
  }
  const nodes = [port, port + 1, port + 2].map(nodeAt)
  for (const node of nodes) await set(node)
  /** One more worker, which is joined to the database of `url`; gives its name in the cluster. */
  const addWorker = async (): Promise<string> => {
    await promisify(execFile)(join(folder, "cluster"), ["add", home, String(port + 3)])
    await set(nodeAt(port + 3))
    return `127.0.0.1:${port + 3}`
  }
  const stop = () =>
    new Promise<void>((resolve) => {
      watcher.ref()
      watcher.once("exit", () => resolve())
      watcher.stdin?.end()
    })
  return { url: stdout.trim(), home, nodes, addWorker, stop }
}

/** What `alter system` sets on servers of ours: a test does not wait for its disk, and a database has few files. */
const quick = ["fsync = off", "synchronous_commit = on", "citus.shard_count = 4"]

/** A split that lets writes go on needs it (docs/guides/citus.md). PostgreSQL before 15.19 does not know the setting. */
const allowDecoder = async (node: string): Promise<void> => {
  const [row] = await runOn(node, "select current_setting('output_plugin_libraries', true) as known")
  if (row?.["known"]) await runOn(node, "alter system set output_plugin_libraries = pgoutput, test_decoding, citus")
}

/** Makes the schema in a joined database, and distributes it. */
export const placeSchema = async (url: string): Promise<void> => {
  const script = fileURLToPath(new URL("PlaceSchema.ts", import.meta.url))
  await promisify(execFile)(process.execPath, ["--conditions=@pointsman/source", script, url])
}

export const openCluster = async (): Promise<CitusCluster & { readonly stop: () => Promise<void> }> => {
  const given = process.env["POINTSMAN_CITUS_URL"]
  const own = given ? undefined : await startCluster(quick)
  const url = given || (own?.url ?? "")
  const found = await runOn(
    url,
    "select nodename, nodeport from pg_dist_node where noderole = 'primary' order by groupid"
  )
  const nodes = found.map(({ nodename, nodeport }) => {
    const node = new URL(databaseOn(url, "postgres"))
    node.hostname = String(nodename)
    node.port = String(nodeport)
    return node.href
  })
  const template = `${newName()}_template`
  await placeSchema(await joinedDatabase(nodes, template))
  for (const node of nodes) await seal(node, template)
  return {
    nodes,
    template,
    stop: async () => {
      await dropDatabase({ nodes }, template)
      await own?.stop()
    }
  }
}

/** A copy of the template on every node; gives its name. */
export const copyTemplate = async ({ nodes, template }: CitusCluster): Promise<string> => {
  const name = newName()
  await Promise.all(nodes.map((node) => runOn(node, `create database ${name} template ${template}`)))
  return name
}
