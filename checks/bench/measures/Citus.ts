/**
 * What a payment costs on the nodes of a Citus cluster, beside a plain database on the coordinator's server: processor time
 * of each server, by whom is asked. A coordinator and two workers run on this machine.
 */
import { availableParallelism } from "node:os"
import { runOn } from "../../../packages/storage/citus/test/support/CitusCluster.ts"
import {
  type CitusNode,
  missingOwnCitus,
  newOwnDatabase,
  type OwnCluster,
  startOwnCluster
} from "../../../packages/storage/citus/test/support/CitusNodes.ts"
import { type Compared, compare } from "../kit/Compare.ts"
import { closed } from "../kit/Load.ts"
import { processorMicros, useProcessors } from "../kit/Processors.ts"
import { type Measure, type Options, type Row, row, type Section, short } from "../kit/Result.ts"
import type { Round } from "../kit/Rounds.ts"
import { stopAll } from "../kit/Side.ts"
import { type Library, startLibrary } from "../kit/Sides.ts"

const inFlight = 8
const workspacesEach = 8
/** A create is two commits: the claim, and the provider's answer. */
const commits = 2

/** Per payment, in microseconds of a processor. */
interface Cost {
  readonly coordinator: number
  readonly first: number
  readonly second: number
  readonly client: number
  readonly perSecond: number
}

type Nodes = readonly [coordinator: CitusNode, first: CitusNode, second: CitusNode]

/** The same load by each client at the same time. */
const costOf = async (nodes: Nodes, clients: ReadonlyArray<Library>, seconds: number): Promise<Cost> => {
  const before = nodes.map(({ processes }) => processorMicros(processes))
  const samples = await Promise.all(
    clients.map((client) => client.ask({ _tag: "create", load: closed(inFlight, seconds) }))
  )
  const payments = samples.reduce((sum, { done }) => sum + done, 0)
  const [coordinator = 0, first = 0, second = 0] = nodes.map(
    ({ processes }, at) => (processorMicros(processes) - (before[at] as number)) / payments
  )
  const client = samples.reduce((sum, { done, processorMicros }) => sum + done * processorMicros, 0) / payments
  return { coordinator, first, second, client, perSecond: samples.reduce((sum, { perSecond }) => sum + perSecond, 0) }
}

const nodesTime = ({ coordinator, first, second }: Cost): number => coordinator + first + second

type Sides = Round<"plain" | "byCoordinator" | "byWorker" | "atHome", Cost>

/** Of N workers, each of which is asked as often as the others: one of N payments is at home on the node that is asked. */
const meanWithWorkers = (workers: number, { atHome, byCoordinator }: Sides): number =>
  (nodesTime(atHome) + (workers - 1) * nodesTime(byCoordinator)) / workers

const open = async (cluster: OwnCluster) => {
  const { coordinator, workers } = cluster
  const database = await newOwnDatabase(cluster)
  const [ofFirst, ofSecond] = await database.workspaces(workspacesEach)
  const plain = `${database.name}_plain`
  await runOn(coordinator.url, `create database ${plain}`)
  const plainUrl = new URL(plain, coordinator.url).href
  const library = (url: string, distributed: boolean, workspaces: ReadonlyArray<string>) =>
    startLibrary({
      storage: { _tag: "postgres", url, batchCommits: false, distributed },
      workspaces
    })
  const both = [...ofFirst, ...ofSecond]
  const [first, second] = workers.map(database.urlAt) as [string, string]
  return {
    plain: await library(plainUrl, false, both),
    byCoordinator: await library(database.url, true, both),
    byWorker: await library(first, true, both),
    atFirst: await library(first, true, ofFirst),
    atSecond: await library(second, true, ofSecond)
  }
}

type Clients = Awaited<ReturnType<typeof open>>

const perCommit = (micros: number): string => `${(micros / commits / 1_000).toFixed(2)} ms`

const measureCosts = async (nodes: Nodes, clients: Clients, options: Options) => {
  const side = (client: Library) => () => costOf(nodes, [client], options.seconds)
  return compare(
    options,
    {
      plain: side(clients.plain),
      byCoordinator: side(clients.byCoordinator),
      byWorker: side(clients.byWorker),
      atHome: side(clients.atFirst)
    },
    (name, { client, coordinator, first, perSecond, second }) =>
      `${name}: a commit took ${perCommit(coordinator)} of the coordinator, ${perCommit(first)} and ${perCommit(second)} ` +
      `of the workers, ${perCommit(client)} of the client; ${short(perSecond)} payments/s`
  )
}

