/**
 * The results of a create, a capture, a void, a refund and an answer to a dispute whose process ends at any point, with
 * everything that a provider may do: `crashMatrix({ storage })` runs it over a store.
 */

export type { Told } from "./crash-matrix/Judge.ts"
export * from "./crash-matrix/Matrix.ts"
export {
  type Operation,
  type OperationName,
  type Outcome,
  type OutcomeGroup,
  operations
} from "./crash-matrix/Operations.ts"
export { type Client, clients, type Plan, type RunEnd, run } from "./crash-matrix/Run.ts"
export type { RequestHandling, Script } from "./crash-matrix/ScriptedProvider.ts"
export type { Ground } from "./crash-matrix/Stage.ts"
