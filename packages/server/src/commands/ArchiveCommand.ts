/** `pointsman archive`: what left the store by retention, and whether it is what was written. */
import { manifestJson, sumJson } from "@pointsman/archive"
import type { Environment, Tenant } from "@pointsman/core"
import type { ArchiveManifest, ArchiveReport, ArchiveService, ArchiveSum } from "@pointsman/core/ports"
import { Console, Effect, Option, Stream } from "effect"
import { Command } from "effect/cli"
import { endWith } from "./CommandFailure.ts"
import { argument, commandGroup, settingFlags, textFlag, withHelp } from "./CommandHelp.ts"
import { onArchive, type Variables } from "./OnArchive.ts"
import { nowOf } from "./OpenDatabase.ts"
import { jsonFlag, print } from "./Output.ts"
import { disputesText, disputeView, fileText, fileView } from "./PaymentFileView.ts"
import { entriesText, entryView } from "./ReconciliationView.ts"
import { runArchive } from "./RunArchive.ts"
import { paragraphs, type Text, table } from "./Table.ts"
import { anyEnvironmentFlag, anyWorkspaceFlag, notFound } from "./Tenants.ts"
import { counted, moneyText } from "./Words.ts"

/** Objects of one list: enough for a terminal, and few enough to hold. */
const listedAtMost = 1_000

const tenantsOf = Effect.fnUntraced(function* (
  archive: ArchiveService,
  workspace: Option.Option<string>,
  environment: Option.Option<Environment>
) {
  return (yield* archive.tenants).filter(
    (tenant) =>
      Option.getOrElse(workspace, () => tenant.workspaceId) === tenant.workspaceId &&
      Option.getOrElse(environment, () => tenant.environment) === tenant.environment
  )
})

const flags = {
  workspace: anyWorkspaceFlag,
  environment: anyEnvironmentFlag,
  json: jsonFlag,
  ...settingFlags(["configuration"])
}

const list = (variables: Variables) =>
  Command.make(
    "list",
    {
      ...flags,
      after: textFlag("after", "object", "Last object of the previous page: those after it follow")
    },
    Effect.fnUntraced(function* ({ after, environment, json, workspace, ...texts }) {
      yield* onArchive(
        texts,
        variables,
        Effect.fnUntraced(function* (archive) {
          const tenants = yield* tenantsOf(archive, workspace, environment)
          const found = yield* Stream.fromIterable(tenants).pipe(
            Stream.flatMap(archive.list),
            Option.isNone(after)
              ? (all) => all
              : (all) =>
                  Stream.drop(
                    Stream.dropWhile(all, ({ object }) => object !== after.value),
                    1
                  ),
            Stream.take(listedAtMost + 1),
            Stream.runCollect
          )
          const objects = found.slice(0, listedAtMost)
          const hasMore = found.length > listedAtMost
          const next = hasMore ? (objects.at(-1)?.object ?? null) : null
          yield* print(
            json,
            { data: objects.map(manifestJson), has_more: hasMore, next_cursor: next },
            objects.length === 0 ? "" : objectsText(objects)
          )
          if (json) return
          if (objects.length === 0) yield* Console.error("No objects found.")
          if (next !== null) yield* Console.error(`Next page: --after ${next}`)
        })
      )
    })
  ).pipe(
    withHelp({
      short: "List objects with their counts and sums",
      long:
        "List the objects of the archive, by workspace, environment and month, with the counts and sums that their " +
        "manifests state. A payment can be in two objects; `archive verify` counts it once.",
      examples: { "pointsman archive list --config pointsman.json --workspace acme": "Of one workspace" }
    })
  )

const objectsText = (objects: ReadonlyArray<ArchiveManifest>): Text =>
  table(
    ["OBJECT", "PAYMENTS", "EVENTS", "BYTES", "CAPTURED", "REFUNDED"],
    objects.map(({ bytes, events, object, payments, sums }) => [
      object,
      payments,
      events,
      bytes,
      amounts(sums, ({ capturedMinor }) => capturedMinor),
      amounts(sums, ({ refundedMinor }) => refundedMinor)
    ])
  )

const amounts = (sums: ReadonlyArray<ArchiveSum>, of: (sum: ArchiveSum) => number): string =>
  sums.map((sum) => moneyText(of(sum), sum.currency)).join(", ")

