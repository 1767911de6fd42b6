/** What must hold of every payment; the suites are at `/storage` and `/connector`. */
export * from "./Invariants.ts"
