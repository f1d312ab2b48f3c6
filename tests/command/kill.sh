#!/bin/sh
# Kill `noslip region` at random moments and let it go on, 50 times: the files are always those of a run that was left alone.
# Usage: kill.sh NOSLIP [SEED]
set -u
noslip=$1 seed=${2:-$(date +%s)}
echo "seed $seed"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# The moments of one try, uniform between 0 and the time of a whole run.
moments() { awk -v seed="$1" -v most="$2" 'BEGIN { srand(seed); for (k = 0; k < 4; k++) printf "%.3f ", rand() * most }'; }

# Run until it is done; killed at each of the moments, and then left alone.
finish() {
    out=$1
    shift
    for moment in $moments none; do
        resume=
        [ -e "$out/region.checkpoint" ] && resume=--resume
        if [ "$moment" = none ]; then
            "$noslip" region "$@" -o "$out" $resume >/dev/null || return 1
        else
            "$noslip" region "$@" -o "$out" $resume >/dev/null 2>&1 &
            sleep "$moment"
            kill -s KILL $! 2>/dev/null
            wait $! 2>/dev/null && break # its locks are gone only when it is
            killed=$((killed + 1))
            [ -z "$resume" ] || resumed=$((resumed + 1))
        fi
        # where the summary is and the checkpoint is not, all is done
        [ -e "$out/region.json" ] && [ ! -e "$out/region.checkpoint" ] && break
    done
}

# compare TRIES MOST ARGUMENTS...
compare() {
    tries=$1 most=$2
    shift 2
    killed=0 resumed=0
    rm -rf "$folder/whole"
    "$noslip" region "$@" -o "$folder/whole" >/dev/null || exit 1
    for try in $(seq "$tries"); do
        moments=$(moments $((seed + 1000 * try)) "$most")
        finish "$folder/out" "$@" || { echo "$*: try $try fails"; failed=1; }
        diff -r "$folder/whole" "$folder/out" || { echo "$*: try $try ends elsewhere; moments $moments"; failed=1; }
        rm -rf "$folder/out"
    done
    echo "$*: $tries tries, killed $killed times, $resumed of them while going on"
    [ "$killed" -ge "$tries" ] || { echo "too few kills"; failed=1; }
}

compare 25 0.4 rolling-disk --resolution 256
compare 25 0.3 caster-wheel --grid 200x150 --sheets 2
exit $failed
