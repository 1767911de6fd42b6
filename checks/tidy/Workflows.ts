/** What the workflows and Dependabot's file must contain: a guard that a change of them drops would be missed by nobody. */
import { posix } from "node:path"
import type { TextFile } from "./Files.ts"

/** An action of another repository is named by a commit, with its release in a comment: a tag can be moved. */
export const pinFaults = ({ path, text }: TextFile): ReadonlyArray<string> =>
  text.split("\n").flatMap((line, at) => {
    const uses = /^\s*(?:- )?uses:\s*(.*)$/u.exec(line)?.[1]
    if (uses === undefined || /^[\w.-]+(?:\/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/u.test(uses)) return []
    return [`${path}:${at + 1}: expected owner/action@<commit> # v<release>, found ${uses}`]
  })

/** The lines that a guard needs, by the file that has to have them. */
const needed: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  ".github/workflows/release.yml": {
    "permission to sign (id-token)": /^ {6}id-token: write$/mu,
    "permission to store attestations": /^ {6}attestations: write$/mu,
    "publication by scripts/publish.mjs": /^ +node scripts\/publish\.mjs "\$RUNNER_TEMP\/tarballs"$/mu,
    "an attestation of who built the tarballs and the SBOM":
      /uses: actions\/attest@\S+ # \S+\n +with:\n +subject-path: \|\n +\S+ runner\.temp \S+\/tarballs\/\*\.tgz\n +\S+ runner\.temp \S+\/\*\.cdx\.json\n/u,
    "an attestation that binds the SBOM to the tarballs":
      /uses: actions\/attest@\S+ # \S+\n +with:\n +subject-path: \S+ runner\.temp \S+\/tarballs\/\*\.tgz\n +sbom-path: \S+ runner\.temp \S+\.cdx\.json\n/u,
    "all checks before the publication": /^ +- run: bash \.ci\/run$/mu
  },
  ".github/workflows/codeql.yml": {
    "CodeQL for JavaScript, TypeScript and workflows": /^ +language: \[javascript-typescript, actions\]$/mu,
    "the analysis": /uses: github\/codeql-action\/analyze@/u,
    "the run for pull requests": /^ {2}pull_request:$/mu
  },
  ".github/workflows/ci.yml": {
    "all checks": /^ +- run: bash \.ci\/run$/mu,
    "the run for pull requests": /^ {2}pull_request:$/mu
  },
  "scripts/publish.mjs": { provenance: /npm\("publish", tarball, "--provenance"/u }
}

/** `text`: of the file with this path. */
export const guardFaults = (text: (path: string) => string | undefined): ReadonlyArray<string> =>
  Object.entries(needed).flatMap(([path, guards]) =>
    Object.entries(guards)
      .filter(([, line]) => !line.test(text(path) ?? ""))
      .map(([guard]) => `${path}: lacks ${guard}`)
  )

/** Dependabot updates the dependencies of the folders that it is told, and of no other. */
export const dependabotFaults = ({ path, text }: TextFile, lockFiles: ReadonlyArray<string>): ReadonlyArray<string> => {
  const listed = /package-ecosystem: npm\n +directories: (\[.*\])\n/u.exec(text)?.[1]
  const named: ReadonlyArray<string> = listed === undefined ? [] : JSON.parse(listed)
  const folders = lockFiles.map((file) => posix.join("/", posix.dirname(file)))
  return [
    ...folders.filter((folder) => !named.includes(folder)).map((folder) => `${path}: npm lacks the folder ${folder}`),
    ...named.filter((folder) => !folders.includes(folder)).map((folder) => `${path}: ${folder} has no lock file`),
    ...["github-actions", "docker"]
      .filter((ecosystem) => !text.includes(`package-ecosystem: ${ecosystem}\n`))
      .map((ecosystem) => `${path}: lacks ${ecosystem}`)
  ]
}
