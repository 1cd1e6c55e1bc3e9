#!/usr/bin/env bash
# Keeps one comment on a pull request up to date. It is found by the hidden marker in its first line, never by its
# heading, and only among those that this token's own bot wrote.
#
#   COMMENT  file with the text   REPOSITORY  owner/name   PULL_REQUEST  number   RUN_URL  where the artifact is
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

marker="$(head -n 1 "$COMMENT")"
case "$marker" in
'<!-- windlass '*) ;;
*)
  echo 'The comment has no marker, so it could not be found again.' >&2
  exit 1
  ;;
esac

# The text, and where everything else is; GitHub refuses more than 65,536 bytes.
footer="$(printf '\n\nChange set and page: artifacts of [this run](%s).' "${RUN_URL:-}")"
node -e 'const [text, footer, out] = process.argv.slice(1);
  const fs = require("node:fs");
  const body = fs.readFileSync(text, "utf8");
  const whole = body + footer;
  fs.writeFileSync(out, JSON.stringify({ body: Buffer.byteLength(whole) <= 65536 ? whole : body }));' \
  "$COMMENT" "${RUN_URL:+$footer}" "$OUT/comment.json"

found=
page=1
while [ -z "$found" ]; do
  gh api "repos/$REPOSITORY/issues/$PULL_REQUEST/comments?per_page=100&page=$page" >"$OUT/comments.json"
  found="$(node -e 'const [file, marker] = process.argv.slice(1);
    const comments = JSON.parse(require("node:fs").readFileSync(file, "utf8"));
    const own = comments.find(({ user, body }) => user?.type === "Bot" && body?.split(/\r?\n/)[0] === marker);
    process.stdout.write(String(own ? own.id : comments.length < 100 ? "none" : ""))' "$OUT/comments.json" "$marker")"
  page=$((page + 1))
done

if [ "$found" = none ]; then
  gh api --method POST "repos/$REPOSITORY/issues/$PULL_REQUEST/comments" --input "$OUT/comment.json" >/dev/null
else
  gh api --method PATCH "repos/$REPOSITORY/issues/comments/$found" --input "$OUT/comment.json" >/dev/null
fi
