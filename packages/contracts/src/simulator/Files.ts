/** What has to hold of the messages that were taken: each is on file, and decided. Pure. */
import type { MessageNote, PaymentBook } from "@pointsman/core/ports"
import type { Filed } from "./ProviderMail.ts"

/** `taken`: what we answered with a success. `files`: everything that is stored. */
export const wrongFiles = (
  taken: ReadonlyArray<Filed>,
  files: ReadonlyArray<MessageNote>,
  books: ReadonlyMap<string, PaymentBook>
): ReadonlyArray<string> => {
  const wrong: Array<string> = []
  const byId = new Map(files.map((file) => [keyOf(file.connectionId, file.eventId), file]))
  for (const { connectionId, id, storedAs } of taken) {
    if (storedAs === "unreadable") continue
    const outcome = byId.get(keyOf(connectionId, id))?.outcome
    const isAsExpected =
      storedAs === "unmatched"
        ? outcome === "unmatched"
        : outcome !== undefined && outcome !== "received" && outcome !== "unmatched" && outcome !== "unreadable"
    if (!isAsExpected) wrong.push(`message ${id} of ${connectionId} was taken, and is ${outcome ?? "not on file"}`)
  }
  // One that cannot be read has no id of its own: as many are on file as were taken.
  for (const [connectionId, unread] of Map.groupBy(
    taken.filter(({ storedAs }) => storedAs === "unreadable"),
    (one) => one.connectionId
  )) {
    const stored = files.filter((file) => file.connectionId === connectionId && file.outcome === "unreadable").length
    if (stored < unread.length) {
      wrong.push(`${connectionId} wrote ${unread.length} messages that cannot be read, and ${stored} are on file`)
    }
  }
  for (const { eventId, outcome, paymentId } of files) {
    if (outcome === "contradicts" && books.get(paymentId ?? "")?.payment.review === null) {
      wrong.push(`message ${eventId} contradicts payment ${paymentId}, which has no review`)
    }
  }
  return wrong
}

const keyOf = (connectionId: string, id: string): string => `${connectionId} ${id}`
