/** The statements of the guide, which remove what a server of an older release left of payments that it removed. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Ledger } from "@pointsman/core/ports"
import { Effect } from "effect"
import { newChange, tenant, withStorage } from "./Given.ts"
import { hasServer, newDatabase } from "./support/TestDatabase.ts"
import { clientOf } from "./support/Waiting.ts"

const guide = readFileSync(new URL("../../../../docs/guides/many-servers.md", import.meta.url), "utf8")
const statements = [...guide.matchAll(/```sql\n([^`]*delete from dispute_evidence[^`]*)```/gu)].flatMap(
  ([, text = ""]) => text.split(";").filter((statement) => statement.trim() !== "")
)

describe.skipIf(!hasServer)("rows of payments that an older release removed", () => {
  it.live("given the statements of the guide, when they are run, then those rows leave, and those of others stay", () =>
    Effect.gen(function* () {
      expect(statements).toHaveLength(3)
      const url = yield* newDatabase
      const stays = yield* withStorage({ url })(
        Effect.gen(function* () {
          const change = yield* newChange()
          yield* (yield* Ledger).commit(change)
          return change.payment.after.id
        })
      )
      const sql = yield* clientOf(url, 1)
      const { environment, workspaceId } = tenant
      for (const paymentId of [stays, "pay_gone"]) {
        yield* sql`insert into disputes (workspace_id, environment, payment_id, id, status, record)
          values (${workspaceId}, ${environment}, ${paymentId}, ${`dp_${paymentId}`}, 'needs_response', '{}')`
        yield* sql`insert into dispute_evidence (workspace_id, environment, payment_id, id, sealed)
          values (${workspaceId}, ${environment}, ${paymentId}, ${`dp_${paymentId}`}, 'sealed')`
      }
      // Of no payment, of both payments, and a difference that is open.
      const entries = [
        ["payout", null, null],
        ["kept", stays, null],
        ["left", "pay_gone", null],
        ["open", "pay_gone", 1]
      ] as const
      for (const [rowId, paymentId, openedAt] of entries) {
        yield* sql`insert into settlement_entries (workspace_id, environment, connection_id, row_id, run_id, number,
            contents, kind, result, reason, payment_id, gross_minor, currency, occurred_at, recorded_at, opened_at)
          values (${workspaceId}, ${environment}, 'main', ${rowId}, 'run', 1, '', 'charge', ${openedAt === null ? "matched" : "unmatched"}, '', ${paymentId},
            1, 'EUR', 1, 1, ${openedAt})`
      }
      for (const statement of statements) yield* sql.unsafe(statement)
      expect(yield* sql`select payment_id from disputes`).toEqual([{ payment_id: stays }])
      expect(yield* sql`select payment_id from dispute_evidence`).toEqual([{ payment_id: stays }])
      expect(yield* sql`select row_id from settlement_entries order by row_id`).toEqual(
        ["kept", "open", "payout"].map((row_id) => ({ row_id }))
      )
    }).pipe(Effect.scoped)
  )
})
