/**
 * Two servers on a cluster of two workers, with two workspaces on each worker, and a provider that keeps books. Gives what
 * happened in a stretch of time, and what is wrong in the end.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { formatApiKey } from "@pointsman/core"
import { type CitusNode, newOwnDatabase, type OwnCluster } from "../../../../storage/citus/test/support/CitusNodes.ts"
import { movedTwice, unaccounted } from "../failover/BooksAgree.ts"
import { drawFrom } from "../kill/Draw.ts"
import type { PaymentShown } from "../kill/Evidence.ts"
import { pagesOf } from "../kill/Rest.ts"
import { startProviderProcess } from "../ProviderProcess.ts"
import { type ServerProcess, startServer } from "../ServerProcess.ts"
import { startReceiver } from "../WebhookReceiver.ts"
import { environmentOnCitus } from "./KilledCluster.ts"
import { type Asked, amount, startLoad } from "./WorkspaceLoad.ts"

/** Short, as the test waits for them; the time-out is shorter than the claim window. */
const environment = {
  POINTSMAN_PROVIDER_TIMEOUT: "2 seconds",
  POINTSMAN_CLAIM_WINDOW: "10 seconds",
  POINTSMAN_UNKNOWN_CHECK_INTERVAL: "1 second",
  POINTSMAN_PENDING_CHECK_INTERVAL: "1 second",
  POINTSMAN_DEAD_REQUEST_INTERVAL: "1 second",
  POINTSMAN_ALLOW_PRIVATE_WEBHOOKS: "true",
  POINTSMAN_RATE_LIMIT: "off"
}

/** A request may take 15 seconds besides its provider calls (docs/reference), and the provider's time-out is two. */
export const answeredWithinMillis = 17_000
/** A second is usual, and more than five are an outage. */
export const backWithinMillis = 5_000
/** Everything that a provider executed is a payment within this time. */
const settledWithinMillis = 60_000

const workspacesEach = 2

const keyOf = (number: number): string => formatApiKey("sandbox", new Uint8Array(64).fill(60 + number))

/** One server at each of these nodes. */
export const openOutageWorld = async (cluster: OwnCluster, nodes: ReadonlyArray<CitusNode>, seed: number) => {
  const database = await newOwnDatabase(cluster)
  const workspaces = await database.workspaces(workspacesEach)
  const all = workspaces.flat()
  const keys = new Map(all.map((id, number) => [id, keyOf(number)]))
  const provider = await startProviderProcess()
  const receiver = await startReceiver()
  const configurationOf = (more: ReadonlyArray<string>) => ({
    workspaces: all.map((id, number) => ({
      id,
      name: id,
      country: "NL",
      keys: [keyOf(number), ...(number === 0 ? more : [])].map((secret) => ({ environment: "sandbox", secret })),
      connections: [
        {
          id: `to-${id}`,
          environment: "sandbox",
          connector: "http",
          credentials: { baseUrl: provider.url, apiKey: provider.apiKey }
        }
      ],
      routing: { sandbox: { mode: "failover", order: [`to-${id}`] } },
      webhooks: [
        { environment: "sandbox", url: `${receiver.url}/${id}`, events: ["payment.captured"], secret: "whsec_outage" }
      ]
    }))
  })
  const start = (node: CitusNode, more: ReadonlyArray<string> = []) =>
    startServer({
      configuration: configurationOf(more),
      environment: { ...environmentOnCitus(database.urlAt(node)), ...environment }
    })
  const servers: Array<ServerProcess> = []
  for (const node of nodes) servers.push(await start(node))

  const paymentsOf = (workspace: string, query = "") =>
    pagesOf<PaymentShown>((servers as [ServerProcess])[0], `/api/v1/payments${query}`, "before", keys.get(workspace))
  const isOpen = async (): Promise<boolean> => {
    for (const workspace of all)
      for (const status of ["UNKNOWN", "PENDING"])
        if ((await paymentsOf(workspace, `?status=${status}`)).length > 0) return true
    return false
  }

  return {
    /** Of each worker, in the order of the workers. */
    workspaces,
    servers,
    /** Merchants of all workspaces, each with so many clients, at all servers. */
    load: (clientsEach: number) => startLoad(keys, servers, drawFrom(seed), clientsEach),
    /** One more server, whose configuration has one more key of the first workspace. */
    startAnother: async (node: CitusNode) => {
      const key = keyOf(all.length)
      return { server: await start(node, [key]), key }
    },
    /** Of workspaces, webhooks that arrived from `since` on, by the machine's clock. */
    heardSince: (since: number, of: ReadonlyArray<string>) =>
      receiver.heard.filter(({ at, path }) => at >= since && of.some((id) => path.endsWith(`/${id}`))).length,
    /** Ends when everything is recorded; gives the sentences that are not true. */
    wrong: async (asked: ReadonlyArray<Asked>): Promise<ReadonlyArray<string>> => {
      const until = performance.now() + settledWithinMillis
      for (;;) {
        const isLate = performance.now() > until
        const payments = (await Promise.all(all.map((workspace) => paymentsOf(workspace)))).flat()
        const books = await provider.books()
        const open = await isOpen()
        const wrong = [
          ...(open ? ["some payments are still open"] : []),
          ...movedTwice(books, ordersOf(asked)),
          ...unaccounted(books, payments, new Set()),
          ...sentThoughRefused(asked, new Set(books.charges.map(({ reference }) => reference)))
        ]
        if (wrong.length === 0 || isLate) return wrong
        await sleep(500)
      }
    }
  }
}

export type OutageWorld = Awaited<ReturnType<typeof openOutageWorld>>

const ordersOf = (asked: ReadonlyArray<Asked>) =>
  [...new Set(asked.map(({ name }) => name))].map((name) => ({
    name,
    amount,
    isManual: false,
    captures: false,
    refunds: 0,
    ids: new Set<string>(),
    answers: new Map()
  }))

/** What was answered `internal_error` each time was never sent; and what was answered as captured was. */
const sentThoughRefused = (asked: ReadonlyArray<Asked>, charged: ReadonlySet<string>): ReadonlyArray<string> =>
  [...Map.groupBy(asked, ({ name }) => name)].flatMap(([name, answers]) => {
    if (answers.every(({ code }) => code === "internal_error"))
      return charged.has(name) ? [`${name} was charged, and refused as never sent`] : []
    return answers.some(({ state }) => state === "CAPTURED") && !charged.has(name) ? [`${name} was never charged`] : []
  })

/** Of workspaces, payments answered a second in this stretch, which is in milliseconds of `performance.now()`. */
export const rateIn = (
  asked: ReadonlyArray<Asked>,
  workspaces: ReadonlyArray<string>,
  [from, to]: readonly [number, number]
): number =>
  asked.filter(
    ({ answeredAt, code, workspace }) =>
      code === null && workspaces.includes(workspace) && answeredAt >= from && answeredAt < to
  ).length /
  ((to - from) / 1_000)

/** How many answers of each kind those requests had that were sent in this stretch. */
export const answersIn = (
  asked: ReadonlyArray<Asked>,
  workspaces: ReadonlyArray<string>,
  [from, to]: readonly [number, number]
): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { code, sentAt, status, workspace } of asked) {
    if (!workspaces.includes(workspace) || sentAt < from || sentAt >= to) continue
    const word = code ?? String(status)
    counts[word] = (counts[word] ?? 0) + 1
  }
  return counts
}
