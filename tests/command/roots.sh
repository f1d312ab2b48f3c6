#!/bin/sh
# What `noslip roots` prints and how it ends.  Usage: roots.sh NOSLIP
set -u
noslip=$1
failed=0
complain() { echo "$*"; failed=1; }

# expect STATUS PATTERN ARGUMENTS...: a line of the output, errors included, matches
expect() {
    status=$1 pattern=$2
    shift 2
    got=$("$noslip" roots "$@" 2>&1)
    ended=$?
    [ "$ended" = "$status" ] || complain "roots $*: exit status $ended, expected $status"
    echo "$got" | grep -qE "$pattern" || complain "roots $*: no line matches '$pattern' in
$got"
}

expect 0 '^ +-0\.7753418821[0-9]* \+- +4\.46486771' whipple-bicycle
expect 0 'dimension 1, and 1 of holonomic levels' whipple-bicycle
expect 0 '^Verdict: asymptotically stable' whipple-bicycle
expect 0 '^Verdict: unstable, by flutter' whipple-bicycle -p v=3
expect 0 '^Verdict: unstable, by divergence' whipple-bicycle -p v=7
expect 0 'dimension 2 ' rolling-disk
expect 1 '^Verdict: neutral' turntable-ball
expect 1 "no steady motion near the guess meets 'theta = lean', 'w2 = turn'" rolling-disk -p turn=0
expect 2 "no shipped case 'whipple-bicycl'; did you mean 'whipple-bicycle'" whipple-bicycl
expect 2 "did you mean 'v'" whipple-bicycle -p vv=3
expect 2 'no case is given'
exit $failed
