# Sourced by the steps: finds Windlass and says what every step needs. Inputs come as variables, never inside code.
set -euo pipefail

PLAN="${PLAN:-windlass.yaml}"
ENVIRONMENT="${ENVIRONMENT:-local}"
OUT="${OUT:-${RUNNER_TEMP:-.}/windlass}"
mkdir -p "$OUT"
OUT="$(cd "$OUT" && pwd)"

# The one that the repository pins in its package-lock.json, else the one on the PATH.
if [ -x node_modules/.bin/windlass ]; then
  WINDLASS="$PWD/node_modules/.bin/windlass"
else
  WINDLASS="$(command -v windlass)"
fi

windlass() { "$WINDLASS" "$@"; }

# Without credentials and tokens: what an untrusted plan is read with.
windlass_without_secrets() { env -i PATH="$PATH" HOME="$OUT" CI=true "$WINDLASS" "$@"; }

# name=value for later steps. Values are ours: numbers, words, paths.
output() {
  if [ -n "${GITHUB_OUTPUT:-}" ]; then printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"; fi
}

# A part of the page of the run; elsewhere than on GitHub, of a file beside the others.
summary() {
  cat "$1" >>"${GITHUB_STEP_SUMMARY:-$OUT/summary.md}"
}

# Why a command ended as it did, from its events, for the page of the run: reasons EVENTS TITLE. Others wrote what it
# says, so it stands as code, where nothing is markup, a mention or a link.
reasons() {
  node -e 'const [file, title] = process.argv.slice(1);
    const fs = require("node:fs");
    const text = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
    const events = text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
    const place = ({ file, range }) => `${file}:${range.start.line}:${range.start.column}`;
    const ways = {
      "change-set": ({ changeSet }) => changeSet.changes.filter(({ action }) => action === "blocked").map(
        ({ id, reason, fix }) => `blocked ${id}: ${reason}${fix === undefined ? "" : `; fix: ${fix}`}`),
      diagnostics: ({ diagnostics }) => diagnostics.map(
        (one) => `${place(one)} ${one.severity} ${one.code}: ${one.message}${one.fix === undefined ? "" : `; fix: ${one.fix}`}`),
      "step-ended": ({ report }) => report.end === "confirmed" || report.message === undefined ? [] :
        [`${report.end} ${report.step ?? report.id}: ${report.message}`],
      doubts: ({ code, message, advice, doubts }) => [
        ...doubts.map(({ state, step }) => `${state} ${step}`), `error ${code}: ${message}`, `fix: ${advice}`],
      error: ({ code, message, advice }) => [`error ${code}: ${message}`, `fix: ${advice}`],
      interrupted: () => ["interrupted"],
    };
    const told = events.flatMap((event) => ways[event.type]?.(event) ?? []);
    const most = 40;
    const shown = told.length > most ? [`… ${told.length - most} more lines are in the log`, ...told.slice(-most)] : told;
    const lines = shown.length > 0 ? shown : ["The log says why."];
    const clean = (line) => line.replace(/\p{C}+/gu, " ").slice(0, 1000);
    process.stdout.write(`### ${title}\n\n${lines.map((line) => `    ${clean(line)}\n`).join("")}\n`);' "$1" "$2"
}

# Prints a file that others wrote: no line of it is taken for a command to the runner.
print_file() {
  if [ -n "${GITHUB_ACTIONS:-}" ]; then
    local stop
    stop="stop-$(node -p 'crypto.randomUUID()')"
    printf '::stop-commands::%s\n' "$stop"
    cat "$1"
    printf '\n::%s::\n' "$stop"
  else
    cat "$1"
  fi
}

# The path of a member of a JSON file, as text: field FILE MEMBER
field() {
  node -e 'const [file, name] = process.argv.slice(1);
    const value = JSON.parse(require("node:fs").readFileSync(file, "utf8"))[name];
    process.stdout.write(typeof value === "object" ? JSON.stringify(value) : String(value))' "$1" "$2"
}
