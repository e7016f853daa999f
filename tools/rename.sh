#!/usr/bin/env bash
# Usage: rename.sh MODULE
# Renames the module: in go.mod files, imports, lists of packages, settings of the linters and programs in the documents.
set -euo pipefail
new=${1:?usage: rename.sh MODULE, for example example.org/me/bestpick}
cd "$(dirname "$0")/.."
old=$(go list -m)
go mod edit -module "$new"
for file in tools/*/go.mod; do go mod edit -module "$new/${file%/go.mod}" "$file"; done
find . \( -name '*.go' -o -name '*.md' -o -name .golangci.yml \) -not -path './.git/*' -exec sed -i -E \
	-e "s#\"$old/#\"$new/#g" \
	-e "s#^((import )?[[:space:]]*([a-z]+ )?)\"$old\"\$#\1\"$new\"#" \
	-e "s#modulePath = \"$old\"#modulePath = \"$new\"#" \
	-e "s#-require $old@v0.0.0 -replace $old=#-require $new@v0.0.0 -replace $new=#" \
	-e "s#(module-path: |local-prefixes: \[)$old\b#\1$new#" {} +
find . -name '*.go' -exec gofmt -w {} + # the order of imports changes
