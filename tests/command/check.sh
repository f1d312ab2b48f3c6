#!/bin/sh
# What `noslip check` prints and how it ends.  Usage: check.sh NOSLIP JSON_GET
set -u
noslip=$1 json_get=$2
here=$(dirname "$0")
# shellcheck source=expect.sh
. "$here/expect.sh"

expect 0 '^Coordinates: 5, of them 1 positional$' check rolling-disk
expect 0 '^  theta  positional: the equations depend on it$' check rolling-disk
expect 0 '^  psi    cyclic: nothing depends on it$' check rolling-disk
expect 0 "^  no slip along x \(linear in the rates\): x' - a\*cos\(psi\)\*phi' = 0$" check rolling-disk
expect 0 '^Quasi-velocities: 3, as given$' check rolling-disk
expect 0 "^  w3 = phi' - psi'\*sin\(theta\)$" check rolling-disk
expect 0 '^  V = m\*g\*a\*cos\(theta\)$' check rolling-disk
expect 0 '^Degrees of freedom: 3 \(5 coordinates less 2 independent constraints\)$' check rolling-disk
expect 0 '^  lean  0\.7$' check rolling-disk -p lean=0.7
expect 0 '^  y  positional: a holonomic constraint depends on it$' check "$here/cases/redundant.yaml"
expect 0 '^  psi  positional: the rate of y depends on it$' check "$here/cases/follower.yaml"
expect 0 '^Quasi-velocities: 2, chosen by noslip$' check bead-on-wire
expect 0 '^  m  *1\.5  *kg  *fork and wheel$' check caster-wheel
expect 0 '^  front contact \(holonomic\):' check whipple-bicycle
expect 0 '^Constraints: 3, of them 2 independent$' check "$here/cases/redundant.yaml"
expect 0 '^  twice the first \(linear in the rates; left out: it follows from the others\):' check "$here/cases/redundant.yaml"
expect 0 'the wheel turns, without slipping on it \(linear' check "$here/cases/long-names.yaml"
expect 2 "no shipped case 'whipple-bicycl'; did you mean 'whipple-bicycle'" check whipple-bicycl
expect 2 'no case is given' check

expect_json 0 rolling-disk case check rolling-disk
expect_json 0 theta 'positional 0' check rolling-disk
expect_json 0 '4 entries' cyclic check rolling-disk
expect_json 0 true 'coordinates 0 positional' check rolling-disk
expect_json 0 cyclic 'coordinates 1 role' check rolling-disk
expect_json 0 false 'constraints 1 kept' check "$here/cases/redundant.yaml"
expect_json 0 true 'constraints 2 holonomic' check "$here/cases/redundant.yaml"
expect_json 0 rad 'units θ' check "$here/cases/long-names.yaml"
expect_json 0 0.69999999999999996 'parameters lean' check rolling-disk -p lean=0.7
exit $failed
