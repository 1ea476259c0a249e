# calibrations.awk CALLS PROFILES... last=1 PROFILE: one profile from several of
# one machine, that of the last one with other values. What a shared host needs
# changes by the minute, and what else runs there only adds: so of the host's
# times, and of those that the host has to see, it has the least, as the programs'
# times are the least; of all else the middle. A copy's call takes half of what a
# chunk's three calls take more than its launch.

NR == FNR && $1 == "chunk" && (!chunk || $2 < chunk) { chunk = $2 }
NR == FNR && $1 == "host_launch_ns" && (!launch || $2 < launch) { launch = $2 }
NR == FNR { next }
$2 == "=" && $3 ~ /^[0-9]+$/ && !last { values[$1, ++count[$1]] = $3; next }
!last { next }

function middle(key,   i, k, value) {
    for (i = 2; i <= count[key]; i++) {
        value = values[key, i]
        for (k = i - 1; k > 0 && values[key, k] > value; k--)
            values[key, k + 1] = values[key, k]
        values[key, k + 1] = value
    }
    return values[key, int((count[key] + 1) / 2)]
}

function least(key,   i, value) {
    value = values[key, 1]
    for (i = 2; i <= count[key]; i++)
        if (values[key, i] < value) value = values[key, i]
    return value
}

/# measured/ {
    is_least = $1 ~ /^host_.*_ns$|_idle_ns$/ && $1 !~ /inline|wake|function/
    value = is_least ? least($1) : middle($1)
    if ($1 == "host_copy_async_ns" && chunk) value = (chunk - launch) / 2
    $0 = sprintf("%-43s # measured, the %s of %d", sprintf("%s = %.0f", $1, value),
        is_least ? "least" : "middle", count[$1])
}
{ print }
