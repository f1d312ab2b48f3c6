#!/bin/sh
# What `noslip formula` prints and how it ends.  Usage: formula.sh NOSLIP
set -u
noslip=$1
failed=0

# check NAME STATUS EXPECTED-OUTPUT ARGUMENTS...: standard output and errors together
check() {
    name=$1 status=$2 expected=$3
    shift 3
    got=$("$noslip" "$@" 2>&1)
    ended=$?
    if [ "$ended" != "$status" ] || [ "$got" != "$expected" ]; then
        printf '%s: exit status %s, expected %s\n--- got\n%s\n--- expected\n%s\n' "$name" "$ended" "$status" "$got" "$expected"
        failed=1
    fi
}

check 'a formula, simplified, with its derivatives and values' 0 \
"formula      0.5*(x'*x'*m) + k*(1 - cos(x))
             operations 7, instructions 6, registers 2
d/dt         x'*x''*m + x'*sin(x)*k
             operations 6, instructions 5, registers 2
d/dx         k*sin(x)
             operations 2, instructions 2, registers 1
parameter    m k
coordinate   x
rate         x'
acceleration x''
value        1.3672523143288817
d/dt         1.438276615812609
d/dx         1.438276615812609" \
    formula "m/2*x'^2 + k*(1 - cos(x))" -d t -d x -x m=2 -x k=3 -x x=0.5 -x "x'=1" -x "x''=0"

check 'a vector' 0 \
"formula      theta'
             psi'*sin(theta)
             psi'*cos(theta)
             operations 4, instructions 4, registers 2
coordinate   psi theta
rate         psi' theta'" \
    formula 'omega(rotz(psi)*rotx(theta))' -c psi -c theta

check 'an error points at its place' 2 \
"1:10: error: '(' is never closed
1 + 2*sin(x
         ^" \
    formula '1 + 2*sin(x'

check 'a result that is not finite is a finding' 1 \
"formula      log(x)
             operations 1, instructions 1, registers 0
parameter    x
value        nan
noslip: a result is infinite or not a number" \
    formula 'log(x)' -x x=-1

check 'a value for a name that is not there' 2 "noslip: -x 'y=1': the formula has no name 'y'" formula x -x y=1
check 'a missing value' 2 "noslip: no value is given for 'y'; add -x \"y=...\"" formula 'x*y' -x x=2
check 'a value that is no number' 2 "noslip: -x 'x=2z': not a finite number" formula x -x x=2z
check 'a value without a name' 2 "noslip: -x '2': NAME=NUMBER is wanted" formula x -x 2
check 'a derivative by a name that is not there' 2 "noslip: the formula has no name 'y'" formula x -d y
check 'no such command' 2 "noslip: no command 'formla'; noslip --help lists them" formla
check 'the version' 0 "noslip 0.1.0" --version

for arguments in '' 'formula' 'formula x y' 'formula --nonsense x'; do
    # shellcheck disable=SC2086
    "$noslip" $arguments >/dev/null 2>&1
    [ $? = 2 ] || { echo "noslip $arguments: exit status is not 2"; failed=1; }
done
for arguments in '--help' 'formula --help'; do
    lines=$("$noslip" $arguments | wc -l)
    [ "$lines" -gt 5 ] && [ "$lines" -lt 25 ] || { echo "noslip $arguments: $lines lines do not fit a screen"; failed=1; }
done
if [ -e /dev/full ]; then
    message=$("$noslip" formula x 2>&1 >/dev/full)
    [ $? = 3 ] && [ "$message" = 'noslip: standard output: No space left on device' ] ||
        { echo "a full disk: $message"; failed=1; }
fi
exit $failed
