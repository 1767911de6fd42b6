/** Loaded first in every process of the benches: it ends with the one that started it, and holds nobody up. */
process.on("disconnect", () => process.exit())
