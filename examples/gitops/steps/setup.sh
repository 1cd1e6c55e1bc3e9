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

# A part of the page of the run.
summary() {
  if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat "$1" >>"$GITHUB_STEP_SUMMARY"; fi
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
