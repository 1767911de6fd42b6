import { defineConfig } from "vitest/config"
import projects from "./vitest.workspace.ts"

export default defineConfig({
  ssr: { resolve: { conditions: ["@pointsman/source"] } },
  test: { projects, testTimeout: 30_000, passWithNoTests: true }
})
