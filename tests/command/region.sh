#!/bin/sh
# What `noslip region` prints, writes and refuses.  Usage: region.sh NOSLIP JSON_GET
set -u
noslip=$1 json_get=$2
here=$(dirname "$0")
# shellcheck source=expect.sh
. "$here/expect.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
disk='rolling-disk --resolution 64'
results='curves.csv points.csv region.json'
if "$noslip" region chaplygin-sleigh --resolution 16 -o "$folder/try" >/dev/null && [ -e "$folder/try/region.h5" ]; then
    results="$results region.h5"
fi

# for people
# shellcheck disable=SC2086
{
    expect 0 '^  asymptotically stable +94\.[0-9]+ %$' region $disk
    expect 0 '^ +12 \+-{64}\+$' region $disk
    expect 0 '^ {13}\|#{28}\.{8}#{28}\|$' region rolling-disk
    expect 0 "^  '#' asymptotically stable   '\.' unstable \(divergence\)$" region $disk
    expect 0 '^  divergence  -0\.32[45].* \.\. 0\.32[45]' region $disk
    expect 0 'Points evaluated: [0-9]+, [0-9.]+ % of a full grid' region $disk
    expect 0 'on a grid of 40 x 30 points' region rolling-disk --grid 40x30
    expect 0 '^Sheet 3 of 3$' region caster-wheel --resolution 64
    expect 0 '^  speed from 1 to 2 m/s$' region caster-wheel --resolution 64 --sheets 1 --box speed=1..2 -j 1
    expect 0 '^  k from 100 to 5000' region caster-wheel --resolution 64 --sheets 1 --y k=100..5000
    expect 2 "'h' is on neither axis" region $disk --box h=0..1
    expect 2 'NAME=FROM..TO is wanted' region $disk --x h
    expect 2 "no parameter 'hh'" region $disk --x hh=0..1
    expect 2 'two numbers from 2 to 65536' region rolling-disk --grid 40
    expect 2 'power of two' region rolling-disk --resolution 100
    expect 2 'only 1 region' region $disk --region 2
    expect 2 '-o FOLDER is wanted' region $disk --resume
    expect 1 'no steady motion' region $disk -p turn=0
    expect_silence 0 region $disk
}

# for programs
# shellcheck disable=SC2086
{
    expect_json 0 65 'x nodes' region $disk
    expect_json 0 divergence 'sheets 0 curves 0 kind' region $disk
    expect_json 0 "$(sha256sum "$here/../../cases/rolling-disk/rolling-disk.yaml" | cut -d' ' -f1)" case_sha256 region $disk
}

# a folder of results
out=$folder/out
# shellcheck disable=SC2086
"$noslip" region $disk -o "$out" >"$folder/shown" || complain '-o fails'
# shellcheck disable=SC2086
[ "$(ls -A "$out" | sort | tr '\n' ' ')" = "$(printf '%s\n' $results | sort | tr '\n' ' ')" ] || complain "-o leaves $(ls -A "$out")"
grep -q 'asymptotically stable' "$folder/shown" || complain '-o: nothing is shown'
# shellcheck disable=SC2086
"$noslip" region $disk --json | cmp - "$out/region.json" || complain '--json and region.json differ'
grep -v '^#' "$out/curves.csv" | sed -n 1p | grep -qx 'sheet,curve,kind,closed,lean,turn,frequency' || complain 'curves.csv: columns'
grep -v '^#' "$out/points.csv" | sed -n 1p |
    grep -qx 'sheet,lean,turn,verdict,abscissa,frequency,theta,w1,w2,w3,root 1 re,root 1 im,root 2 re,root 2 im' || complain 'points.csv: columns'
grep -v '^#' "$out/points.csv" | awk -F, 'NF != 14 { exit 1 }' || complain 'points.csv: rows of different lengths'
grep -q '^# parameter: a = 0.5$' "$out/points.csv" || complain 'points.csv: no parameters'
if command -v h5dump >/dev/null && [ -e "$out/region.h5" ]; then
    h5dump -H "$out/region.h5" | grep -q 'DATASET "verdict"' || complain 'region.h5: no verdict'
    h5dump -a /case_sha256 "$out/region.h5" | grep -q "$(sha256sum "$here/../../cases/rolling-disk/rolling-disk.yaml" | cut -d' ' -f1)" ||
        complain 'region.h5: no hash'
fi
sleep 1.1 # nothing depends on the time, nor on the number of threads
# shellcheck disable=SC2086
"$noslip" region $disk -o "$folder/again" -j 3 >/dev/null
diff -r "$out" "$folder/again" || complain 'two runs differ'

