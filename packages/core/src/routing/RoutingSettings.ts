import type { Condition } from "./Connection.ts"

/**
 * How far a payment may travel (decisions, section 5). `fixed`: one connection, one attempt. `priority`: the next
 * one only after a technical error before anything was executed. `failover`: also after a soft decline.
 */
export const routingModes = ["fixed", "priority", "failover"] as const
export type RoutingMode = (typeof routingModes)[number]

/** A workspace's routing in one environment. */
export interface RoutingSettings {
  readonly mode: RoutingMode
  /** Connection ids in the order in which they are asked; only these are asked. Absent: every one, by priority. */
  readonly order?: ReadonlyArray<string>
  /** Attempts at most; 2 unless set. `fixed` makes one whatever stands here. */
  readonly maxAttempts?: number
  /** The first rule that matches decides. */
  readonly rules?: ReadonlyArray<RoutingRule>
  readonly control?: ControlGroup
}

export interface RoutingRule {
  readonly name: string
  readonly when: Condition
  readonly use: {
    readonly mode: RoutingMode
    readonly order?: ReadonlyArray<string>
    /** Weights by connection id: the first connection is drawn by a hash of the payment id. */
    readonly split?: Readonly<Record<string, number>>
    readonly maxAttempts?: number
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
