/** Reports of providers and disputes, for tests of the pages that show them. */
import { type Environment, Pointsman } from "@pointsman/core"
import type { ReportRow } from "@pointsman/core/connector"
import type { StatedDispute } from "@pointsman/core/ports"
import { Effect } from "effect"
import type { World } from "./World.ts"

type Run = World["run"]

interface Report {
  readonly connectionId: string
  readonly fileName?: string
  /** Tells reports apart. */
  readonly sha256?: string
  readonly connector?: string
}

/** A row of a payout, unless fields say otherwise. `at`: epoch milliseconds. */
export const rowOf = (id: string, fields: Partial<Omit<ReportRow, "names">> & { readonly ref?: string } = {}) => {
  const { ref = null, ...more } = fields
  const none = { attemptId: null, operationId: null, refundId: null, providerRefundId: null, disputeId: null }
  const row: ReportRow = {
    id,
    kind: "payout",
    names: { ...none, providerRef: ref, reference: null },
    gross: { minorUnits: -1_000, currency: "EUR" },
    converted: null,
    fee: null,
    net: null,
    payoutId: null,
    occurredAt: Date.now(),
    settledAt: null,
    ...more
  }
  return row
}

export const readReport = (run: Run, report: Report, rows: ReadonlyArray<ReportRow>) =>
  readPages(
    run,
    report,
    (async function* () {
      yield rows.map((row) => ({ _tag: "Row", row }) as const)
    })()
  )

export const readPages = (
  run: Run,
  { connectionId, connector = "scripted", fileName = "november.csv", sha256 = "ab".repeat(32) }: Report,
  entries: AsyncIterable<ReadonlyArray<{ readonly _tag: "Row"; readonly row: ReportRow }>>
) =>
  run(
    Effect.flatMap(Pointsman, ({ reconciliation }) =>
      reconciliation.run({
        connectionId,
        format: { name: "pointsman", kinds: [connector], delayMillis: 86_400_000 },
        fileName,
        sha256,
        entries
      })
    )
  )

interface Stated extends Partial<StatedDispute> {
  readonly providerRef: string | null
  /** Epoch milliseconds. */
  readonly at?: number
}

/** What the provider states of a dispute of the charge; gives the newest dispute of the tenant. */
export const stateDispute = async (
  run: Run,
  connectionId: string,
  tenant: { readonly workspaceId: string; readonly environment: Environment },
  { at = Date.now(), providerRef, ...said }: Stated
) =>
  run(
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      yield* pointsman.recordMessage({
        connectionId,
        tenant,
        receivedAt: at,
        body: "{}",
        message: {
          id: `msg_${connectionId}_${said.disputeId}_${said.status}_${at}`,
          at,
          about: {
            _tag: "Dispute",
            charge: { providerRef: providerRef ?? "" },
            disputeId: "du_1",
            verdict: "opened",
            money: { minorUnits: 900, currency: "EUR" },
            reason: "not_received",
            providerReason: "13.1",
            ...said
          }
        },
        reason: null
      })
      const { items } = yield* pointsman.disputes(tenant, { limit: 1 })
      const [dispute] = items
      return dispute ?? (yield* Effect.die("no dispute"))
    })
  )