# folders that cannot be used
# shellcheck disable=SC2086
{
    expect 2 "missing/out' cannot be made: No such file or directory" region $disk -o "$folder/missing/out"
    expect 2 "shown' is not a folder" region $disk -o "$folder/shown"
    expect 2 "there is no checkpoint" region $disk -o "$folder/none" --resume
    [ ! -e "$folder/none" ] || complain '--resume makes a folder'
    expect 1 'no steady motion' region $disk -p turn=0 -o "$folder/none"
    [ ! -e "$folder/none" ] || complain 'a finding leaves an empty folder'
    [ ! -d /proc/self ] || expect 2 'cannot be' region $disk -o /proc/out
    if [ "$(id -u)" != 0 ]; then
        mkdir "$folder/closed" && chmod 500 "$folder/closed"
        expect 2 'cannot be written to: Permission denied' region $disk -o "$folder/closed"
    fi
}

# a full disk: no file may grow beyond 8 blocks of 512 or 1024 bytes, first for the checkpoint, then for the results
full=$folder/full
# shellcheck disable=SC2086
message=$( (ulimit -f 8; exec "$noslip" region $disk -o "$full") 2>&1 >/dev/null)
[ $? = 2 ] || complain 'full disk: wrong exit status'
printf '%s\n' "$message" | grep -q "cannot write the checkpoint .*File too large" || complain "full disk: $message"
printf '%s\n' "$message" | grep -q 'go on with --resume' || complain "full disk: $message"
[ "$(ls -A "$full")" = region.checkpoint ] || complain "full disk: leaves $(ls -A "$full")"
# shellcheck disable=SC2086
expect 2 'go on with --resume, or remove it' region $disk -o "$full"
# shellcheck disable=SC2086
expect 0 'asymptotically stable' region $disk -o "$full" --resume
diff -r "$out" "$full" || complain 'full disk: --resume ends elsewhere'

# checkpoints that do not belong here
# shellcheck disable=SC2086
{
    foreign=$folder/foreign
    mkdir "$foreign" && echo something >"$foreign/region.checkpoint"
    expect 2 'is not a checkpoint' region $disk -o "$foreign" --resume
    grep -q something "$foreign/region.checkpoint" || complain 'a foreign file is touched'
    rm "$foreign/region.checkpoint"
    (ulimit -f 16; exec "$noslip" region $disk -o "$foreign") >/dev/null 2>&1
    cp "$foreign/region.checkpoint" "$folder/kept"
    expect 2 'checkpoint' region $disk -o "$foreign" --resume -p h=0.2
    expect 2 'checkpoint' region rolling-disk --resolution 128 -o "$foreign" --resume
    cmp "$foreign/region.checkpoint" "$folder/kept" || complain 'a checkpoint that is refused is touched'
    printf '\377\377\377' | dd of="$foreign/region.checkpoint" bs=1 seek=600 conv=notrunc 2>/dev/null
    expect 2 'damaged' region $disk -o "$foreign" --resume
    [ "$(ls -A "$foreign")" = region.checkpoint ] || complain "a damaged checkpoint: leaves $(ls -A "$foreign")"
}

# Ctrl-C: it stops, keeps what is done, and goes on
slow='rolling-disk --grid 900x900 --sheets 1'
stop=$folder/stop
# shellcheck disable=SC2086
"$noslip" region $slow -o "$folder/whole" >/dev/null
for signal in INT TERM; do
    # a shell lets its background commands ignore SIGINT; env takes that back
    # shellcheck disable=SC2086
    env --default-signal=INT "$noslip" region $slow -o "$stop" >/dev/null 2>"$folder/said" &
    process=$!
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ -e "$stop/region.checkpoint" ] && break
        sleep 0.05
    done
    kill -s $signal $process
    wait $process
    ended=$?
    [ $ended = "$([ $signal = INT ] && echo 130 || echo 143)" ] || complain "SIG$signal: exit status $ended"
    grep -q 'stopped' "$folder/said" && grep -q 'go on with --resume' "$folder/said" || complain "SIG$signal: says $(cat "$folder/said")"
    [ "$(ls -A "$stop")" = region.checkpoint ] || complain "SIG$signal: leaves $(ls -A "$stop")"
    # shellcheck disable=SC2086
    expect 0 'asymptotically stable' region $slow -o "$stop" --resume
    diff -r "$stop" "$folder/whole" || complain "SIG$signal: --resume ends elsewhere"
    rm -rf "$stop"
done
exit $failed
