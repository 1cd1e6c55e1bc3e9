#!/usr/bin/env bash
# Applies a saved change set: exactly what was reviewed, or nothing (exit 5). The approval is the environment's, in
# GitHub or GitLab; its name is handed on as the confirmation that a protected environment asks for.
#
#   CHANGE_SET  file of `plan --out`   PLAN, ENVIRONMENT  its plan and environment   EPHEMERAL_JOURNAL  true: see below
#
# A runner forgets its journal. Keep it with `state: git`; EPHEMERAL_JOURNAL=true accepts the loss.
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

flags=(--plan "$PLAN" --yes --confirm "$ENVIRONMENT" --env "$ENVIRONMENT")
if [ "${EPHEMERAL_JOURNAL:-false}" = true ]; then flags+=(--ephemeral-journal); fi

rm -f "$OUT/run.html" "$OUT/events.jsonl"
code=0
windlass apply "$CHANGE_SET" "${flags[@]}" --json-into "$OUT/events.jsonl" --html "$OUT/run.html" \
  >"$OUT/addresses.txt" || code=$?
print_file "$OUT/addresses.txt"
output exitcode "$code"
# The page of the run says which step failed; there is none when the change set was refused, so the summary says why.
if [ -f "$OUT/run.html" ]; then output run-page "$OUT/run.html"; fi
title="Windlass: apply on \`$ENVIRONMENT\` ended with $code"
if [ "$code" = 0 ]; then
  {
    printf '### %s\n\n' "$title"
    sed 's/^/    /' "$OUT/addresses.txt"
    printf '\n'
  } >"$OUT/apply.md"
else
  reasons "$OUT/events.jsonl" "$title" >"$OUT/apply.md"
fi
summary "$OUT/apply.md"
exit "$code"
