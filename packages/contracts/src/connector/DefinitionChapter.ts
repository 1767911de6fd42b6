/** Connecting: credentials are checked by field, and what the connector offers fits together. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { ConnectorUnderTest } from "./ConnectorUnderTest.ts"
import { connect, operationsOf, timeoutMillis } from "./Rehearsal.ts"
import { scriptedTransport } from "./ScriptedTransport.ts"
import { textIn } from "./SecretsChapter.ts"

export const definitionChapter = (subject: ConnectorUnderTest): void => {
  const { definition } = subject
  const [environment = "sandbox"] = definition.environments
  const connectWith = (credentials: unknown) =>
    definition.connect(
      { connectionId: "connection", environment, credentials, timeoutMillis },
      scriptedTransport([]).transport
    )

  describe("definition", () => {
    it("has a name and an environment, and connects in each of its environments", () => {
      assert.match(definition.name, /^[a-z][a-z0-9-]*$/)
      assert.isNotEmpty(definition.environments)
      for (const each of definition.environments) {
        const { transport } = scriptedTransport([])
        const account = { connectionId: "c", environment: each, credentials: subject.credentials, timeoutMillis }
        assert.isTrue(Result.isSuccess(definition.connect(account, transport)))
      }
    })
    it("sends nothing when it connects", () => {
      const { requests, transport } = scriptedTransport([])
      connect(subject, transport)
      assert.isEmpty(requests)
    })
    it("a connector that can refund can look refunds up: unanswered ones must be settled", () => {
      const operations = operationsOf(subject)
      assert.strictEqual(
        operations.includes("refund"),
        operations.includes("lookUpRefund"),
        "`refund` and `lookUpRefund` come together, or neither of them"
      )
    })
    it("a connector that looks operations up has an operation to look up", () => {
      const operations = operationsOf(subject)
      assert.isTrue(
        !operations.includes("lookUpOperation") || operations.includes("capture") || operations.includes("void"),
        "`lookUpOperation` looks captures and voids up: the connector has neither"
      )
    })
    it("is shown broken credentials, one for each way in which a field can be wrong", () => {
      assert.isNotEmpty(subject.brokenCredentials, "`brokenCredentials` is empty: nothing shows that they are checked")
    })
    for (const [index, { credentials, field }] of subject.brokenCredentials.entries()) {
      it(`broken credentials ${index + 1} (${field}) name only the field`, () => {
        const result = connectWith(credentials)
        if (Result.isSuccess(result)) return assert.fail(`accepted: \`connect\` must refuse them, and name ${field}`)
        assert.include(result.failure, field, "the refusal must name the field")
        for (const value of valuesIn(credentials)) assert.notInclude(result.failure, value)
      })
    }
    it("no credentials at all, or anything else, gets an answer and never an exception", () => {
      for (const credentials of [undefined, null, "text", 42, [], {}, { baseUrl: {} }, Object.create(null)]) {
        const result = connectWith(credentials)
        if (Result.isFailure(result)) assert.isNotEmpty(result.failure)
      }
    })
  })
}

/** The values of the fields; one that is shorter than four characters would be found in any sentence. */
const valuesIn = (credentials: unknown): ReadonlyArray<string> =>
  typeof credentials === "object" && credentials !== null
    ? Object.values(credentials)
        .map((value) => textIn([value]))
        .flatMap((text) => text.split("\n"))
        .filter((text) => text.length >= 4)
    : []
