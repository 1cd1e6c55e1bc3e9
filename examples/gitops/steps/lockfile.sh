#!/usr/bin/env bash
# Brings the lockfile back to the repository, also after a failed apply: what was done is done.
#
#   PLAN, ENVIRONMENT    as for the plan       LOCKFILE    pull-request, push or none
#   BRANCH               where it belongs      REPOSITORY  owner/name, for pull-request
#
# A push that comes too late is tried again on top of the newer commits; nothing is ever forced onto BRANCH.
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

output lock-changed false
if [ "${LOCKFILE:-pull-request}" = none ]; then exit 0; fi

folder="$(dirname "$PLAN")"
stem="$(basename "$PLAN")"
if [ -d "$PLAN" ]; then folder="$PLAN" stem=windlass.yaml; fi
stem="${stem%.yaml}"
stem="${stem%.yml}"
for path in "$folder/$stem.$ENVIRONMENT.lock.json" "$folder/$stem.$ENVIRONMENT.lock"; do
  if [ -e "$path" ]; then git add -A -- "$path"; fi
done
if git diff --cached --quiet; then
  echo 'The lockfile is as it was.'
  exit 0
fi

git -c user.name="${GIT_NAME:-windlass}" -c user.email="${GIT_EMAIL:-windlass@users.noreply.github.com}" \
  commit -q -m "Record what was released to $ENVIRONMENT"
output lock-changed true

if [ "${LOCKFILE:-pull-request}" = push ]; then
  for _ in 1 2 3 4 5; do
    if git push -q origin "HEAD:refs/heads/$BRANCH"; then exit 0; fi
    git fetch -q origin "$BRANCH"
    git -c user.name="${GIT_NAME:-windlass}" -c user.email="${GIT_EMAIL:-windlass@users.noreply.github.com}" \
      rebase -q FETCH_HEAD
  done
  echo "The lockfile could not be pushed to $BRANCH; its commit is $(git rev-parse HEAD)." >&2
  exit 1
fi

head="windlass/lock-$stem-$ENVIRONMENT"
git push -q --force origin "HEAD:refs/heads/$head"
gh api "repos/$REPOSITORY/pulls?state=open&head=${REPOSITORY%%/*}:$head&base=$BRANCH" >"$OUT/pulls.json"
if [ "$(field "$OUT/pulls.json" length)" = 0 ]; then
  node -e 'const [head, base, environment, out] = process.argv.slice(1);
    require("node:fs").writeFileSync(out, JSON.stringify({ head, base,
      title: `Record what was released to ${environment}`,
      body: "The lockfile after an apply. Merge it before the next one: a change set is bound to it." }))' \
    "$head" "$BRANCH" "$ENVIRONMENT" "$OUT/pull.json"
  gh api --method POST "repos/$REPOSITORY/pulls" --input "$OUT/pull.json" >/dev/null
fi