const verify = (variables: Variables) =>
  Command.make(
    "verify",
    flags,
    Effect.fnUntraced(function* ({ environment, json, workspace, ...texts }) {
      yield* onArchive(
        texts,
        variables,
        Effect.fnUntraced(function* (archive) {
          const reports = yield* Effect.forEach(yield* tenantsOf(archive, workspace, environment), (tenant) =>
            Effect.map(archive.verify(tenant), (report) => ({ tenant, report }))
          )
          yield* print(json, { data: reports.map(reportView) }, reports.length === 0 ? "" : reportsText(reports))
          if (!json && reports.length === 0) yield* Console.error("No objects found.")
          if (reports.some(({ report }) => report.faultCount > 0)) yield* endWith(1)
        })
      )
    })
  ).pipe(
    withHelp({
      short: "Compare objects with their manifests",
      long:
        "Read every object of the archive and compare its hashes, counts and sums with its manifest. Prints what differs, " +
        "and exits with 1. A payment that is in two objects, after a process died between the archive and the removal, " +
        "counts once.",
      examples: { "pointsman archive verify --config pointsman.json": "All of it" }
    })
  )

interface TenantReport {
  readonly tenant: Tenant
  readonly report: ArchiveReport
}

const reportView = ({ report, tenant }: TenantReport) => ({
  workspace_id: tenant.workspaceId,
  environment: tenant.environment,
  objects: report.objects,
  payments: report.payments,
  sums: report.sums.map(sumJson),
  fault_count: report.faultCount,
  faults: report.faults
})

const reportsText = (reports: ReadonlyArray<TenantReport>): Text => {
  const faults = reports.flatMap(({ report }) => report.faults)
  const count = reports.reduce((sum, { report }) => sum + report.faultCount, 0)
  return paragraphs(
    table(
      ["WORKSPACE", "ENVIRONMENT", "OBJECTS", "PAYMENTS", "AUTHORIZED", "CAPTURED", "REFUNDED", "FAULTS"],
      reports.map(({ report, tenant }) => [
        tenant.workspaceId,
        tenant.environment,
        report.objects,
        report.payments,
        amounts(report.sums, ({ authorizedMinor }) => authorizedMinor),
        amounts(report.sums, ({ capturedMinor }) => capturedMinor),
        amounts(report.sums, ({ refundedMinor }) => refundedMinor),
        report.faultCount
      ])
    ),
    ...(faults.length === 0 ? [] : [faults.map(({ fault, object }) => `${object}: ${fault}`).join("\n")]),
    count === 0 ? "Every object is as its manifest states." : `${counted(count, "fault")} found.`
  )
}

const read = (variables: Variables) =>
  Command.make(
    "read",
    {
      payment: argument("payment", "The payment's id"),
      json: jsonFlag,
      ...settingFlags(["configuration"])
    },
    Effect.fnUntraced(function* ({ json, payment: id, ...texts }) {
      yield* onArchive(
        texts,
        variables,
        Effect.fnUntraced(function* (archive, settings) {
          for (const tenant of paymentId.test(id) ? yield* archive.tenants : []) {
            const found = yield* archive.find(tenant, id)
            if (Option.isNone(found)) continue
            const { book, disputes = [], events, settlements = [] } = found.value
            const view = fileView({ ...book, timeline: events }, yield* nowOf(settings))
            const disputed = disputes.map(disputeView)
            const text = paragraphs(
              fileText(view),
              ...(disputed.length === 0 ? [] : [disputesText(disputed)]),
              ...(settlements.length === 0 ? [] : [entriesText(settlements)])
            )
            const rows = settlements.map(entryView)
            return yield* print(json, { data: { ...view, disputes: disputed, settlements: rows } }, text)
          }
          return yield* notFound(id)
        })
      )
    })
  ).pipe(
    withHelp({
      short: "Print a payment",
      long: "Print a payment of the archive: its attempts, operations, refunds, disputes and events, and rows of reports.",
      examples: {
        "pointsman archive read 019a9c3e-6f4d-7d2a-8a41-0c5f7e1b2d3c --config pointsman.json":
          "From whichever workspace"
      }
    })
  )

const paymentId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u

export const archiveCommand = (variables: Variables) =>
  commandGroup(
    "archive",
    {
      short: "Run, list, verify and read the archive",
      long: "Archive payments whose retention is over, and list, verify and read those that left the store."
    },
    [runArchive(variables), list(variables), verify(variables), read(variables)]
  )
