# leaks.awk: where three lines in a row of a solution, which its skeleton has
# not, stand in another file. Arguments: for each lab SOLUTION and SKELETON, then
# "--", then the files. Prints FILE:LINE LAB. Short lines, comments and braces
# tell nothing and are passed over.
function told(line) {
    gsub(/[ \t]+/, "", line)
    if (length(line) < 12 || line ~ /^(\/\/|\/?\*|#include)/)
        return ""
    return line
}
BEGIN {
    for (i = 1; ARGV[i] != "--"; i += 2) {
        split("", has)
        while ((getline line < ARGV[i + 1]) > 0)
            has[told(line)] = 1
        lab = ARGV[i]
        sub(/\/[^\/]*$/, "", lab)
        sub(/.*\//, "", lab)
        a = b = ""
        while ((getline line < ARGV[i]) > 0) {
            line = told(line)
            if (line == "")
                continue
            if (line in has) {
                a = b = ""
                continue
            }
            if (a != "")
                whose[a SUBSEP b SUBSEP line] = lab
            a = b
            b = line
        }
        close(ARGV[i])
        close(ARGV[i + 1])
    }
    for (i++; i < ARGC; i++) {
        a = b = ""
        number = 0
        while ((getline line < ARGV[i]) > 0) {
            number++
            line = told(line)
            if (line == "")
                continue
            if ((a SUBSEP b SUBSEP line) in whose)
                print ARGV[i] ":" number, whose[a SUBSEP b SUBSEP line]
            a = b
            b = line
        }
        close(ARGV[i])
    }
}
