#!/bin/sh
# Make a fresh virtual environment:  sh scripts/venv.sh FOLDER
# Takes $PYTHON (python3 unless set) if it is good enough, else the first good python3.N found.
set -u

folder=$1
wanted=${PYTHON:-python3}

# Say what is wrong with a Python; say nothing when it can be used.
fault() {
    command -v "$1" >/dev/null 2>&1 || { echo "is not on the PATH"; return; }
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
        { echo "is $("$1" --version 2>&1 | head -n 1), older than 3.11"; return; }
    "$1" -c 'import ensurepip, venv' 2>/dev/null || echo "lacks the modules venv and ensurepip"
}

chosen=
for candidate in "$wanted" python3.14 python3.13 python3.12 python3.11; do
    if [ -z "$(fault "$candidate")" ]; then
        chosen=$candidate
        break
    fi
done

if [ -z "$chosen" ]; then
    cat >&2 <<MESSAGE
antelog needs Python 3.11 or newer with the modules venv and ensurepip, but
$wanted $(fault "$wanted").

Install one, then run make again:
  Debian, Ubuntu   apt install python3 python3-venv
  Fedora           dnf install python3
  macOS            brew install python
If a good Python goes by another name, say so:  make setup PYTHON=/path/to/python
MESSAGE
    exit 1
fi

# --clear would empty the environment that a link points to, which is another checkout's.
if [ -L "$folder" ]; then
    echo "$folder is a link to $(readlink "$folder"). Remove the link, then run this again." >&2
    exit 1
fi

echo "Making $folder with $("$chosen" --version 2>&1)"
"$chosen" -m venv --clear "$folder"
