/** The books as a journal. */
import { Effect, Stream } from "effect"
import type { JournalFormat } from "../decide/journal/JournalText.ts"
import type { Tenant } from "../model/Tenant.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { type Balances, readBalances } from "../verbs/read/ReadBalances.ts"
import { type JournalEntry, type JournalQuery, journal } from "../verbs/read/ReadJournal.ts"
import { actsOf, type DoorContext } from "./DoorContext.ts"

export interface BookMethods {
  /**
   * The double-entry view of everything that is recorded of payments and that providers reported: the transactions that are
   * posted in a period, and the money whose result is not known. It reads pages as they are consumed, so that its memory does
   * not grow with the number of payments.
   */
  readonly journal: (tenant: Tenant, query: JournalQuery) => Stream.Stream<JournalEntry, StorageError>
  /** What each account has of the same transactions, by name. It reads all of them. */
  readonly balances: (tenant: Tenant, query: JournalQuery) => Effect.Effect<Balances, StorageError>
  /** The journal. An operator's export is audited first. */
  readonly exportJournal: (
    caller: { readonly tenant: Tenant; readonly operator?: string | undefined },
    query: JournalQuery,
    format: JournalFormat
  ) => Stream.Stream<JournalEntry, StorageError>
}

export const bookMethods = (context: DoorContext): BookMethods => {
  const read: BookMethods["journal"] = (tenant, query) => Stream.provideContext(journal(tenant, query), context)
  return {
    journal: read,
    balances: (tenant, query) => Effect.provideContext(readBalances(tenant, query), context),
    exportJournal: (caller, query, format) => {
      const { tenant } = caller
      const details = {
        journal: format,
        ...(query.from === undefined ? {} : { from: new Date(query.from).toISOString() }),
        before: new Date(query.before).toISOString(),
        ...(query.connectionId === undefined ? {} : { connection_id: query.connectionId })
      }
      const entry = actsOf(context)(caller, "payments.exporting", tenant.workspaceId, details)
      return Stream.unwrap(Effect.as(entry, read(tenant, query)))
    }
  }
}
