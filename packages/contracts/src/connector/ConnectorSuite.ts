import { describe } from "@effect/vitest"
import type { ConnectorUnderTest } from "./ConnectorUnderTest.ts"

/** Registers every chapter for one connector. */
export const connectorSuite = (subject: ConnectorUnderTest): void => {
  describe(`connector ${subject.name}`, () => {})
}
