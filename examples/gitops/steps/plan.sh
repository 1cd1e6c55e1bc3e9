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
if [ -n "${GITLAB_CI:-}" ]; then
  "$read_plan" validate "$PLAN" --env "$ENVIRONMENT" --format gitlab >"$OUT/codequality.json" || true
fi
code=0
"$read_plan" validate "$PLAN" --env "$ENVIRONMENT" --format "${DIAGNOSTICS:-github}" || code=$?
if [ "$code" != 0 ]; then
  # The same mistakes as one event.
  {
    printf '{"type":"diagnostics","diagnostics":'
    "$read_plan" validate "$PLAN" --env "$ENVIRONMENT" --format json >"$OUT/mistakes.json" || true
    field "$OUT/mistakes.json" diagnostics
    printf '}\n'
  } >"$OUT/events.jsonl"
  reasons "$OUT/events.jsonl" "Windlass: the plan of \`$ENVIRONMENT\` has mistakes" >"$OUT/refused.md"
  summary "$OUT/refused.md"
  exit "$code"
fi

# One look at the platform gives page and comment, which show what differs in the sources; every other form is made
# from what it saved.
rm -f "$OUT/change-set.json" "$OUT/events.jsonl"
code=0
"$read_plan" plan "$PLAN" --env "$ENVIRONMENT" --out "$OUT/change-set.json" --detailed-exitcode "${flags[@]}" \
  --json-into "$OUT/events.jsonl" --markdown-into "$OUT/plan.markdown" --format html >"$OUT/plan.html" || code=$?
if [ ! -f "$OUT/change-set.json" ]; then
  reasons "$OUT/events.jsonl" "Windlass: no change set for \`$ENVIRONMENT\`, exit code $code" >"$OUT/refused.md"
  summary "$OUT/refused.md"
  exit "$code"
fi

for form in text json gitlab; do
  (cd "$OUT" && windlass_without_secrets show change-set.json --format "$form" >"plan.$form" 2>/dev/null)
done
print_file "$OUT/plan.text"

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
