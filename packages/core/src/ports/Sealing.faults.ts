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
      "packages/core/test/Secrets.test.ts > given a sealed text, when it is opened in another place, then it is broken and names the place alone"
  }
]
