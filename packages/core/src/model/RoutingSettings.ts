import type { Condition } from "./Connection.ts"
import type { RoutingMode } from "./RoutingDecision.ts"

/** A workspace's routing in one environment. */
export interface RoutingSettings {
  readonly mode: RoutingMode
  /** Connection ids in the order in which they are asked; only these are asked. Absent: every one, by priority. */
  readonly order?: ReadonlyArray<string>
  /** Attempts at most; 2 unless set. `fixed` makes one, whatever the value is. */
  readonly maxAttempts?: number
  /** A strategy of the library's user, by name, orders the connections; not with `auto`, which has its own. */
  readonly strategy?: string
  /** The first rule that matches decides. */
  readonly rules?: ReadonlyArray<RoutingRule>
  readonly control?: ControlGroup
  /** How `auto` explores, also where a rule chose it. */
  readonly auto?: AutoSettings
}

export interface AutoSettings {
  /**
   * The share of the payments, from 0 to 1, that goes to another connection than the one with the best rate, so that a
   * connection which got better is noticed; 0.05 unless set.
   */
  readonly exploration?: number
  /**
   * `approval`, unless set: the best success rate leads. `value`: the greatest expected value does, which is the success
   * rate times the amount less the fee, among the connections that give up little approval.
   */
  readonly objective?: AutoObjective
  /** With `value`: the most approval that a leading connection may give up, from 0 to 1; 0.01 unless set. */
  readonly maxApprovalLoss?: number
}

export const autoObjectives = ["approval", "value"] as const
export type AutoObjective = (typeof autoObjectives)[number]

export interface RoutingRule {
  readonly name: string
  readonly when: Condition
  readonly use: {
    readonly mode: RoutingMode
    readonly order?: ReadonlyArray<string>
    /** Weights by connection id: the first connection is drawn by a hash of the payment id. */
    readonly split?: Readonly<Record<string, number>>
    readonly maxAttempts?: number
    readonly strategy?: string
  }
}

/** A share of the payments, drawn by a hash of the payment id, that takes another order for comparison. */
export interface ControlGroup {
  /** Between 0 and 1. */
  readonly share: number
  readonly order: ReadonlyArray<string>
}

export const defaultRoutingSettings: RoutingSettings = { mode: "failover" }
export const defaultMaxAttempts = 2
export const defaultExploration = 0.05
export const defaultMaxApprovalLoss = 0.01
