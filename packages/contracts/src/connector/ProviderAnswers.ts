/**
 * What a connector's provider may answer, as data beside the connector: `docs/reference/provider-answers.md` is generated from it,
 * by giving each answer to the connector.
 */
import type { ConnectorDefinition, TransportAnswer } from "@pointsman/core/connector"
import type { Operation } from "./ConnectorUnderTest.ts"

export interface ProviderAnswer {
  /** `hints`: the lookup that an unsigned message is the reason for. */
  readonly operation: Operation | "hints"
  /** In the provider's words, as Markdown. */
  readonly says: string
  /** The address of the provider's page that describes the answer. */
  readonly page: string
  readonly answer: TransportAnswer
}

export interface ProviderAnswers {
  readonly title: string
  readonly definition: ConnectorDefinition
  /** Of the sandbox, made up. */
  readonly credentials: unknown
  readonly instrument: string
  /** The provider's reference of the charge. Our ids in the answers are `att_1`, `op_1` and `rf_1`, the amount is 12.34 EUR. */
  readonly providerRef: string
  readonly rows: ReadonlyArray<ProviderAnswer>
}
