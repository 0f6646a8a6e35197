#!/bin/sh
# Makes .venv ready, and does nothing when it already is.
#
#   tools/setup.sh run    what the assistant needs
#   tools/setup.sh dev    what the checks and the evaluation need, too
#
# Uses uv where there is one, else venv and pip. PYTHON=/path/to/python picks the interpreter.
set -eu
cd "$(dirname "$0")/.."

profile=${1:-dev}
case "$profile" in
run) locks="requirements.lock" ;;
dev) locks="requirements.lock requirements-dev.lock" ;;
*)
    echo "usage: tools/setup.sh run|dev" >&2
    exit 2
    ;;
esac

venv=.venv
new_enough='import sys; sys.exit(sys.version_info < (3, 11))'
identity='import sys; print(sys.version, sys.base_prefix)'

fail() {
    echo "$*" >&2
    exit 1
}

# What a set-up depends on: the files that say what to install, the interpreter, and the folder,
# which stands in every script of a venv. File times say nothing after a checkout, so contents.
key() {
    {
        echo "$PWD"
        "$venv/bin/python" -I -S -c "$identity" 2>&1
        cat tools/setup.sh pyproject.toml "$@"
    } | cksum
}

# shellcheck disable=SC2086  # $locks is a list of files
ready() {
    [ -f "$venv/.$profile-ready" ] && [ ! -f "$venv/.unfinished" ] && wanted_python &&
        [ "$(cat "$venv/.$profile-ready")" = "$(key $locks)" ]
}

wanted_python() {
    [ -z "${PYTHON:-}" ] ||
        [ "$("$PYTHON" -I -S -c "$identity" 2>&1)" = "$("$venv/bin/python" -I -S -c "$identity" 2>&1)" ]
}

# A name on the path may be a shim that runs nothing, so each is tried.
find_python() {
    for name in ${PYTHON:-python3.13 python3.12 python3.11 python3}; do
        if "$name" -c "$new_enough" >/dev/null 2>&1; then
            command -v "$name"
            return
        fi
    done
    [ -z "${PYTHON:-}" ] || fail "PYTHON=$PYTHON is no Python 3.11 or newer: name another one."
    $have_uv || fail "No Python 3.11 or newer found: install one (on Debian: apt-get install" \
        "python3 python3-venv) and run make again."
    echo 3.13 # uv brings it
}

keep_venv() {
    [ ! -f "$venv/.unfinished" ] && "$venv/bin/python" -c "$new_enough" 2>/dev/null &&
        wanted_python && [ "$(cat "$venv/.made-in" 2>/dev/null || pwd)" = "$PWD" ] &&
        { $have_uv || "$venv/bin/python" -m pip --version >/dev/null 2>&1; }
}

make_venv() {
    python=$(find_python)
    rm -rf "$venv"
    if $have_uv; then
        uv venv --quiet --python "$python" "$venv"
    else
        "$python" -m venv "$venv" >/dev/null 2>&1 ||
            fail "$python cannot make a venv: install its venv module (on Debian: apt-get install" \
                "python3-venv) or uv, and run make again."
    fi
    pwd >"$venv/.made-in"
}

install_with_uv() {
    uv pip install --quiet --python "$venv/bin/python" --compile-bytecode \
        --no-deps --require-hashes "$@" &&
        uv pip install --quiet --python "$venv/bin/python" --no-deps --no-build-isolation \
            --editable .
}

install_with_pip() {
    pip="$venv/bin/python -m pip --quiet --disable-pip-version-check --no-input install --no-deps"
    $pip --require-hashes "$@" &&
        $pip --no-index --no-build-isolation --editable .
}

! ready || exit 0

# Two first runs at once would write over each other.
if [ -z "${ASK_PAPERS_SETUP:-}" ] && command -v flock >/dev/null 2>&1; then
    ASK_PAPERS_SETUP=locked exec flock tools/setup.sh sh tools/setup.sh "$profile"
fi

have_uv=false
if uv --version >/dev/null 2>&1; then have_uv=true; fi
started=$(date +%s)
keep_venv || make_venv
: >"$venv/.unfinished"
rm -f "$venv/.run-ready" "$venv/.dev-ready"

if $have_uv; then tool=uv; else tool=pip; fi
version=$("$venv/bin/python" -c 'import platform; print(platform.python_version())')
echo "Setting up $venv with Python $version and $tool: a minute or so, once." >&2

options=
for lock in $locks; do options="$options --requirement $lock"; done
# shellcheck disable=SC2086  # one option a word
"install_with_$tool" $options ||
    fail "Set-up did not finish, for the reason above: mend it and run make again."
# Compiled here because PYTHONDONTWRITEBYTECODE may be set, and then every start would compile anew.
"$venv/bin/python" -m compileall -q assistant

key requirements.lock >"$venv/.run-ready"
# shellcheck disable=SC2086
[ "$profile" = run ] || key $locks >"$venv/.dev-ready"
rm -f "$venv/.unfinished"
echo "Set up in $(($(date +%s) - started)) s." >&2
