# shellcheck shell=sh
# To be sourced by the tests of the command, with $noslip set. At the end: exit $failed.
failed=0
complain() { printf '%s\n' "$*"; failed=1; }

# expect STATUS PATTERN ARGUMENTS...: the exit status, and a line of the output, errors included, that matches
expect() {
    status=$1 pattern=$2
    shift 2
    got=$("$noslip" "$@" 2>&1)
    ended=$?
    [ "$ended" = "$status" ] || complain "noslip $*: exit status $ended, expected $status"
    printf '%s\n' "$got" | grep -qE -e "$pattern" || complain "noslip $*: no line matches '$pattern' in
$got"
    [ "$status" = 0 ] && long=$(printf '%s\n' "$got" | grep -v '/' | grep -E '.{81}') || long=
    [ -z "$long" ] || complain "noslip $*: longer than 80 columns: $long"
    printf '%s\n' "$got" | grep -q ' $' && complain "noslip $*: blanks at the end of a line"
}

# expect_json STATUS VALUE 'PATH' ARGUMENTS...: what stands in the JSON there, see json_get.c
expect_json() {
    status=$1 wanted=$2 path=$3
    shift 3
    got=$("$noslip" "$@" --json 2>/dev/null)
    ended=$?
    [ "$ended" = "$status" ] || complain "noslip $* --json: exit status $ended, expected $status"
    # shellcheck disable=SC2086
    got=$(printf '%s\n' "$got" | "$json_get" $path 2>&1)
    [ "$got" = "$wanted" ] || complain "noslip $* --json: $path is '$got', expected '$wanted'"
}

# expect_silence STATUS ARGUMENTS...: nothing on stderr
expect_silence() {
    status=$1
    shift
    got=$("$noslip" "$@" 2>&1 >/dev/null)
    ended=$?
    [ "$ended" = "$status" ] || complain "noslip $*: exit status $ended, expected $status"
    [ -z "$got" ] || complain "noslip $*: says '$got'"
}