/** Each worker and the client that asks it on one processor. */
const measurePinned = async (
  nodes: Nodes,
  { atFirst, atSecond }: Clients,
  options: Options
): Promise<ReadonlyArray<Row>> => {
  const [, first, second] = nodes
  useProcessors([...first.processes(), atFirst.pid], "0")
  useProcessors([...second.processes(), atSecond.pid], "1")
  const { median, times } = await compare(
    options,
    {
      one: () => costOf(nodes, [atFirst], options.seconds),
      two: () => costOf(nodes, [atFirst, atSecond], options.seconds)
    },
    (name, { perSecond }) => `${name}: ${short(perSecond)} payments/s`
  )
  const rate = ({ perSecond }: Cost) => perSecond
  return [
    row(
      "citus-two-workers",
      "payments of two workers, each asked for its own workspaces, of those of one",
      times("two", "one", rate),
      "times",
      `${median("two", rate)}/s of ${median("one", rate)}/s; each worker and its client on one processor`
    ),
    row(
      "citus-two-workers-cost",
      "processor time of the nodes for each of these payments, of that with one worker",
      times("two", "one", nodesTime),
      "times"
    )
  ]
}

/** By the end of the row's id: what is measured, and its processor time. */
const costs: Readonly<Record<string, readonly [what: string, of: (round: Sides) => number]>> = {
  plain: ["a commit, of a plain database", ({ plain }) => plain.coordinator],
  asked: ["a commit asked of the coordinator, of the coordinator", ({ byCoordinator }) => byCoordinator.coordinator],
  served: [
    "the same, of the worker that has the workspace",
    ({ byCoordinator }) => byCoordinator.first + byCoordinator.second
  ],
  home: ["a commit asked of the worker that has the workspace", ({ atHome }) => nodesTime(atHome)],
  "by-worker": [
    "a commit asked of one worker for workspaces of both, of all nodes",
    ({ byWorker }) => nodesTime(byWorker)
  ]
}

const rowsOf = ({ spread, times }: Compared<keyof Sides, Cost>): ReadonlyArray<Row> => {
  const withWorkers = (workers: number): Row => {
    const served = spread((round) => (workers * nodesTime(round.plain)) / meanWithWorkers(workers, round))
    const what = `payments that ${workers} workers have the processors for, of a plain server's; workers are asked`
    const beside = `of ${workers} payments, one is at home on the node that is asked`
    return row(`citus-workers-${workers}`, what, served, "times", beside)
  }
  const byAsked = times("byCoordinator", "plain", nodesTime)
  const byHome = times("atHome", "plain", nodesTime)
  const workers = spread(({ byCoordinator: { coordinator, first, second } }) => (first + second) / coordinator)
  const atHome = "the nodes' time by the worker that has the workspace, of a plain server's"
  const share = "the workers that one coordinator serves, each with as many processors"
  return [
    ...Object.entries(costs).map(([id, [what, of]]) => {
      const micros = spread((round) => of(round) / commits)
      return row(`citus-${id}`, what, micros, "µs")
    }),
    row("citus-of-plain", "the nodes' time by the coordinator, of a plain server's", byAsked, "times"),
    row("citus-home-of-plain", atHome, byHome, "times"),
    row("citus-coordinator-share", share, workers, "times"),
    ...[2, 4, 8].map(withWorkers)
  ]
}

export const citus: Measure = async (options): Promise<Section> => {
  const title = `Payments on a Citus cluster, ${inFlight} at once, over ${2 * workspacesEach} workspaces on two workers`
  const missing = missingOwnCitus()
  if (missing !== undefined) return { id: "citus", title, rows: [], note: `Not run: ${missing}.` }
  const cluster = await startOwnCluster()
  try {
    const nodes: Nodes = [cluster.coordinator, ...cluster.workers]
    const clients = await open(cluster)
    const rows = rowsOf(await measureCosts(nodes, clients, options))
    const pinned = availableParallelism() < 2 ? [] : await measurePinned(nodes, clients, options)
    return {
      id: "citus",
      title,
      rows: [...rows, ...pinned],
      note: "The times are processor times of all processes of a server, by /proc."
    }
  } finally {
    await stopAll()
    await cluster.stop()
  }
}
