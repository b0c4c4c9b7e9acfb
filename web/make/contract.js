// Writes src/contract.ts from the Rust types of crates/lmdi-report/src/page/contract.rs, formatted.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const WEB = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "lmdi-contract-"));
const made = join(folder, "contract.ts");
const test = ["test", "--quiet", "-p", "lmdi-report", "--lib", "contract_in_typescript"];
execFileSync("cargo", test, { cwd: WEB, env: { ...process.env, LMDI_CONTRACT_TS: made } });
const format = ["biome", "format", "--stdin-file-path=src/contract.ts"];
const formatted = execFileSync("npx", format, { cwd: WEB, input: readFileSync(made) });
writeFileSync(join(WEB, "src/contract.ts"), formatted);
rmSync(folder, { recursive: true });
