# compare.awk MEASURED PREDICTED: rows "NAME<tab>NANOSECONDS" of both, joined by
# name. Writes a table, errors in percent, and the ranking of each sweep; with
# -v svg=FILE a scatter plot, with -v summary=FILE "ROWS MEDIAN WORST SWEEPS FAR
# STEADY STEADY_WORST" and with -v title=TEXT a heading. A sweep is what differs in
# streams= alone. A row is steady where the machine's own times of it are within 3 %.

BEGIN { FS = "\t" }

# Of a lab's facts those that tell its solution's time.
/^lab / && !/: (student_ns|small_ns|ns|pinned_ns)$/ &&
    $1 !~ /: (student_ns|small_ns|ns|pinned_ns)$/ { next }

NR == FNR {
    if (!($1 in measured)) { names[++count] = $1; measured[$1] = most[$1] = $2 }
    if ($2 < measured[$1]) measured[$1] = $2
    if ($2 > most[$1]) most[$1] = $2
    next
}
{ predicted[$1] = $2 }

function abs(x) { return x < 0 ? -x : x }

# The number behind streams=, and the name without it.
function split_sweep(name) {
    if (!match(name, / streams=[0-9]+/)) return 0
    streams = substr(name, RSTART + 9, RLENGTH - 9) + 0
    sweep = substr(name, 1, RSTART - 1) substr(name, RSTART + RLENGTH)
    sub(/ chunks=[0-9]+/, "", sweep)
    return sweep ~ /^pipeline/ && name ~ ("chunks=" streams " ")
}

END {
    if (title != "") printf "%s\n\n", title
    print "Measured: the least of all times that a program was run, for what " \
        "else a host does\nonly adds; and how much more the others took.\n"
    printf "%9s  %12s  %8s  %12s  %s\n", "error", "measured us", "", "predicted us",
        "row"
    for (i = 1; i <= count; i++) {
        name = names[i]
        if (!(name in predicted) || measured[name] <= 0) { missing++; continue }
        error = (predicted[name] / measured[name] - 1) * 100
        errors[++n] = abs(error)
        spread = (most[name] / measured[name] - 1) * 100
        printf "%+8.1f %%  %12.1f  +%5.1f %%  %12.1f  %s\n", error,
            measured[name] / 1e3, spread, predicted[name] / 1e3, name
        if (spread <= 3) {
            steady++; steady_three += abs(error) <= 3
            steady_ten += abs(error) <= 10
            if (abs(error) > steady_worst) steady_worst = abs(error)
        }
        if (abs(error) >= worst) { worst = abs(error); worst_name = name }
        x[n] = measured[name]; y[n] = predicted[name]
        if (split_sweep(name)) {
            if (!(sweep in least_m)) sweeps[++num_sweeps] = sweep
            if (!(sweep in least_m) || measured[name] < least_m[sweep]) {
                least_m[sweep] = measured[name]; best_m[sweep] = streams
            }
            if (!(sweep in least_p) || predicted[name] < least_p[sweep]) {
                least_p[sweep] = predicted[name]; best_p[sweep] = streams
            }
        }
    }
    for (i = 2; i <= n; i++) {        # insertion sort: a few hundred
        value = errors[i]
        for (k = i - 1; k > 0 && errors[k] > value; k--) errors[k + 1] = errors[k]
        errors[k + 1] = value
    }
    median = n ? errors[int((n + 1) / 2)] : 1e9
    for (i = 1; i <= n; i++) { three += errors[i] <= 3; ten += errors[i] <= 10 }
    printf "\n%d rows, %d only measured. Median error %.1f %%, worst %.1f %% (%s)\n",
        n, missing, median, worst, worst_name
    printf "within 3 %%: %d, within 10 %%: %d; of the %d that the machine itself " \
        "repeats within 3 %%: %d, %d\n\nBest of each sweep:\n\n", three, ten,
        steady, steady_three, steady_ten
    for (i = 1; i <= num_sweeps; i++) {
        sweep = sweeps[i]
        steps = abs(log(best_m[sweep] / best_p[sweep]) / log(2))
        far += steps > 1.01
        printf "%-7s measured %4d, predicted %4d streams  %s\n",
            (steps > 1.01 ? "far" : steps > 0.01 ? "a step" : "same"),
            best_m[sweep], best_p[sweep], sweep
    }
    if (summary != "")
        printf "%d %.2f %.2f %d %d %d %.2f\n", n, median, worst, num_sweeps, far,
            steady, steady_worst >summary
    if (svg != "") draw()
}

# Both axes of powers of ten, from the least to the most of all.
function place(value) { return (log(value) / log(10) - from) * scale }

function draw(   i, at, size) {
    size = 520; from = 99; to = 0
    for (i = 1; i <= n; i++) {
        at = log(x[i]) / log(10); if (at < from) from = at; if (at > to) to = at
        at = log(y[i]) / log(10); if (at < from) from = at; if (at > to) to = at
    }
    from = int(from); to = int(to) + 1; scale = size / (to - from)
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 620 600\" " \
        "font-family=\"sans-serif\" font-size=\"12\">\n" \
        "<title>Measured and predicted times</title>\n" \
        "<rect width=\"620\" height=\"600\" fill=\"#fff\"/>\n" \
        "<g transform=\"translate(70 545) scale(1 -1)\">\n" >svg
    for (i = from; i <= to; i++) {
        at = (i - from) * scale
        printf "<path d=\"M0 %.1fH%d M%.1f 0V%d\" stroke=\"#ddd\"/>\n", at, size,
            at, size >svg
    }
    # Equal; and a tenth more or less.
    for (i = -1; i <= 1; i++) {
        at = log(1 + i / 10) / log(10) * scale
        printf "<path d=\"M0 %.1fL%d %.1f\" stroke=\"%s\"/>\n", at, size,
            size + at, i ? "#bbb" : "#555" >svg
    }
    for (i = 1; i <= n; i++)
        printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"#06c\" " \
            "fill-opacity=\"0.5\"/>\n", place(x[i]), place(y[i]) >svg
    printf "</g>\n" >svg
    for (i = from; i <= to; i++) {
        at = (i - from) * scale
        label = i < 6 ? sprintf("%g us", 10 ^ (i - 3)) : sprintf("%g ms", 10 ^ (i - 6))
        printf "<text x=\"%.1f\" y=\"562\" text-anchor=\"middle\">%s</text>\n" \
            "<text x=\"64\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
            70 + at, label, 549 - at, label >svg
    }
    printf "<text x=\"330\" y=\"585\" text-anchor=\"middle\">measured</text>\n" \
        "<text x=\"70\" y=\"18\">predicted; grey lines: equal, and 10 %% off" \
        "</text>\n</svg>\n" >svg
}
