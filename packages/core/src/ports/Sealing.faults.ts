import type { Fault } from "../../../../checks/mutations/Fault.ts"

export const faults: ReadonlyArray<Fault> = [
  {
    name: "seal without the place",
    harm: "Credentials that are moved to another connection's record open there: its payments go to another account.",
    edits: [
      { in: "seal", property: "aad", become: 'utf8.encode("")' },
      { in: "openWith", property: "aad", become: 'utf8.encode("")' }
    ],
    caughtBy:
      "packages/core/test/Secrets.test.ts > a sealed text opened in another place is broken, and only the place is named"
  }
]
