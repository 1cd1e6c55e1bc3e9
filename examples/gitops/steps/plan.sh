#!/usr/bin/env bash
# Computes the change set and writes it down in every form: for the artifact, the comment, the summary, the widget.
#
#   PLAN         plan file, or its folder                  ENVIRONMENT  environment of the plan
#   OUT          folder for what is written                OFFLINE      true: nobody is asked, no credential is seen
#
# Ends with 0 when the change set can be applied, also when it is empty or shows drift; with 3 when it is blocked.
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

read_plan=windlass
flags=()
if [ "${OFFLINE:-false}" = true ]; then
  read_plan=windlass_without_secrets
  flags+=(--offline)
fi

# Mistakes as annotations at their lines; the rules that need no network come first.
"$read_plan" validate "$PLAN" --env "$ENVIRONMENT" --format "${DIAGNOSTICS:-github}"

rm -f "$OUT/change-set.json"
code=0
"$read_plan" plan "$PLAN" --env "$ENVIRONMENT" --out "$OUT/change-set.json" --detailed-exitcode "${flags[@]}" \
  >"$OUT/plan.txt" || code=$?
print_file "$OUT/plan.txt"
[ -f "$OUT/change-set.json" ] || exit "$code"

for form in json markdown html; do
  windlass_without_secrets show "$OUT/change-set.json" --format "$form" >"$OUT/plan.$form" 2>/dev/null
done
node -e 'const [from, to] = process.argv.slice(1);
  const fs = require("node:fs");
  const { create, deploy, update, replace, forget } = JSON.parse(fs.readFileSync(from, "utf8")).counts;
  fs.writeFileSync(to, JSON.stringify({ create: create + deploy, update: update + replace, delete: forget }));' \
  "$OUT/plan.json" "$OUT/gitlab.json"

summary "$OUT/plan.markdown"
output exitcode "$code"
output has-changes "$([ "$(field "$OUT/plan.json" empty)" = true ] && echo false || echo true)"
output irreversible "$(field "$OUT/plan.json" irreversible)"
output change-set "$OUT/change-set.json"
output comment "$OUT/plan.markdown"
output report "$OUT/plan.html"

case "$code" in
0 | 2 | 6) ;; # nothing to do, changes, drift: for reviewers to read
*) exit "$code" ;;
esac
