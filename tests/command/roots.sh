#!/bin/sh
# What `noslip roots` prints and how it ends.  Usage: roots.sh NOSLIP JSON_GET
set -u
noslip=$1 json_get=$2
here=$(dirname "$0")
# shellcheck source=expect.sh
. "$here/expect.sh"

expect 0 '^ +-0\.7753418821[0-9]*  \+- +4\.46486771' roots whipple-bicycle
expect 0 'and 1 zero root of holonomic constraints' roots whipple-bicycle
expect 0 '2 zeros of the manifold and levels set aside' roots whipple-bicycle
expect 0 '^Verdict: asymptotically stable' roots whipple-bicycle
expect 0 '^Verdict: unstable, by flutter' roots whipple-bicycle -p v=3
expect 0 '^Verdict: unstable, by divergence' roots whipple-bicycle -p v=7
expect 0 '^Verdict: unstable, by divergence' roots whipple-bicycle -p v=0
expect 0 'dimension 2$' roots rolling-disk
expect 0 '^Steady motion: theta = 0.3, w1 = 0, w2 = 2, w3 = 1.92455$' roots rolling-disk
expect 0 '^ +-0\.3229  -0\.7753 \+- 4\.465i  -14\.08$' roots whipple-bicycle
expect 0 '^  delta +0\.2156 +0\.2166 +-4\.1 +0\.2769$' roots whipple-bicycle
expect 0 "^  x' +0 +0 +0$" roots whipple-bicycle
expect 1 '^Verdict: neutral' roots turntable-ball
expect 1 '^Motion 2 of 2$' roots bead-on-wire --all
expect 0 'no other roots' roots "$here/cases/long-names.yaml"
expect 1 "no steady motion near the guess meets 'theta = lean', 'w2 = turn'" roots rolling-disk -p turn=0
expect 2 "no shipped case 'whipple-bicycl'; did you mean 'whipple-bicycle'" roots whipple-bicycl
expect 2 "did you mean 'v'" roots whipple-bicycle -p vv=3
expect 2 'no case is given' roots
expect 2 'one case at a time' roots rolling-disk rolling-hoop

# matrices: U and W with the names of their rows and columns, the blocks of G
for pattern in "^ +theta' +psi' +phi' +x' +y'$" '^  no slip along x +0 +0 +-0\.5 +1 +0$' "^W = U\^-1$" '^B11 = ' '^Q11 = ' '^M = ' '^A: ' \
    '^  w1 +15\.69968$' '^  w1 +-0\.32 +-2\.432171 +-2\.292808$' '^G11: ' '^  theta +1 +0 +0$'; do
    expect 0 "$pattern" roots rolling-disk-bodies --matrices
done

# every key that programs may count on
for key in case title file version parameters units positional cyclic quasi_velocities manifold_dimension holonomic_levels steady rates states \
    G roots spectral_abscissa verdict instability reactions modes rank_gap residual; do
    "$noslip" roots rolling-disk --json | "$json_get" $key >/dev/null || complain "roots --json has no '$key'"
done
expect_json 0 rolling-disk case roots rolling-disk
expect_json 0 'asymptotically stable' verdict roots rolling-disk
expect_json 0 null instability roots rolling-disk
expect_json 0 '4 entries' roots roots rolling-disk
expect_json 0 false 'roots 1 manifold' roots rolling-disk
expect_json 0 true 'roots 2 manifold' roots rolling-disk
expect_json 0 0 'roots 3 im' roots rolling-disk
expect_json 0 w1 'states 1' roots rolling-disk
expect_json 0 1 'G 0 1' roots rolling-disk
expect_json 0 unstable verdict roots whipple-bicycle -p v=3
expect_json 0 flutter instability roots whipple-bicycle -p v=3
expect_json 0 divergence instability roots whipple-bicycle -p v=7
expect_json 0 '5 entries' 'matrices A' roots rolling-disk --matrices
expect_json 1 neutral verdict roots turntable-ball
expect_json 1 'roots on the imaginary axis, which the linear equations cannot judge' finding roots turntable-ball
expect_json 1 neutral 'motions 1 verdict' roots bead-on-wire --all
expect_json 0 null spectral_abscissa roots "$here/cases/long-names.yaml"
expect_json 1 "no steady motion near the guess meets 'theta = lean', 'w2 = turn'" finding roots rolling-disk -p turn=0
case $("$noslip" roots rolling-disk --json | "$json_get" roots 0 re) in -0.1600000000000*|-0.1599999999999*) ;; *) complain 'roots --json: no 17 digits' ;; esac
exit $failed
