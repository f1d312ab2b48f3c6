#!/bin/sh
# What all commands have in common: help, -o, -q, a full disk.  Usage: options.sh NOSLIP JSON_GET
set -u
noslip=$1 json_get=$2
here=$(dirname "$0")
# shellcheck source=expect.sh
. "$here/expect.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# a help fits a screen and shows an example
for command in '' check steady roots region formula; do
    # shellcheck disable=SC2086
    help=$("$noslip" $command --help)
    [ "$(printf '%s\n' "$help" | wc -l)" -le 24 ] || complain "noslip $command --help has more than 24 lines"
    printf '%s\n' "$help" | grep -qE '.{81}' && complain "noslip $command --help is wider than 80 columns"
    printf '%s\n' "$help" | grep -qE '^  noslip [a-z]+ ' || complain "noslip $command --help shows no example"
done
for command in check steady roots trace region formula; do
    "$noslip" --help | grep -qE "^  $command  +[a-z]" || complain "noslip --help does not list $command"
done

# -o: the same as on standard output; whole, or not at all
for arguments in 'check rolling-disk' 'steady rolling-disk' 'roots rolling-disk' 'roots rolling-disk --json'; do
    # shellcheck disable=SC2086
    shown=$("$noslip" $arguments)
    # shellcheck disable=SC2086
    printed=$("$noslip" $arguments -o "$folder/out" 2>&1) || complain "noslip $arguments -o fails"
    [ -z "$printed" ] || complain "noslip $arguments -o prints $printed"
    [ "$shown" = "$(cat "$folder/out")" ] || complain "noslip $arguments -o writes something else"
done
[ "$(ls -A "$folder")" = out ] || complain "-o leaves something behind: $(ls -A "$folder")"
echo old >"$folder/kept"
expect 1 'no steady motion' steady rolling-disk -p turn=0 -o "$folder/kept"
[ "$(cat "$folder/kept")" = old ] || complain '-o: a finding without results touches the file'
"$noslip" steady rolling-disk -p turn=0 --json -q -o "$folder/kept"
[ $? = 1 ] && [ -n "$("$json_get" finding <"$folder/kept")" ] || complain '-o --json: the finding is not written'
ln -s out "$folder/link"
"$noslip" check rolling-disk -o "$folder/link"
[ -L "$folder/link" ] && grep -q Coordinates "$folder/out" || complain '-o does not follow a link'
chmod 640 "$folder/out"
"$noslip" check rolling-disk -o "$folder/out"
[ "$(stat -c %a "$folder/out")" = 640 ] || complain '-o changes the permissions of a file'
expect 2 "missing/out' cannot be written: No such file or directory" check rolling-disk -o "$folder/missing/out"
expect 2 "out/below' cannot be written: Not a directory" check rolling-disk -o "$folder/out/below"
expect 2 "cannot be written: Is a directory" check rolling-disk -o "$folder"
if [ -d /proc/self ]; then expect 2 "'/proc/out' cannot be written" check rolling-disk -o /proc/out; fi
if [ "$(id -u)" != 0 ]; then
    mkdir "$folder/closed" && chmod 500 "$folder/closed"
    expect 2 'Permission denied' check rolling-disk -o "$folder/closed/out"
fi
[ "$("$noslip" check rolling-disk -o /dev/null; echo $?)" = 0 ] && [ -c /dev/null ] || complain '-o /dev/null'
if [ -e /dev/full ]; then
    expect 2 "'/dev/full' cannot be written: No space left on device" roots rolling-disk -o /dev/full
    for command in check steady roots trace region; do
        message=$("$noslip" $command rolling-disk 2>&1 >/dev/full)
        [ $? = 3 ] && [ "$message" = 'noslip: standard output: No space left on device' ] || complain "a full disk: $message"
    done
fi

# -q: no messages but errors
expect_silence 0 roots rolling-disk -q
expect_silence 1 roots rolling-disk -q -p turn=0
expect_silence 1 roots rolling-disk --json -q -p turn=0
expect 2 "did you mean 'turn'" roots rolling-disk -q -p turns=0
expect 0 '^Verdict' roots rolling-disk -q
expect 2 'unknown name' roots rolling-disk --json -p turn=trn
[ -z "$("$noslip" roots rolling-disk --json -p turn=trn 2>/dev/null)" ] || complain 'an error prints results'
# a constraint that follows from others is left out, with a note unless -q
cat > "$folder/twice.yaml" <<'END'
coordinates: [x, y, psi]
kinetic: (x'^2 + y'^2)/2 + 0.7*psi'^2
constraints:
  edge: x'*sin(psi) - y'*cos(psi) = 0
  edge again: 3*y'*cos(psi) - 3*x'*sin(psi) = 0
steady: {with: ["psi' = 0.3", "x' = 1"], guess: {x': 1}}
END
"$noslip" steady "$folder/twice.yaml" 2>&1 >/dev/null | grep -q "note: 'edge again' follows from the other" ||
    complain "no note of a constraint that was left out"
[ -z "$("$noslip" steady -q "$folder/twice.yaml" 2>&1 >/dev/null)" ] || complain "-q prints a note"

# nothing pays for what dissipation takes
cat > "$folder/lossy.yaml" <<'END'
coordinates: [x, phi]
kinetic: x'^2/2 + phi'^2/4
dissipation: 0.1*x'^2/2
constraints: {roll: x' - phi' = 0}
steady: {with: ["x' = 1"], guess: {x': 1}}
END
expect 1 'dissipation takes the power .* nothing feeds energy in' steady "$folder/lossy.yaml"

exit $failed
