import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "a UUID is taken for a card number",
    harm: "One of 18,000 orders that a shop names by a UUID is refused, and the sale is lost.",
    edits: [{ const: "uuid", become: "/(?!)/gu" }],
    caughtBy:
      'packages/http/test/CardNumbers.test.ts > "253e3642-7753-4504-88b4-6edebcb14a76" is accepted in a create, also where bare numbers are refused'
  }
]
