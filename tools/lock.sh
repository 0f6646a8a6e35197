#!/bin/sh
# Resolves pyproject.toml anew for every platform and Python; `--upgrade` takes newer releases.
set -eu
cd "$(dirname "$0")/.."

if ! uv --version >/dev/null 2>&1; then
    echo "make lock needs uv: install it (pip install uv) and run make lock again" >&2
    exit 1
fi

compile() {
    uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
        --no-emit-index-url --custom-compile-command "make lock" "$@"
}

compile "$@" --output-file requirements.lock pyproject.toml requirements.in

# A package is pinned in one file only, so that the two cannot disagree.
pinned=$(sed -n 's/^\([a-z0-9][a-z0-9._-]*\)==.*/--no-emit-package \1/p' requirements.lock | sort -u)
# shellcheck disable=SC2086  # one option a word
compile "$@" --extra dev --extra evals --constraints requirements.lock $pinned \
    --output-file requirements-dev.lock pyproject.toml

# uv closes the file with a list of what it left out.
sed -e '/^# The following packages were excluded/,$d' -e '/^$/d' requirements-dev.lock >requirements-dev.lock.new
mv requirements-dev.lock.new requirements-dev.lock
