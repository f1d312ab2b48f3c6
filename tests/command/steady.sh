#!/bin/sh
# What `noslip steady` prints and how it ends.  Usage: steady.sh NOSLIP JSON_GET
set -u
noslip=$1 json_get=$2
here=$(dirname "$0")
# shellcheck source=expect.sh
. "$here/expect.sh"

expect 0 '^  theta  0\.3  *rad$' steady rolling-disk-bodies
expect 0 '^  w2 *2  *rad/s$' steady rolling-disk-bodies
expect 0 '^  w3 *1\.92455233689$' steady rolling-disk-bodies
expect 0 "^  x' *1\.25779637511  m/s$" steady rolling-disk-bodies
expect 0 '^  no slip along x  0$' steady rolling-disk-bodies
expect 0 'dimension 2$' steady rolling-disk
expect 0 '^  rank clear: 2\.3e-01 against [0-9.]*e-1[0-9]$' steady rolling-disk
expect 0 '^  residual [0-9.]*e-1[5-9] after' steady rolling-disk
expect 0 'and 1 zero root of holonomic constraints' steady whipple-bicycle
expect 0 '^2 steady motions were found from 70 starts in the box$' steady bead-on-wire --all --starts 70 --box "s=-pi/4..pi/4"
expect 0 '^  s *-0\.785398  \.\. *0\.785398$' steady bead-on-wire --all --starts 70 --box "s=-pi/4..pi/4"
expect 0 '^  s *m *-0\.4581684469 *0\.4581684469$' steady bead-on-wire --all
expect 0 '^1 steady motion was found from 60 starts' steady bead-on-wire --all --starts 60 --box s=0..1
expect 0 'free: ' steady "$here/cases/long-names.yaml"
expect 0 '^  dissipation +9$' steady "$here/cases/follower.yaml"
expect 0 '^  forces +-9$' steady "$here/cases/follower.yaml"
expect 0 '2 conditions hold here without narrowing the choice' steady "$here/cases/redundant.yaml"
expect 0 '^  twice the first  0 *left out$' steady "$here/cases/redundant.yaml"
expect 1 "no steady motion near the guess meets 'theta = lean', 'w2 = turn'" steady rolling-disk -p turn=0
expect 1 'no steady motion was found in the box' steady bead-on-wire --all --starts 20 --box s=2..3
expect 2 'leave the steady motion open' steady "$here/cases/long-names.yaml" --all
expect 2 "'q' is neither a positional coordinate nor a quasi-velocity" steady bead-on-wire --all --box q=1..2
expect 2 'NAME=FROM..TO is wanted' steady bead-on-wire --all --box s=1
expect 2 "the range of 's' is not given by two numbers" steady bead-on-wire --all --box s=1..b
expect 2 "the range of 's' is empty" steady bead-on-wire --all --box s=2..1
expect 2 'belong to --all' steady bead-on-wire --starts 3
expect 2 'a whole number' steady bead-on-wire --all --starts 0

expect_json 0 0.29999999999999999 'steady theta' steady rolling-disk
expect_json 0 2 manifold_dimension steady rolling-disk
expect_json 0 2 'rates psi' steady rolling-disk
expect_json 0 '2 entries' motions steady bead-on-wire --all
expect_json 0 500 starts steady bead-on-wire --all
expect_json 0 '2 entries' 'box s' steady bead-on-wire --all
expect_json 1 "no steady motion near the guess meets 'theta = lean', 'w2 = turn'" finding steady rolling-disk -p turn=0
exit $failed
