/**
 * A cluster whose servers are killed, each with all of its processes, and started again on the same data. It is one of its
 * own for each test file (`POINTSMAN_CITUS=all`): nodes of a given cluster are not killed.
 */
import { execFile, execFileSync } from "node:child_process"
import { readFileSync, renameSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { databaseOn, joinedDatabase, missingCitus, newName, placeSchema, runOn, startCluster } from "./CitusCluster.ts"

/** Why no node may be killed here, or `undefined`. */
export const missingOwnCitus = (): string | undefined =>
  missingCitus() ??
  (process.env["POINTSMAN_CITUS_URL"]
    ? "nodes of the cluster that POINTSMAN_CITUS_URL names are not killed"
    : undefined)

export interface CitusNode {
  /** A superuser's URL of the node's database `postgres`. */
  readonly url: string
  readonly port: number
  /** SIGKILL for the server and all that it started. */
  readonly kill: () => Promise<void>
  /** Starts it again after `kill`, and waits until it accepts connections. */
  readonly restart: () => Promise<void>
  /** Copies its data while it is down. Gives what puts the copy in its place, while it is down again. */
  readonly copyData: () => () => void
  /** SIGSTOP for the same processes: the node hears what it is sent and does not answer. Gives what lets them go on. */
  readonly freeze: () => () => void
  /** The server first, then what it started. */
  readonly processes: () => ReadonlyArray<number>
}

export interface OwnCluster {
  readonly coordinator: CitusNode
  readonly workers: readonly [CitusNode, CitusNode]
  readonly stop: () => Promise<void>
}

const serverOf = (folder: string): number => Number(readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n")[0])

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").map(Number).filter(Boolean)

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch {
    // It ended by itself.
  }
}

/** A zombie is not: it has ended, and its parent has not asked for its result. */
const isAlive = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.[0] !== "Z"
  } catch {
    return false
  }
}

/** Half a minute: what is left of a killed server holds its memory, and a server with much to replay needs longer. */
const startTries = 60

const start = async (folder: string, tries = startTries): Promise<void> => {
  // As the script `cluster` starts it: its servers do not run as root.
  const user = ["--reuid=postgres", "--regid=postgres", "--init-groups"]
  const command = ["/usr/lib/postgresql/15/bin/pg_ctl", "-D", folder, "-w", "-l", `${folder}.log`, "start"]
  try {
    // A node asks others as a client does, which looks for its certificates in this folder.
    const env = { ...process.env, HOME: dirname(folder) }
    await promisify(execFile)("setpriv", [...user, ...command], { cwd: "/", env })
  } catch (cause) {
    if (tries === 1) throw new Error(readFileSync(`${folder}.log`, "utf8").slice(-2_000), { cause })
    await sleep(500)
    return start(folder, tries - 1)
  }
}

const nodeIn = (folder: string, url: string): CitusNode => {
  const processes = () => {
    const server = serverOf(folder)
    return [server, ...childrenOf(server)]
  }
  return {
    url,
    port: Number(new URL(url).port),
    processes,
    kill: async () => {
      const server = serverOf(folder)
      // It starts no other process meanwhile.
      signal(server, "SIGSTOP")
      const all = processes()
      for (const pid of all) signal(pid, "SIGKILL")
      // Bounded by the kernel, which ends them as soon as they run.
      while (all.some(isAlive)) await sleep(10)
      // The next start would take a dead process without a waiting parent for a server that runs.
      rmSync(join(folder, "postmaster.pid"), { force: true })
    },
    restart: () => start(folder),
    copyData: () => {
      const copy = `${folder}.copy`
      execFileSync("cp", ["-a", folder, copy])
      return () => {
        rmSync(folder, { recursive: true })
        renameSync(copy, folder)
      }
    },
    freeze: () => {
      const all = processes()
      for (const pid of all) signal(pid, "SIGSTOP")
      return () => {
        for (const pid of all) signal(pid, "SIGCONT")
      }
    }
  }
}

/** A coordinator and two workers, which wait for their disks; few shards, so that a database has few files. */
export const startOwnCluster = async (settings: ReadonlyArray<string> = []): Promise<OwnCluster> => {
  const { home, nodes, stop } = await startCluster(["citus.shard_count = 4", ...settings])
  const [coordinator, first, second] = ["coordinator", "worker-1", "worker-2"].map((name, at) =>
    nodeIn(join(home, name), nodes[at] as string)
  ) as [CitusNode, CitusNode, CitusNode]
  return { coordinator, workers: [first, second], stop }
}

interface OwnDatabase {
  readonly name: string
  /** By the coordinator. */
  readonly url: string
  readonly urlAt: (node: CitusNode) => string
  /** The worker that has the workspace. */
  readonly nodeOf: (workspace: string) => Promise<CitusNode>
  /** So many workspaces on each worker, in the order of the workers. */
  readonly workspaces: (each: number) => Promise<readonly [ReadonlyArray<string>, ReadonlyArray<string>]>
}

/** A new database; `isPlaced`: with the schema. */
export const newOwnDatabase = async (cluster: OwnCluster, isPlaced = true): Promise<OwnDatabase> => {
  const { coordinator, workers } = cluster
  const name = newName()
  const url = await joinedDatabase(
    [coordinator, ...workers].map((node) => node.url),
    name
  )
  if (isPlaced) await placeSchema(url)
  return {
    name,
    url,
    urlAt: (node) => databaseOn(node.url, name),
    nodeOf: async (workspace) => {
      const [row] = await runOn(
        url,
        `select nodeport as port from pg_dist_placement join pg_dist_node using (groupid)
         where shardid = get_shard_id_for_distribution_column('payments', '${workspace}')`
      )
      const found = workers.find(({ port }) => port === Number(row?.["port"]))
      if (found === undefined) throw new Error(`no worker has ${workspace}`)
      return found
    },
    workspaces: async (each) => {
      const rows = await runOn(
        url,
        `select n.nodeport as port, 'ws' || k as id
         from generate_series(1, 200) as k join pg_dist_placement as p
             on p.shardid = get_shard_id_for_distribution_column('payments', 'ws' || k)
           join pg_dist_node as n on n.groupid = p.groupid
         order by k`
      )
      const on = ({ port }: CitusNode) =>
        rows
          .filter((row) => Number(row["port"]) === port)
          .slice(0, each)
          .map(({ id }) => String(id))
      return [on(workers[0]), on(workers[1])]
    }
  }
}
