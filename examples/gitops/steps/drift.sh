#!/usr/bin/env bash
# Compares everything locked with the platform. Keeps one issue open while something differs, and closes it after.
#
#   PLAN, ENVIRONMENT  as for the plan    REPOSITORY  owner/name; empty: no issue    RUN_URL  this run
#
# Ends with 6 when something drifted.
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

code=0
windlass plan "$PLAN" --env "$ENVIRONMENT" --refresh-only --format markdown --json-into "$OUT/events.jsonl" \
  >"$OUT/drift.md" || code=$?
case "$code" in
0 | 6) summary "$OUT/drift.md" ;;
*)
  reasons "$OUT/events.jsonl" "Windlass: drift of \`$ENVIRONMENT\` is not known, exit code $code" >"$OUT/refused.md"
  summary "$OUT/refused.md"
  ;;
esac
output exitcode "$code"
case "$code" in
0 | 6) ;;
*) exit "$code" ;;
esac
print_file "$OUT/drift.md"
if [ -z "${REPOSITORY:-}" ]; then exit "$code"; fi

gh api "repos/$REPOSITORY/issues?state=open&labels=windlass-drift&per_page=100" >"$OUT/issues.json"
node -e 'const [text, issues, environment, url, out] = process.argv.slice(1);
  const fs = require("node:fs");
  const lines = fs.readFileSync(text, "utf8").split("\n");
  const marker = lines[0].replace("<!-- windlass ", "<!-- windlass-drift ");
  const own = JSON.parse(fs.readFileSync(issues, "utf8")).find(
    ({ user, body }) => user?.type === "Bot" && (body ?? "").split(/\r?\n/)[0] === marker);
  const told = [marker, ...lines.slice(1)].join("\n");
  const whole = `${told}\n\n${url}`;
  // GitHub refuses more.
  const body = Buffer.byteLength(whole) <= 65536 ? whole : told;
  const title = `Drift on ${environment}`;
  fs.writeFileSync(out, JSON.stringify({ title, body, labels: ["windlass-drift"] }));
  process.stdout.write(own ? String(own.number) : "none");' \
  "$OUT/drift.md" "$OUT/issues.json" "$ENVIRONMENT" "${RUN_URL:-}" "$OUT/issue.json" >"$OUT/issue"
issue="$(cat "$OUT/issue")"

if [ "$code" = 6 ] && [ "$issue" = none ]; then
  gh api --method POST "repos/$REPOSITORY/issues" --input "$OUT/issue.json" >/dev/null
elif [ "$code" = 6 ]; then
  gh api --method PATCH "repos/$REPOSITORY/issues/$issue" --input "$OUT/issue.json" >/dev/null
elif [ "$issue" != none ]; then
  printf '{"state":"closed"}' >"$OUT/closed.json"
  gh api --method PATCH "repos/$REPOSITORY/issues/$issue" --input "$OUT/closed.json" >/dev/null
fi
exit "$code"
