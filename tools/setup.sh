#!/bin/sh
# Installs the programs that the tests need besides Go, on Debian and Ubuntu, as root: a C compiler for the race
# detector, PostgreSQL, Python with pip, Node.js, Chromium, curl, jq, nginx, HAProxy and PgBouncer. It starts no server. It prints
# what it installs, and installs nothing if everything is there. Elsewhere it prints what is missing: tests that need a
# missing program are skipped. With CI=true it fails instead.
set -eu
PATH="$PATH:/usr/sbin"
installed=
missing=

# install PURPOSE PACKAGE… installs packages.
install() {
	purpose=$1
	shift
	if test "$(id -u)" != 0 || ! have apt-get; then
		echo "setup: missing: $* ($purpose)"
		missing="$missing $*"
		return 0
	fi
	echo "setup: installing $* ($purpose)"
	test -n "$installed" || apt-get update
	apt-get install -y "$@"
	installed="$installed $*"
}

have() { command -v "$1" >/dev/null 2>&1; }

# without_servers runs a command while packages may not start their services.
without_servers() {
	policy=/usr/sbin/policy-rc.d
	if test -e $policy || test ! -w /usr/sbin; then
		"$@"
		return
	fi
	trap 'rm -f $policy' EXIT
	printf '#!/bin/sh\nexit 101\n' >$policy
	chmod +x $policy
	"$@"
	rm -f $policy
	trap - EXIT
}

install_postgres() {
	install "tests of the PostgreSQL store" postgresql-common
	test -z "$missing" || return 0
	sed -i 's/^#*create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf
	install "tests of the PostgreSQL store" postgresql
}

# browser prints the package of Chromium: without windows, where that has a package, as on Debian.
browser() {
	test "$(id -u)" != 0 || ! have apt-get || apt-get update >&2
	if apt-cache show chromium-headless-shell >/dev/null 2>&1; then echo chromium-headless-shell; else echo chromium; fi
}

have gcc || have clang || install "race detector" gcc libc6-dev
have initdb || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || without_servers install_postgres
have python3 || install "tests of the Python client" python3
python3 -m pip --version >/dev/null 2>&1 || install "tests of the Python client" python3-pip
have npm || install "tests of the JavaScript client, and the linter of the OpenAPI document" nodejs npm
have chromium-headless-shell || have chromium || install "tests of the pages" "$(browser)"
have curl && have jq || install "commands of the documents" curl jq
if ! have nginx || ! have haproxy || ! have pgbouncer; then
	without_servers install "tests of the proxy configurations" nginx haproxy pgbouncer
	test -n "$missing" || test ! -d /run/systemd/system || systemctl disable nginx haproxy pgbouncer
fi
if test -n "$missing"; then
	echo "setup: tests that need$missing are skipped; as root on Debian and Ubuntu, make setup installs them"
	test "${CI:-}" != true
elif test -n "$installed"; then
	echo "setup: installed$installed"
else
	echo "setup: nothing to install"
fi
