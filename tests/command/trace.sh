#!/bin/sh
# What `noslip trace` prints and how it ends.  Usage: trace.sh NOSLIP JSON_GET
set -u
noslip=$1 json_get=$2
failed=0
complain() { echo "$*"; failed=1; }

# expect STATUS PATTERN ARGUMENTS...: a line of the output, errors included, matches
expect() {
    status=$1 pattern=$2
    shift 2
    got=$("$noslip" trace "$@" 2>&1)
    ended=$?
    [ "$ended" = "$status" ] || complain "trace $*: exit status $ended, expected $status"
    echo "$got" | grep -qE "$pattern" || complain "trace $*: no line matches '$pattern' in
$got"
}

expect 0 '^ +1 0\.684283078892.* double root +weave ' whipple-bicycle
expect 0 '^ +2 4\.2923825363.* flutter +weave +0\.5467.* leaves instability' whipple-bicycle
expect 0 '^ +3 6\.0242620153.* divergence, branch point +capsize .* becomes unstable' whipple-bicycle
expect 0 'asymptotically stable +for 4\.2923825 < v < 6\.024262$' whipple-bicycle
expect 0 'back to the beginning of the range' whipple-bicycle --switch 3
expect 0 '^v,phi,theta,delta,lean_rate,steer_rate,speed,weave 1 re,weave 1 im,' whipple-bicycle --csv
expect 0 'the case names 3 modes, this trace has 4' whipple-bicycle --along v --from 0 --to 0.5
expect 0 '^ +1 1\.1073617295.* divergence ' rolling-hoop
expect 0 '^No critical values' bead-on-wire
expect 1 "no steady motion near the guess meets 'theta = lean', 'w2 = turn'" rolling-disk --along turn --from 0 --to 1
expect 2 'critical value 1 is no branch point' whipple-bicycle --switch 1
expect 2 'critical value 9 is no branch point' whipple-bicycle --switch=-9
expect 2 "the case has no parameter 'vv'" whipple-bicycle --along vv --from 0 --to 1
expect 2 'along, --from and --to go together' whipple-bicycle --along v
expect 2 "'x' is not a number" whipple-bicycle --along v --from x --to 1
expect 2 'the range is empty' whipple-bicycle --along v --from 1 --to 1
expect 2 'no case is given'

# --json and -o
json() { "$noslip" trace whipple-bicycle --json | "$json_get" "$@"; }
case $(json criticals 1 value) in 4.292382536341*) ;; *) complain "--json: the weave speed is $(json criticals 1 value)" ;; esac
[ "$(json criticals 2 branch_point)" = true ] || complain '--json: capsize is no branch point'
[ "$(json ranges 2 verdict)" = 'asymptotically stable' ] || complain '--json: the range is not stable'
[ "$(json values)" = "$(json modes 0 roots 1 re)" ] || complain '--json: columns of different lengths'
file=$(mktemp)
trap 'rm -f "$file"' EXIT
"$noslip" trace whipple-bicycle --csv -o "$file" || complain '-o fails'
[ "$("$noslip" trace whipple-bicycle --csv)" = "$(cat "$file")" ] || complain '-o writes something else'
exit $failed
