/**
 * How far a payment may travel. `fixed`: one connection, one attempt. `priority`: the next one only after a technical
 * error before anything was executed. `failover`: also after a soft decline. `auto`: in the order of measured success,
 * then as `failover`.
 */
export const routingModes = ["fixed", "priority", "failover", "auto"] as const
export type RoutingMode = (typeof routingModes)[number]
