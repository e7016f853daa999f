#!/bin/sh
# Checks the data files that tests compare with published estimates: prints the SHA-256, the state and the source of
# each one. Exits with status 1 if a file is missing or differs. With -q it prints one line and fails only if a file
# differs.
#
# usage: data.sh [-q]
#
# The files are in the folder $BESTPICK_DATA, which defaults to ../shared/data beside the repository (docs/data.md).
set -eu
quiet=${1:-}
folder=${BESTPICK_DATA:-$(dirname "$0")/../../shared/data}
found=0 missing=0 different=0
while read -r sum file source; do
	state=ok
	if ! test -f "$folder/$file"; then
		state=missing missing=$((missing + 1))
	elif ! echo "$sum  $folder/$file" | sha256sum --check --status -; then
		state=different different=$((different + 1))
	else
		found=$((found + 1))
	fi
	if test "$quiet" != -q; then
		printf '%s  %-19s  %-9s  %s\n' "$sum" "$file" "$state" "$source"
	fi
done <<END
0692a3fdf8855c390d93b4d0d46f0fa34618aa6f5b78c996bf743fb4221e1946 swissmetro.csv https://transp-or.epfl.ch/data/swissmetro.dat
785efb7538869a84c624b7bac57e3cd09b29650b0bcf700d90d07fe8d8e2c722 electricity.csv https://github.com/arteagac/xlogit/blob/master/examples/data/electricity_long.csv
98affddee205d35991b8351addb8460d53d44f2d17a7c9eb3b0ff74f857cbc57 heating.csv https://cran.r-project.org/package=mlogit (Heating)
b09f648bbb071bff86267a6bc4e4415aaaac4bb3bd2b943d62226f821cb85edf fishing.csv https://github.com/arteagac/xlogit/blob/master/examples/data/fishing_long.csv
f03d76be29d8af9812a692358ef7b7117bc343dfb0252cc3e6f76b1a03cae763 yogurt.csv https://cran.r-project.org/package=logitr (yogurt)
6c1fc10673a6d6e7711618578714cb6811288e226183e9715f4fdb95ecdf10ad camera.csv https://cran.r-project.org/package=bayesm (camera)
106564a4bf06f047a4662979384313c22d9b4ca901e780f9e8419f8e5581adb1 llm-votes.csv https://github.com/dustalov/evalica/blob/master/llmfao.csv
94a6953b0c8e86552478863245a21dbb0f0b08c305fc830ff27b9b0cd94aac41 votes/baseball.csv https://cran.r-project.org/package=BradleyTerry2
7b3bdc3f945a52dbd53ec6fd5fb9e4c2025149b9a06b557e26c27532f7758c6b votes/beans.csv https://cran.r-project.org/package=PlackettLuce
4c0ce4c0dd453e98d7a51426928f3982cadacbcab28bb1a9101271ca071f0461 votes/citations.csv https://cran.r-project.org/package=BradleyTerry2
d8d023d3c4d9aed7e5eba422ed6f8a1f98a1fcc3864161a31f62d0bce6e9b9b8 votes/salad.csv https://cran.r-project.org/package=prefmod
END
if test "$different" -gt 0; then
	echo "data: $different of 11 files in $folder differ from the ones that the tests expect (docs/data.md)" >&2
	exit 1
elif test "$missing" -gt 0; then
	echo "data: $missing of 11 files are not in $folder; tests that need them are skipped (docs/data.md)"
	test "$quiet" = -q
else
	echo "data: all $found files are in $folder"
fi
