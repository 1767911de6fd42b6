// Builds the server where its sources are newer than its bundle.
import { isFresh } from "./freshness.mjs"

if (!isFresh()) {
  const { bundle } = await import("./Bundler.ts")
  const { readPackage } = await import("./Packages.ts")
  await bundle(readPackage("packages/server"))
}
