/** The books as a journal. */
import { Stream } from "effect"
import type { Tenant } from "../model/Tenant.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { type JournalEntry, type JournalQuery, journal } from "../verbs/read/ReadJournal.ts"
import type { DoorContext } from "./DoorContext.ts"

export interface BookMethods {
  /**
   * The double-entry view of everything that is recorded of payments and that providers reported: the transactions that are
   * posted in a period, and the money whose result is not known. It reads pages as they are consumed, so that its memory does
   * not grow with the number of payments.
   */
  readonly journal: (tenant: Tenant, query: JournalQuery) => Stream.Stream<JournalEntry, StorageError>
}

export const bookMethods = (context: DoorContext): BookMethods => ({
  journal: (tenant, query) => Stream.provideContext(journal(tenant, query), context)
})
