import { describe } from "@effect/vitest"
import { adoptConnector } from "@pointsman/core/internal"
import { accountChapter } from "./AccountChapter.ts"
import { answersChapter, openSituations } from "./AnswersChapter.ts"
import { byHandChapter } from "./ByHandChapter.ts"
import type { ConnectorUnderTest } from "./ConnectorUnderTest.ts"
import { definitionChapter } from "./DefinitionChapter.ts"
import { disputeListChapter } from "./DisputeListChapter.ts"
import { faultsChapter } from "./FaultsChapter.ts"
import { hintsChapter } from "./HintsChapter.ts"
import { listsChapter } from "./ListsChapter.ts"
import { messagesChapter } from "./MessagesChapter.ts"
import { secretsChapter } from "./SecretsChapter.ts"
import { wireChapter } from "./WireChapter.ts"

/**
 * Registers every chapter for one connector. The chapters about a wire need one; no other can be left out: while a
 * situation is open, most of them are skipped, and the open situation fails.
 */
export const connectorSuite = (underTest: ConnectorUnderTest): void => {
  // As the server calls it: it may have another copy of Effect inside, as one that `defineConnector` made.
  const subject = { ...underTest, definition: adoptConnector(underTest.definition) }
  describe(`connector ${subject.name}`, () => {
    definitionChapter(subject)
    answersChapter(subject)
    // A new author would meet a hundred failures, of which one matters.
    if (openSituations(subject).length > 0) describe.skip("after the answers", () => otherChapters(subject))
    else otherChapters(subject)
  })
}

const otherChapters = (subject: ConnectorUnderTest): void => {
  secretsChapter(subject)
  messagesChapter(subject)
  hintsChapter(subject)
  accountChapter(subject)
  listsChapter(subject)
  disputeListChapter(subject)
  byHandChapter(subject)
  if (subject.wire !== undefined) {
    faultsChapter(subject, subject.wire)
    wireChapter(subject, subject.wire)
  }
}
